// SPDX-License-Identifier: GPL-3.0-or-later
// Damage and hostile input: whatever the text is, a thread or an error.
#include "core/serde/jsonscan.h"
#include "core/sources/jsonsource.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <QFile>
#include <QTest>

#include <rapidcheck.h>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

std::string read(const char *name)
{
    QFile file(QLatin1StringView(PALIMPSEST_TEST_DATA "/formats/") + QLatin1StringView(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Opens and loads everything there is; the number of threads, or -1 for an error with words in it.
int loadAll(std::string text)
{
    const auto source = JsonSource::fromText(std::move(text), "some.json");
    if (!source)
        return source.error().what.empty() ? -2 : -1;
    const auto rows = listThreads(**source, true, {});
    if (!rows)
        return -2;
    for (const ThreadRow &row : *rows)
        if (const auto thread = loadThread(**source, row.id, {}, {}); !thread)
            return -2;
    return static_cast<int>(rows->size());
}

/// The one thread of a text; null where there is none or more.
ThreadPtr only(std::string text)
{
    const auto source = JsonSource::fromText(std::move(text), "some.json");
    const auto ids = source ? (*source)->threadIds({}) : Result<std::vector<std::string>>();
    if (!source || !ids || ids->size() != 1)
        return nullptr;
    return loadThread(**source, ids->front(), {}, {}).value_or(nullptr);
}

std::string repeated(const std::string &text, std::size_t times)
{
    std::string out;
    out.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        out += text;
    return out;
}

/// Documents of other kinds than they look like, and how many threads they are; -1 for an error.
struct OddDocument {
    const char *name;
    const char *text;
    int threads;
};
const OddDocument oddDocuments[] = {
    {"nothing", "", -1},
    {"text", "\"messages\"", -1},
    {"number", "12", -1},
    {"no values", R"({"values": 3, "checkpoint": {"checkpoint_id": "c"}})", -1},
    {"values without messages", R"({"values": {}, "checkpoint": {"checkpoint_id": "c"}})", 1},
    {"messages of numbers", R"({"messages": [1, 2]})", 1},
    {"a message among numbers", R"([{"type": "human", "content": "x"}, 7, null])", 1},
    {"messages as a map", R"({"values": {"messages": {"0": 1}}, "checkpoint": {}})", 1},
    {"ids of other kinds", R"({"values": {}, "checkpoint": {"checkpoint_id": 7, "thread_id": []}, "tasks": 3})", 1},
    {"tasks of other kinds", R"({"values": {}, "checkpoint": {"checkpoint_id": "c"}, "tasks": [1, {"result": [2]}]})",
        1},
    {"parent is itself",
        R"({"values": {}, "checkpoint": {"checkpoint_id": "c"}, "parent_checkpoint": {"checkpoint_id": "c"}})", 1},
    {"parents in a ring",
        R"([{"values": {}, "checkpoint": {"checkpoint_id": "a"}, "parent_checkpoint": {"checkpoint_id": "b"}},
                {"values": {}, "checkpoint": {"checkpoint_id": "b"}, "parent_checkpoint": {"checkpoint_id": "a"}}])",
        1},
    {"one id twice",
        R"([{"values": {"messages": []}, "checkpoint": {"checkpoint_id": "a"}},
                {"values": {"messages": 1}, "checkpoint": {"checkpoint_id": "a"}}])",
        1},
    {"event of another kind", R"({"messages": [], "_summarization_event": [1], "files": 2})", 1},
    {"cutoff beyond all",
        R"({"messages": [{"type": "human", "content": "x"}],
                "_summarization_event": {"cutoff_index": 99999999999999999999, "summary_message": 1}})",
        1},
    {"run without inputs", R"({"run_type": "llm", "inputs": null, "outputs": null})", -1},
    {"run with a list of nothing", R"({"run_type": "llm", "inputs": {"messages": [[]]}, "outputs": {}})", 1},
    {"runs nested in themselves by id",
        R"({"run_type": "chain", "id": "a", "parent_run_id": "a", "inputs": {"messages": [{"type": "human", "content": "x"}]}, "outputs": {}})",
        -1},
    {"a dump without values", R"({"lc": 1, "type": "constructor", "id": [], "kwargs": 3})", 1},
    {"an empty chat", R"({"messages": []})", 1},
    {"an unknown role", R"({"messages": [{"role": "wizard", "content": "x"}]})", 1},
    {"arguments that are no JSON",
        R"([{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}])", 1},
    {"spans without contents",
        R"({"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "a", "attributes": []}, 7]}]}]})", -1},
    {"a span that is its own parent",
        R"({"context": {"span_id": "a"}, "parent_id": "a", "attributes": {"openinference.span.kind": "LLM",
                "input.value": "{\"messages\": [[1]]}", "output.value": "{", "metadata": "[1"}})",
        1},
    {"one message", R"({"type": "human", "content": "x"})", 1},
    {"lone surrogates and NaN", R"({"messages": [{"type": "human", "content": "\ud83d", "id": NaN}]})", 1},
    {"not UTF-8", "{\"messages\": [{\"type\": \"human\", \"content\": \"\xff\xfe\"}]}", 1},
};

// What moc loses its way in stands outside of the class.
const std::string scanned = " {\"a\\\"\": [1, {\"b\": \"]\"}], \"c\" : \"\\\\\", \"c\": -1.5e3} ";
const std::string scannedList = "[1, {\"b\": \"]\"}]";

const std::string runText = R"json({"id": "%1", "run_type": "llm", "name": "m", "start_time": "%2",
    "inputs": {"messages": [[{"type": "human", "content": "x"}]]},
    "outputs": {"generations": [[{"message": {"type": "ai", "content": "y"}}]]},
    "extra": {"metadata": {"thread_id": "t", "lc_source": "%3"}}})json";
const std::string toolRun =
    R"json({"run_type": "tool", "name": "t", "inputs": {"input": "x"}, "outputs": {"output": "y"}})json";
const std::string httpSpan =
    R"json({"name": "GET", "context": {"trace_id": "1", "span_id": "2"}, "attributes": {"http.method": "GET"}})json";
const std::string preference =
    R"json({"input": {"messages": [{"role": "user", "content": "Hi"}]}, "preferred_output": [{"role": "assistant", "content": "yes"}], "non_preferred_output": [{"role": "assistant", "content": "no"}]})json";

} // namespace

class TestJsonSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void survivesCuts_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *name : {"api/interrupted_state.json", "exports/langsmith_run_llm.json",
                 "exports/messages_to_dict.json", "exports/messages.model_dump.jsonl", "js_api/thread.json"})
            QTest::addRow("%s", name) << QByteArray::fromStdString(read(name));
    }

    void survivesCuts()
    {
        QFETCH(QByteArray, text);
        QVERIFY(loadAll(text.toStdString()) > 0);
        for (qsizetype size = 0; size < text.size(); size += 1 + text.size() / 97)
            QVERIFY(loadAll(text.first(size).toStdString()) > -2);
    }

    void survivesWrongKinds_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("threads");
        for (const OddDocument &odd : oddDocuments)
            QTest::addRow("%s", odd.name) << QByteArray(odd.text) << odd.threads;
    }

    void survivesWrongKinds()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, threads);
        QCOMPARE(loadAll(text.toStdString()), threads);
    }

    void survivesBombs()
    {
        QCOMPARE(loadAll(repeated("[", 3000000)), -1);
        QCOMPARE(loadAll(repeated("{\"values\":", 1000000)), -1);
        QCOMPARE(loadAll("{\"messages\":[" + repeated("[", 900) + repeated("]", 900) + "]}"), 1);
        QCOMPARE(loadAll("{\"messages\":[{\"type\":\"human\",\"content\":\"" + repeated("\\\\", 2000000) + "\"}]}"), 1);
        QCOMPARE(loadAll("{\"messages\":[{\"type\":\"human\",\"content\":\"" + repeated("\\\"", 2000000) + "\"}]}"), 1);
        const std::string child = R"({"run_type":"chain","inputs":{},"child_runs":[)";
        QVERIFY(loadAll(repeated(child, 400) + repeated("]}", 400)) >= -1);
    }

    void scansAsItDecodes()
    {
        const std::string &text = scanned;
        const auto entries = jsonEntries(text);
        QVERIFY(entries);
        QCOMPARE(entries->size(), std::size_t(3));
        QCOMPARE(jsonText((*entries)[0].key.of(text)), std::optional<std::string>("a\""));
        QCOMPARE(std::string((*entries)[0].value.of(text)), scannedList);
        QCOMPARE(std::string(jsonFind(text, *entries, "c")), std::string("-1.5e3"));
        QCOMPARE(std::string(jsonFind(text, *entries, "a\"")), scannedList);
        QVERIFY(!jsonEntries("{\"a\" 1}"));
        QVERIFY(!jsonEntries("{\"a\": }"));
        QVERIFY(!jsonElements("[1,"));
        QVERIFY(!jsonElements("[1 2]"));
        QVERIFY(jsonElements("{}")->empty());
    }

    void readsTheSameWhateverTheWhiteSpace()
    {
        const auto holds = rc::check("white space between tokens means nothing", [] {
            const std::string w = *rc::gen::container<std::string>(rc::gen::element(' ', '\n', '\t', '\r'));
            const std::string text = "[" + w + "{" + w + "\"type\"" + w + ":" + w + "\"human\"" + w + "," + w
                + "\"content\"" + w + ":" + w + "\"x\"" + w + "}" + w + "]" + w;
            RC_ASSERT(loadAll(w + text) == 1);
        });
        QVERIFY(holds);
    }

    void readsSpansAsTheRunsTheyWereMadeOf()
    {
        // The same two calls as Python's SDK prints them and as a collector writes them.
        std::vector<Value> seen;
        for (const char *name : {"exports/otel_spans.jsonl", "exports/otel_otlp.json"}) {
            const ThreadPtr thread = only(read(name));
            QVERIFY(thread);
            QCOMPARE(thread->id, std::string("otel-1"));
            const ThreadNamespace &space = *thread->find("");
            QCOMPARE(space.calls.size(), std::size_t(2));
            Value::List requests;
            for (const Call &call : space.calls) {
                QVERIFY(call.request); // recorded, not derived
                for (const MessagePtr &message : *call.request)
                    requests.push_back(messageToValue(*message));
            }
            // What the model saw, the system message among it.
            QCOMPARE(space.calls[0].request->size(), std::size_t(2));
            QCOMPARE(space.calls[1].request->size(), std::size_t(5));
            seen.emplace_back(std::move(requests));
        }
        QCOMPARE(seen[0], seen[1]);
    }

    void keepsCallsOfEveryForm()
    {
        const ThreadPtr thread = only(read("exports/openai_calls.json"));
        QVERIFY(thread);
        const MessageLog &log = thread->find("")->checkpoints.at(0).messages;
        QCOMPARE(log.size(), std::size_t(5));
        QCOMPARE(log[0]->kind, MessageKind::System);
        QCOMPARE(log[1]->content.asList().size(), std::size_t(2));
        const Value calls = log[2]->toolCalls;
        QCOMPARE(calls.asList().size(), std::size_t(2));
        QCOMPARE(calls.asList()[0]["args"]["q"].asText(), std::string("a\nb"));
        QCOMPARE(calls.asList()[1]["args"]["__arg1"].asText(), std::string("print(1)"));
        QCOMPARE(log[2]->invalidToolCalls.asList().size(), std::size_t(1));
        QCOMPARE(log[2]->invalidToolCalls.asList()[0]["args"].asText(), std::string("{not json"));
        QCOMPARE(log[4]->additionalKwargs["refusal"].asText(), std::string("No."));
    }

    void tellsSummarizersFromTheAgent()
    {
        const auto run = [](const char *id, const char *start, const char *source) {
            return QString::fromStdString(runText)
                .arg(QLatin1StringView(id), QLatin1StringView(start), QLatin1StringView(source))
                .toStdString();
        };
        const std::string summary = run("s", "2026-01-01T00:00:00Z", "summarization");
        const ThreadPtr both = only("[" + summary + "," + run("a", "2026-01-01T00:00:01Z", "") + "]");
        QVERIFY(both);
        QCOMPARE(both->find("")->calls.size(), std::size_t(1));
        QVERIFY(std::ranges::any_of(
            both->findings, [](const Finding &finding) { return finding.rule == "summarizer-runs"; }));
        // Alone it is what the file is about.
        const ThreadPtr alone = only(summary);
        QVERIFY(alone);
        QCOMPARE(alone->find("")->calls.size(), std::size_t(1));
    }

    void saysWhatToExportInstead()
    {
        const auto tool = JsonSource::fromText(toolRun, "run.json");
        QVERIFY(!tool);
        QVERIFY2(tool.error().what.find("export the whole trace") != std::string::npos, tool.error().what.c_str());
        const auto spans = JsonSource::fromText(httpSpan, "spans.json");
        QVERIFY(!spans);
        QVERIFY2(spans.error().what.find("OpenTelemetry") != std::string::npos, spans.error().what.c_str());
        const ThreadPtr preferred = only(preference);
        QVERIFY(preferred);
        QCOMPARE(preferred->find("")->checkpoints.at(0).messages.size(), std::size_t(2));
    }

    void keepsOneBodyForEqualMessages()
    {
        auto source = JsonSource::fromText(read("api/history_post_limit1000.json"), "history.json");
        QVERIFY(source);
        const auto ids = (*source)->threadIds({});
        QVERIFY(ids);
        const auto thread = loadThread(**source, ids->front(), {}, {});
        QVERIFY(thread);
        const std::vector<Checkpoint> &all = (*thread)->namespaces.front().checkpoints;
        const MessageLog &last = all.back().messages;
        const MessageLog &before = all[all.size() - 2].messages;
        for (std::size_t i = 0; i < before.size(); ++i)
            QCOMPARE(before[i].get(), last[i].get());
    }
};

QTEST_GUILESS_MAIN(TestJsonSource)
#include "tst_jsonsource.moc"
