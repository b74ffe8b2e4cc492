// SPDX-License-Identifier: GPL-3.0-or-later
// Threads in every other form than the current Python SQLite saver's, through the command line: they agree with what
// was recorded beside them, and every subcommand takes them.
#include "core/artifacts/artifactview.h"
#include "core/serde/json.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"
#include "tests/support/goldens.h"
#include "tests/support/recordinganswers.h"
#include "tests/support/recordings.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

const std::string formats = PALIMPSEST_TEST_DATA "/formats/";
const char *const keyName = "LANGGRAPH_AES_KEY";

/// A command's answer; nil and a message when it did not succeed.
Value answer(const std::vector<std::string> &args)
{
    int status = 0;
    std::string messages;
    const std::string out = runOnBuffers(args, &status, &messages);
    const Result<Value> json = parseJson(out);
    if (status != 0 || !json)
        qWarning("%s: status %d, %s", args.front().c_str(), status, messages.c_str());
    return status == 0 && json ? *json : Value();
}

/// The messages of a checkpoint of a dump.
std::vector<Value> messagesAt(const Value &dump, const Value &checkpoint)
{
    return recordings::bodies(checkpoint["messages"], dump["messages"]);
}

std::vector<Value> listOf(const Value &list)
{
    return {list.asList().begin(), list.asList().end()};
}

const Value &lastOf(const Value &list)
{
    static const Value none;
    return list.asList().empty() ? none : list.asList().back();
}

bool hasRule(const Value &findings, const char *rule)
{
    return std::ranges::any_of(findings.asList(), [&](const Value &f) { return f["rule"].asText() == rule; });
}

/// What of a message a model sees, whatever form it was exported in.
Value asSeen(const Value &message)
{
    Value::List calls;
    for (const Value &call : message["tool_calls"].asList())
        calls.push_back(Value::map({{"name", call["name"]}, {"args", call["args"]}, {"id", call["id"]}}));
    return recordings::tidy(Value::map({{"type", message["type"]}, {"content", message["content"]},
        {"tool_calls", Value(std::move(calls))}, {"tool_call_id", message["tool_call_id"]}}));
}

std::vector<Value> asSeen(std::vector<Value> messages)
{
    for (Value &message : messages)
        message = asSeen(message);
    return messages;
}

/// One checkpoint of a dump compared with a state's messages, event, session and files.
std::string stateDifference(const Value &state, const Value &dump, const Value &checkpoint)
{
    const Value row = Value::map({{"checkpoint_id", checkpoint["checkpoint_id"]}, {"messages", state["messages"]},
        {"event", state["event"]}, {"session_id", state["session_id"]}, {"files", state["files"]}});
    return recordings::dumpDifference(Value::list({row}), Value(), dump.with("checkpoints", Value::list({checkpoint})));
}

/// The thread of a dump compared with every state of a server's history.
std::string historyDifference(const Value &dump, const Value &history)
{
    const Value::List &mine = dump["checkpoints"].asList();
    if (mine.size() != history.asList().size())
        return "expected " + std::to_string(history.asList().size()) + " states, got " + std::to_string(mine.size());
    for (const Value &state : history.asList()) {
        const std::string &id = state["checkpoint"]["checkpoint_id"].asText();
        const auto found =
            std::ranges::find_if(mine, [&](const Value &c) { return c["checkpoint_id"].asText() == id; });
        if (found == mine.end())
            return "no checkpoint " + id;
        if ((*found)["parent_checkpoint_id"] != state["parent_checkpoint"]["checkpoint_id"])
            return id + ": parent";
        if ((*found)["step"] != state["metadata"]["step"] || (*found)["source"] != state["metadata"]["source"])
            return id + ": step or source";
        const std::string why = recordings::messagesDifference(
            asSeen(listOf(state["values"]["messages"])), asSeen(messagesAt(dump, *found)));
        if (!why.empty())
            return id + ": messages" + why;
        const bool js = state["values"].contains("_summarizationEvent");
        const Value event =
            recordings::eventOf(state["values"][js ? "_summarizationEvent" : "_summarization_event"], Value());
        const Value got = recordings::eventOf((*found)["event"], dump["messages"]);
        if (event["cutoff_index"] != got["cutoff_index"] || event["file_path"] != got["file_path"])
            return id + ": event";
        if ((*found)["files"].asMap().size() != state["values"]["files"].asMap().size())
            return id + ": files";
    }
    return {};
}

} // namespace

class TestFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv(keyName); }

    void dumpsWhatTheSaversRead_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *folder : {"js", "js_graphs", "serde"}) {
            const QDir dir(QString::fromStdString(formats + folder));
            for (const QString &name : dir.entryList({u"*.sqlite"_s}, QDir::Files))
                QTest::addRow("%s", qPrintable(name)) << dir.filePath(name).chopped(7);
        }
    }

    void dumpsWhatTheSaversRead()
    {
        QFETCH(QString, file);
        const std::string stem = file.toStdString();
        qputenv(keyName, "0123456789abcdef");
        const Value truth = recordings::readJson(stem + ".expected.json");
        QVERIFY(truth.contains("checkpoints"));
        const Value dump = answer({"dump", stem + ".sqlite", "--thread", truth["thread_id"].asText()});
        const bool js = truth["language"].asText() == "javascript";
        QCOMPARE(dump["source"]["language"].asText(), std::string(js ? "js" : "python"));
        QCOMPARE(recordings::dumpDifference(truth["checkpoints"], truth["messages"], dump), std::string());
    }

    void tellsWhatAJavaScriptModelReceived_data()
    {
        QTest::addColumn<QString>("file");
        const QDir dir(QString::fromStdString(formats + "js"));
        for (const QString &name : dir.entryList({u"*.sqlite"_s}, QDir::Files))
            QTest::addRow("%s", qPrintable(name)) << dir.filePath(name).chopped(7);
    }

    void tellsWhatAJavaScriptModelReceived()
    {
        QFETCH(QString, file);
        const std::string stem = file.toStdString();
        const Value truth = recordings::readJson(stem + ".expected.json");
        const Value got = answer({"requests", stem + ".sqlite"});
        const bool shortens = truth["settings"]["truncateArgsSettings"].truthy(); // not in a recording
        std::size_t compared = 0;
        for (const Value &call : truth["calls"].asList()) {
            if (call["kind"].asText() != "agent" || call["outcome"].asText() != "ok")
                continue;
            const auto request = std::ranges::find_if(
                got["requests"].asList(), [&](const Value &r) { return r["task_id"] == call["task_id"]; });
            QVERIFY2(request != got["requests"].asList().end(), call["task_id"].asText().c_str());
            QCOMPARE((*request)["checkpoint_id"].asText(), call["checkpoint_id"].asText());
            std::vector<Value> asked = recordings::bodies(call["messages"], truth["messages"]);
            std::erase_if(asked, [](const Value &message) { return message["type"].asText() == "system"; });
            const std::vector<Value> mine = recordings::bodies((*request)["messages"], got["messages"]);
            QCOMPARE(mine.size(), asked.size());
            for (std::size_t i = 0; i < asked.size() && !shortens; ++i) {
                QCOMPARE(mine[i]["type"].asText(), asked[i]["type"].asText());
                const std::string why = goldens::difference(
                    recordings::tidy(asked[i])["content"], recordings::tidy(mine[i])["content"], "content");
                QVERIFY2(why.empty(), why.c_str());
            }
            ++compared;
        }
        QVERIFY(compared > 1);
    }

    void keepsEncryptedRowsBrowsable()
    {
        const Value truth = recordings::readJson(formats + "serde/encrypted.expected.json");
        for (const char *key : {"", "fedcba9876543210"}) {
            qputenv(keyName, key);
            const Value dump = answer({"dump", formats + "serde/encrypted.sqlite"});
            QCOMPARE(dump["checkpoints"].asList().size(), truth["checkpoints"].asList().size());
            for (const Value &checkpoint : dump["checkpoints"].asList()) {
                QVERIFY(!checkpoint["source"].asText().empty());
                QVERIFY(!checkpoint["findings"].asList().empty());
                QVERIFY(checkpoint["messages"].asList().empty());
            }
            const std::string text = toJson(dump);
            QVERIFY(*key ? text.find(key) == std::string::npos : text.find("encrypted") != std::string::npos);
        }
    }

    void showsWhatIsInTypedRows()
    {
        const Value truth = recordings::readJson(formats + "serde/typed.expected.json");
        const Value dump = answer({"dump", formats + "serde/typed.sqlite", "--channels"});
        const Value &extra = lastOf(dump["checkpoints"])["channels"]["extra"];
        QCOMPARE(extra.asMap().size(), truth["extra_read_back"].asMap().size());
        for (const auto &[name, repr] : truth["extra_read_back"].asMap())
            QVERIFY2(extra.contains(name.asText()), name.asText().c_str());
        QCOMPARE(extra["big"]["$int"].asText(), std::string("18446744073709551615"));
        QCOMPARE(extra["nan"]["$float"].asText(), std::string("nan"));
        QCOMPARE(extra["bytes"]["$bytes_base64"].asText(), std::string("AAH/"));
        QCOMPARE(extra["enum"]["$class"].asText().substr(extra["enum"]["$class"].asText().rfind('.') + 1),
            std::string("Colour"));
        QCOMPARE(extra["ext_looking"]["type"].asText(), std::string("constructor"));
    }

    void recoversWhatPickleRowsLeaveReadable()
    {
        const Value dump = answer({"dump", formats + "serde/pickle.sqlite", "--channels"});
        const Value &last = lastOf(dump["checkpoints"]);
        QVERIFY(!last["messages"].asList().empty());
        QVERIFY(hasRule(last["findings"], "undecodable-value"));
        QVERIFY(last["undecodable"].contains("(checkpoint)"));
    }

    void readsExports_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("whole"); // with event, session and files
        QTest::addRow("lc dumps") << u"state_values.lc_dumps.json"_s << true;
        QTest::addRow("model_dump") << u"state_values.model_dump.json"_s << true;
        QTest::addRow("messages_to_dict") << u"messages_to_dict.json"_s << false;
        QTest::addRow("to_dict lines") << u"messages.to_dict.jsonl"_s << false;
        QTest::addRow("model_dump lines") << u"messages.model_dump.jsonl"_s << false;
    }

    void readsExports()
    {
        QFETCH(QString, file);
        QFETCH(bool, whole);
        const Value truth = recordings::readJson(formats + "exports/chain.expected.json");
        const Value dump = answer({"dump", formats + "exports/" + file.toStdString()});
        QCOMPARE(dump["source"]["kind"].asText(), std::string("json"));
        QCOMPARE(dump["checkpoints"].asList().size(), std::size_t(1));
        QVERIFY(hasRule(dump["source"]["findings"], "no-history"));
        QCOMPARE(hasRule(dump["source"]["findings"], "no-private-state"), !whole);
        const Value &checkpoint = lastOf(dump["checkpoints"]);
        std::vector<Value> expected = listOf(truth["messages"]);
        QCOMPARE(recordings::messagesDifference(expected, messagesAt(dump, checkpoint)), std::string());
        if (!whole)
            return;
        QCOMPARE(stateDifference(truth, dump, checkpoint), std::string());
    }

    void tellsWhatOldCheckpointsWereSent_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addRow("format 2") << u"old_0276"_s;
        QTest::addRow("format 3") << u"old_0410"_s;
    }

    void tellsWhatOldCheckpointsWereSent()
    {
        QFETCH(QString, file);
        const std::string stem = formats + "serde/" + file.toStdString();
        const Value truth = recordings::readJson(stem + ".expected.json");
        std::size_t sent = 0;
        for (const auto &[ns, rows] : recordings::spacesOf(truth)) {
            const Value dump = answer({"dump", stem + ".sqlite", "--ns", ns.asText(), "--channels"});
            QCOMPARE(recordings::dumpDifference(rows, Value(), dump), std::string());
            for (const Value &row : rows.asList()) {
                const auto mine = std::ranges::find_if(dump["checkpoints"].asList(),
                    [&](const Value &c) { return c["checkpoint_id"] == row["checkpoint_id"]; });
                const Value &channels = (*mine)["channels"];
                for (const auto &[name, value] : row["plain"].asMap())
                    QCOMPARE(toJson(channels[name.asText()]), toJson(value));
                QCOMPARE(static_cast<std::int64_t>(channels["__pregel_tasks"].asList().size()), row["sends"].asInt());
                sent += static_cast<std::size_t>(row["sends"].asInt());
            }
        }
        QCOMPARE(sent, std::size_t(9));
        // The subgraph gave back the tool's message that it was given: nothing was clipped.
        const Value found = answer({"lint", stem + ".sqlite", "--json"});
        QVERIFY(!hasRule(found["findings"], "overflow-rescued"));
    }

    void readsListsOfSeveralForms()
    {
        // LangChain's dumps, messages_to_dict, model_dump and OpenAI's form, line by line.
        const Value dump = answer({"dump", formats + "exports/mixed.jsonl"});
        const std::vector<Value> got = messagesAt(dump, lastOf(dump["checkpoints"]));
        QCOMPARE(got.size(), std::size_t(22));
        for (const Value &message : got)
            QVERIFY2(message["type"].asText() == "human" || message["type"].asText() == "ai"
                    || message["type"].asText() == "tool",
                message["type"].asText().c_str());
    }

    void readsRequestsOfOpenAisClients()
    {
        const std::string request = formats + "exports/openai_responses.json";
        const Value dump = answer({"dump", request});
        const std::vector<Value> got = messagesAt(dump, lastOf(dump["checkpoints"]));
        QCOMPARE(got.size(), std::size_t(23));
        QCOMPARE(got[0]["type"].asText(), std::string("system"));
        std::size_t asked = 0;
        std::size_t answered = 0;
        for (const Value &message : got) {
            asked += message["tool_calls"].asList().size();
            answered += message["type"].asText() == "tool";
        }
        QVERIFY(asked == answered && asked > 5);
        QVERIFY(hasRule(dump["source"]["findings"], "openai-messages"));
    }

    void readsOtherExports_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("types"); // of the last thread's newest messages
        QTest::addRow("a batch's line") << QByteArray(
            R"({"custom_id": "r", "method": "POST", "body": {"messages": [{"role": "user", "content": "x"}]}})")
                                        << QByteArray("human");
        QTest::addRow("an answer") << QByteArray(R"({"choices": [{"message": {"role": "assistant", "content": "x"}}]})")
                                   << QByteArray("ai");
        QTest::addRow("a question as text") << QByteArray(R"({"model": "m", "input": "x"})") << QByteArray("human");
        QTest::addRow("an answer with a call and reasoning") << QByteArray(
            R"({"object": "response", "output": [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]})")
                                                             << QByteArray("ai");
        QTest::addRow("a prompt of LangChain") << QByteArray(
            R"({"lc": 1, "type": "constructor", "id": ["langchain", "ChatPromptValue"], "kwargs": {"messages": [{"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "x"}}]}})")
                                               << QByteArray("human");
        QTest::addRow("an example of a dataset") << QByteArray(
            R"({"inputs": {"messages": [[{"type": "human", "content": "x"}]]}, "outputs": {"generations": [[{"message": {"type": "ai", "content": "y"}}]]}})")
                                                 << QByteArray("human");
        QTest::addRow("values of a stream")
            << QByteArray("event: values\r\ndata: {\"messages\": [{\"type\": \"human\", \"content\": \"x\"}]}\r\n\r\n"
                          ": comment\n\nevent: values\ndata: {\"messages\": [{\"type\": \"human\", \"content\": "
                          "\"x\"},\ndata: {\"type\": \"ai\", \"content\": \"y\"}]}")
            << QByteArray("human,ai");
        QTest::addRow("messages of a stream") << QByteArray(
            "event: messages/partial\ndata: [{\"type\": \"ai\", \"id\": \"a\", \"content\": \"x\"}]\n\n"
            "event: messages/complete\ndata: [{\"type\": \"ai\", \"id\": \"a\", \"content\": \"xy\"}]\n\n")
                                              << QByteArray("ai");
        QTest::addRow("pieces of a stream") << QByteArray(
            "event: messages\ndata: [{\"type\": \"AIMessageChunk\", \"id\": \"a\", \"content\": \"x\"}, {}]\n\n"
            "event: messages\ndata: [{\"type\": \"AIMessageChunk\", \"id\": \"a\", \"content\": \"y\"}, {}]\n\n"
            "event: messages\ndata: [{\"type\": \"tool\", \"id\": \"t\", \"tool_call_id\": \"c\", \"content\": "
            "\"z\"}, {}]\n\n") << QByteArray("ai,tool");
        QTest::addRow("checkpoints of a stream")
            << QByteArray("event: values\ndata: {\"messages\": []}\n\nevent: debug\ndata: {\"type\": \"checkpoint\", "
                          "\"payload\": {\"config\": {\"configurable\": {\"checkpoint_id\": \"c1\", \"thread_id\": "
                          "\"t\"}}, \"values\": {\"messages\": [{\"type\": \"human\", \"content\": \"x\"}]}, \"next\": "
                          "[], \"tasks\": [], \"metadata\": {\"step\": 1}}}\n\n")
            << QByteArray("human");
    }

    void readsOtherExports()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, types);
        QTemporaryDir folder;
        QFile file(folder.filePath(u"export"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        const Value dump = answer({"dump", file.fileName().toStdString()});
        QByteArray got;
        for (const Value &message : messagesAt(dump, lastOf(dump["checkpoints"])))
            got += (got.isEmpty() ? "" : ",") + QByteArray::fromStdString(message["type"].asText());
        QCOMPARE(got, types);
    }

    void readsWhatARunStreamed()
    {
        const Value dump = answer({"dump", formats + "api/run_stream_values.sse"});
        QCOMPARE(dump["checkpoints"].asList().size(), std::size_t(2));
        QVERIFY(hasRule(dump["source"]["findings"], "stream"));
        const Value thread = recordings::readJson(formats + "api/thread.json");
        QCOMPARE(recordings::messagesDifference(asSeen(listOf(thread["values"]["messages"])),
                     asSeen(messagesAt(dump, lastOf(dump["checkpoints"])))),
            std::string());
        // Its outputs lack the event: that is no loss.
        const Value found = answer({"lint", formats + "api/run_stream_values.sse", "--json"});
        QVERIFY(!hasRule(found["findings"], "event-lost"));
    }

    void readsWhatACopiedThreadAndAStoreLeave()
    {
        const std::string folder = formats + "api/dot_langgraph_api_copied";
        const Value rows = answer({"threads", folder, "--json"});
        QCOMPARE(rows.asList().size(), std::size_t(2));
        for (const Value &row : rows.asList()) {
            const Value dump = answer({"dump", folder, "--thread", row["thread_id"].asText()});
            QCOMPARE(dump["checkpoints"].asList().size(), std::size_t(4));
            QVERIFY(!lastOf(dump["checkpoints"])["messages"].asList().empty());
            QVERIFY(dump["source"]["findings"].asList().empty());
        }
        auto source = openSource(folder);
        QVERIFY(source);
        const auto items = (*source)->store();
        QVERIFY(items);
        QCOMPARE(items->at("memories.a").at("one.md")["content"].asList().front().asText(), std::string("line"));
        QCOMPARE(items->at("filesystem").at("/notes.md")["content"].asText(), std::string("hello"));
    }

    void readsStateSnapshots()
    {
        // langchain_core.load.dumps of a StateSnapshot: the list of its members.
        const Value values = recordings::readJson(formats + "exports/state_values.lc_dumps.json");
        const auto place = [](const char *id) {
            return Value::map({{"configurable",
                Value::map(
                    {{"thread_id", Value("chain")}, {"checkpoint_ns", Value("")}, {"checkpoint_id", Value(id)}})}});
        };
        const Value snapshot = Value::list({values, Value::list({Value("model")}), place("c2"),
            Value::map({{"source", Value("loop")}, {"step", Value(7)}}), Value("2026-11-30T17:36:27+00:00"),
            place("c1"),
            Value::list(
                {Value::list({Value("t1"), Value("model"), Value::list({Value("__pregel_pull"), Value("model")}),
                    Value(), Value(Value::List{}), Value(), Value()})}),
            Value(Value::List{})});
        QTemporaryDir folder;
        const QString path = folder.filePath(u"snapshot.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(toJson(snapshot)));
        file.close();
        const Value dump = answer({"dump", path.toStdString()});
        QCOMPARE(dump["thread_id"].asText(), std::string("chain"));
        const Value &checkpoint = lastOf(dump["checkpoints"]);
        QCOMPARE(checkpoint["checkpoint_id"].asText(), std::string("c2"));
        QCOMPARE(checkpoint["parent_checkpoint_id"].asText(), std::string("c1"));
        QCOMPARE(checkpoint["step"].asInt(), 7);
        QCOMPARE(checkpoint["event"]["cutoff_index"].asInt(), 13);
        QVERIFY(hasRule(dump["source"]["findings"], "partial-history"));

        // Its `_asdict()`: members by name, tasks still lists.
        const Value::List &members = snapshot.asList();
        const Value object = Value::map({{"values", members[0]}, {"next", members[1]}, {"config", members[2]},
            {"metadata", members[3]}, {"created_at", members[4]}, {"parent_config", members[5]},
            {"tasks",
                Value::list({Value::list({Value("t1"), Value("model"),
                    Value::list({Value("__pregel_pull"), Value("model")}), Value(), Value(Value::List{}), Value(),
                    Value::map({{"messages",
                        Value::list({Value::map({{"type", Value("ai")}, {"content", Value("x")}})})}})})})},
            {"interrupts", Value(Value::List{})}});
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(QByteArray::fromStdString(toJson(object)));
        file.close();
        QCOMPARE(answer({"requests", path.toStdString()})["requests"].asList().size(), std::size_t(1));
    }

    void readsOpenAiMessages()
    {
        const Value truth = recordings::readJson(formats + "exports/chain.expected.json");
        for (const char *name : {"openai_messages.json", "openai_chat.jsonl"}) {
            const Value dump = answer({"dump", formats + "exports/" + name});
            QVERIFY(hasRule(dump["source"]["findings"], "openai-messages"));
            QCOMPARE(recordings::messagesDifference(
                         asSeen(listOf(truth["messages"])), asSeen(messagesAt(dump, lastOf(dump["checkpoints"])))),
                std::string());
        }
    }

    void readsServerHistories_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("language");
        QTest::addRow("python") << u"api"_s << u"python"_s;
        QTest::addRow("javascript") << u"js_api"_s << u"js"_s;
    }

    void readsServerHistories()
    {
        QFETCH(QString, folder);
        QFETCH(QString, language);
        const std::string file = formats + folder.toStdString() + "/history_post_limit1000.json";
        const Value dump = answer({"dump", file});
        QCOMPARE(dump["source"]["language"].asText(), language.toStdString());
        QVERIFY(dump["source"]["findings"].asList().empty());
        QCOMPARE(historyDifference(dump, recordings::readJson(file)), std::string());
    }

    void readsStatesAndThreads_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("rule");
        for (const char *folder : {"api", "js_api"}) {
            QTest::addRow("%s state", folder)
                << u"%1/state.json"_s.arg(QLatin1StringView(folder)) << u"partial-history"_s;
            QTest::addRow("%s thread", folder) << u"%1/thread.json"_s.arg(QLatin1StringView(folder)) << u"no-history"_s;
        }
        QTest::addRow("state at a checkpoint") << u"api/state_at_checkpoint.json"_s << u"partial-history"_s;
        QTest::addRow("interrupted thread") << u"api/interrupted_thread.json"_s << u"no-history"_s;
        QTest::addRow("output of a run") << u"api/run_wait_values.json"_s << u"no-private-state"_s;
    }

    void readsStatesAndThreads()
    {
        QFETCH(QString, file);
        QFETCH(QString, rule);
        const Value truth = recordings::readJson(formats + file.toStdString());
        const Value &values = truth.contains("values") ? truth["values"] : truth;
        const Value dump = answer({"dump", formats + file.toStdString()});
        QCOMPARE(dump["checkpoints"].asList().size(), std::size_t(1));
        QVERIFY(hasRule(dump["source"]["findings"], rule.toStdString().c_str()));
        const Value &checkpoint = lastOf(dump["checkpoints"]);
        QCOMPARE(
            recordings::messagesDifference(listOf(values["messages"]), messagesAt(dump, checkpoint)), std::string());
        QCOMPARE(checkpoint["files"].asMap().size(), values["files"].asMap().size());
    }

    void saysWhatAnInterruptedThreadWaitsFor()
    {
        for (const char *name : {"api/interrupted_state.json", "api/interrupted_thread.json"}) {
            const Value threads = answer({"threads", formats + name, "--json"});
            QVERIFY2(!threads.asList().front()["waiting"].asText().empty(), name);
            QVERIFY2(threads.asList().front()["title"].asText().starts_with("Remember the vault"), name);
        }
        QCOMPARE(answer({"threads", formats + "api/threads_search.json", "--json"}).asList().size(), std::size_t(2));
    }

    void devServersFilesAgreeWithTheirAnswers_data() { readsServerHistories_data(); }

    void devServersFilesAgreeWithTheirAnswers()
    {
        QFETCH(QString, folder);
        const std::string base = formats + folder.toStdString();
        const Value history = recordings::readJson(base + "/history_post_limit1000.json");
        const std::string thread = history.asList().front()["checkpoint"]["thread_id"].asText();
        const std::string files = base + "/dot_langgraph_api";
        const Value dump = answer({"dump", files, "--thread", thread});
        QCOMPARE(dump["source"]["kind"].asText(), std::string("devserver"));
        QCOMPARE(historyDifference(dump, history), std::string());
        QCOMPARE(answer({"threads", files, "--json"}).asList().size(), std::size_t(2));
        // What the model saw is the same, told from either.
        const Value here = answer({"requests", files, "--thread", thread});
        const Value there = answer({"requests", base + "/history_post_limit1000.json"});
        QVERIFY(here["requests"].asList().size() > 5);
        QCOMPARE(there["requests"].asList().size(), here["requests"].asList().size());
        for (std::size_t i = 0; i < here["requests"].asList().size(); ++i) {
            const Value &a = here["requests"].asList()[i];
            const Value &b = there["requests"].asList()[i];
            QCOMPARE(b["task_id"].asText(), a["task_id"].asText());
            QCOMPARE(recordings::messagesDifference(asSeen(recordings::bodies(a["messages"], here["messages"])),
                         asSeen(recordings::bodies(b["messages"], there["messages"]))),
                std::string());
        }
    }

    void showsWhatATraceSaysTheModelSaw_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("state");
        QTest::addRow("trace") << u"langsmith_trace.json"_s << true;
        QTest::addRow("model's run") << u"langsmith_run_llm.json"_s << false;
    }

    void showsWhatATraceSaysTheModelSaw()
    {
        QFETCH(QString, file);
        QFETCH(bool, state);
        const Value run = recordings::readJson(formats + "exports/langsmith_run_llm.json");
        const Value got = answer({"requests", formats + "exports/" + file.toStdString()});
        QCOMPARE(got["requests"].asList().size(), std::size_t(1));
        const Value &request = got["requests"].asList().front();
        QCOMPARE(request["certainty"].asText(), std::string("recorded"));
        QCOMPARE(request["derived"]["agrees"].asBool(), true);
        const std::vector<Value> seen = recordings::bodies(request["messages"], got["messages"]);
        const Value::List &inputs = run["inputs"]["messages"].asList().front().asList();
        QCOMPARE(seen.size() + 1, inputs.size()); // without the system message
        for (std::size_t i = 0; i < seen.size(); ++i)
            QCOMPARE(toJson(seen[i]["content"]), toJson(inputs[i + 1]["kwargs"]["content"]));
        QCOMPARE(got["thread_id"].asText(), std::string("chain"));
        const Value dump = answer({"dump", formats + "exports/" + file.toStdString()});
        const Value &first = dump["checkpoints"].asList().front();
        QCOMPARE(!first["event"].isNil(), state);
        QCOMPARE(first["step"].asInt(), 24);
    }

    void readsTheRootOfATrace()
    {
        const Value run = recordings::readJson(formats + "exports/langsmith_run_root.json");
        const Value dump = answer({"dump", formats + "exports/langsmith_run_root.json"});
        QCOMPARE(recordings::messagesDifference(
                     listOf(run["outputs"]["messages"]), messagesAt(dump, lastOf(dump["checkpoints"]))),
            std::string());
        QVERIFY(hasRule(dump["source"]["findings"], "trace"));
    }

    void opensTheHomeOfDeepAgentsCode_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addRow("folder") << u"home/.deepagents"_s;
        QTest::addRow("home") << u"home"_s;
        QTest::addRow("database") << u"home/.deepagents/.state/sessions.db"_s;
    }

    void opensTheHomeOfDeepAgentsCode()
    {
        QFETCH(QString, path);
        const Value truth = recordings::readJson(formats + "dcode/dcode.expected.json");
        const std::string location = formats + "dcode/" + path.toStdString();
        const Value dump = answer({"dump", location});
        QCOMPARE(dump["thread_id"].asText(), truth["thread_id"].asText());
        QCOMPARE(dump["source"]["what"].asText(), std::string("sessions of deepagents-code"));
        const Value files(Value::Map{}); // the truth lists paths, and there are none
        QCOMPARE(stateDifference(truth.with("files", files), dump, lastOf(dump["checkpoints"])), std::string());

        // The archive behind its route, and the large result.
        auto source = openSource(location);
        QVERIFY(source);
        const Result<ThreadPtr> thread = loadThread(**source, truth["thread_id"].asText(), {}, {});
        QVERIFY(thread);
        const ThreadNamespace &space = (*thread)->namespaces.front();
        ArtifactView view(**thread, space, CheckpointIndex(space.checkpoints.size() - 1));
        for (ArtifactFolder &folder : foldersOf((*source)->info()))
            view.addFolder(std::move(folder));
        const auto archive = view.read(truth["event"]["file_path"].asText());
        QVERIFY(archive);
        QVERIFY(archive->bytes.starts_with("## Summarized at "));
        const auto result = view.read(truth["artifacts_root"].asText() + "/large_tool_results/big1");
        QVERIFY(result);
        QCOMPARE(result->bytes.size(), std::size_t(94951));
        for (const Artifact &artifact : view.list())
            QVERIFY2(!artifact.path.ends_with(".db"), artifact.path.c_str());
    }

    void everySubcommandTakesEverySource_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("thread");
        for (const char *one : {"js/js_summarize_send.sqlite", "serde/old_102.sqlite", "serde/pickle.sqlite",
                 "serde/encrypted.sqlite", "exports/openai_messages.json", "exports/openai_chat.jsonl",
                 "exports/messages_to_dict.json", "exports/state_values.lc_dumps.json", "exports/langsmith_trace.json",
                 "exports/langsmith_run_llm.json", "api/history_post_limit1000.json", "api/thread.json",
                 "api/interrupted_state.json", "js_api/state.json", "dcode/home/.deepagents"})
            QTest::addRow("%s", one) << QString::fromLatin1(one) << QString();
        for (const char *one : {"api/dot_langgraph_api", "js_api/dot_langgraph_api"})
            QTest::addRow("%s", one) << QString::fromLatin1(one) << u"00000000-0000-4000-8000-0000000000a1"_s;
    }

    void everySubcommandTakesEverySource()
    {
        QFETCH(QString, source);
        QFETCH(QString, thread);
        const std::string location = formats + source.toStdString();
        QTemporaryDir folder;
        const QString settings = folder.filePath(u"settings.json"_s);
        QFile file(settings);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"dialect": "deepagents-0.7.32", "trigger": ["messages", 14], "keep": ["messages", 6]})");
        file.close();
        std::vector<std::string> which;
        if (!thread.isEmpty())
            which = {"--thread", thread.toStdString()};
        const auto run = [&](std::vector<std::string> args) {
            args.insert(args.begin() + 1, location);
            args.insert(args.end(), which.begin(), which.end());
            int status = 2;
            std::string messages;
            const std::string out = runOnBuffers(args, &status, &messages);
            const Result<Value> json = parseJson(out);
            return status != 2 && json ? std::string() : args.front() + ": " + messages;
        };
        int status = 2;
        const std::string rows = runOnBuffers({"threads", location, "--json"}, &status, nullptr);
        QCOMPARE(status, 0);
        QVERIFY(!parseJson(rows)->asList().empty());
        QCOMPARE(run({"dump"}), std::string());
        QCOMPARE(run({"dump", "--channels"}), std::string());
        QCOMPARE(run({"requests", "--next"}), std::string());
        QCOMPARE(run({"states", "--json"}), std::string());
        QCOMPARE(run({"lint", "--json"}), std::string());
        QCOMPARE(run({"replay", "--settings", settings.toStdString()}), std::string());
    }

    void saysWhatItLookedFor_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("word");
        QTest::addRow("empty") << u"a"_s << QByteArray() << u"empty"_s;
        QTest::addRow("text") << u"notes.txt"_s << QByteArray("hello") << u"looked for"_s;
        QTest::addRow("other JSON") << u"package.json"_s << QByteArray(R"({"name": "x"})") << u"LangSmith"_s;
        QTest::addRow("empty list") << u"a.json"_s << QByteArray("[]") << u"empty"_s;
        QTest::addRow("cut JSON") << u"a.json"_s << QByteArray(R"({"messages": [{"type": "human")") << u"byte 30"_s;
        QTest::addRow("spans") << u"trace.json"_s << QByteArray(R"({"resourceSpans": []})") << u"OpenTelemetry"_s;
        QTest::addRow("a store's items") << u"store.json"_s << QByteArray(R"({"items": []})") << u"store"_s;
        QTest::addRow("a stream of nothing")
            << u"run.sse"_s << QByteArray("event: metadata\ndata: {}\n\n") << u"stream of events"_s;
        QTest::addRow("runs") << u"runs.json"_s << QByteArray(R"([{"run_id": "r", "thread_id": "t", "kwargs": {}}])")
                              << u"history"_s;
    }

    void saysWhatItLookedFor()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QString, word);
        QTemporaryDir folder;
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        int status = 0;
        std::string messages;
        QVERIFY(runOnBuffers({"dump", file.fileName().toStdString()}, &status, &messages).empty());
        QCOMPARE(status, 2);
        QVERIFY2(messages.find(word.toStdString()) != std::string::npos, messages.c_str());
        QCOMPARE(std::ranges::count(messages, '\n'), 1);
    }
};

QTEST_GUILESS_MAIN(TestFormats)
#include "tst_formats.moc"
