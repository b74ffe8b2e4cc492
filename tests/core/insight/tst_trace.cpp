// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/links.h"
#include "core/base/text.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/replay.h"
#include "core/compaction/settings.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/trace/messageparts.h"
#include "core/insight/trace/trace.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "tests/support/recordinganswers.h"
#include "tests/support/recordings.h"
#include "tests/support/threadbuilder.h"

#include <QTest>

using namespace palimpsest;

namespace {

struct Opened {
    ThreadPtr thread;
    std::optional<SettingsSet> settings;
    std::vector<ArtifactFolder> folders;
};

Opened open(const recordings::Recording &recording, bool withSettings = true)
{
    Opened opened;
    const auto source = openSource(recording.database, {});
    if (!source)
        return opened;
    const std::vector<std::string> ids = *(*source)->threadIds({});
    opened.thread = *loadThread(**source, ids.front(), {}, {});
    if (const auto folder = folderBeside(recording.database))
        opened.folders.push_back(*ArtifactFolder::open(*folder));
    if (withSettings)
        opened.settings =
            *settingsFromJson(recordings::settingsOf(recordings::readJson(recording.truth), recordings::StoredTasks()));
    return opened;
}

Opened openNamed(const std::string &name, bool withSettings = true)
{
    for (const recordings::Recording &recording : recordings::all())
        if (recording.name == name)
            return open(recording, withSettings);
    return {};
}

Trace traced(const Opened &opened, const TraceQuery &query, bool replays = false, const std::string &ns = {})
{
    TraceOptions options;
    options.settings = opened.settings ? &*opened.settings : nullptr;
    options.folders = opened.folders;
    options.replays = replays;
    return *trace(opened.thread, ns, query, options, {});
}

Trace tracedText(
    const Opened &opened, const std::string &text, NeedleKind kind = NeedleKind::Plain, bool replays = false)
{
    return traced(opened, *TraceQuery::text(text, kind), replays);
}

std::vector<TraceKind> kinds(const TracedCall &call)
{
    std::vector<TraceKind> all;
    for (const TracePlacePtr &place : call.where)
        all.push_back(place->kind);
    return all;
}

std::string words(const std::vector<TraceKind> &all)
{
    std::string text;
    for (const TraceKind kind : all)
        text += std::string(text.empty() ? "" : " ") + std::string(traceKindName(kind));
    return text;
}

bool holds(const Message &message, const std::string &needle)
{
    bool found = false;
    visitParts(message, [&](const MessagePart &part) {
        found = part.text.find(needle) != std::string_view::npos;
        return !found;
    });
    return found;
}

/// Texts to look for: pieces of what the messages of a namespace say.
std::vector<std::string> sampledNeedles(const ThreadNamespace &space)
{
    std::vector<std::string> needles;
    std::uint32_t random = 2463534242;
    const auto next = [&random] {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        return random;
    };
    for (const CheckpointIndex head : space.heads) {
        const MessageLog &log = space.checkpoints[head.at()].messages;
        for (std::size_t i = 0; i < log.size(); i += 1 + log.size() / 12) {
            std::vector<std::string> texts;
            visitParts(*log[i], [&](const MessagePart &part) {
                texts.emplace_back(part.text);
                return true;
            });
            if (texts.empty())
                continue;
            const std::string &text = texts[next() % texts.size()];
            std::size_t from = text.empty() ? 0 : next() % text.size();
            while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
                --from;
            std::size_t to = std::min(text.size(), from + 18);
            while (to < text.size() && (static_cast<unsigned char>(text[to]) & 0xC0) == 0x80)
                ++to;
            if (to - from > 4)
                needles.push_back(text.substr(from, to - from));
        }
    }
    return needles;
}

} // namespace

class TestTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTextsFoldedAndByExpression();
    void saysWhichCallLostTheVaultPassphrase();
    void namesTheSmallestChangeThatKeepsIt();
    void smallestChangesAreSmallest();
    void followsAMessageById();
    void seesWhatReadFileBroughtBack();
    void tellsTheStubFromTheMessage();
    void seesShortenedArgumentsUnderSettings();
    void readsArchivesInAFolder();
    void blamesTheTrimmedInput();
    void blamesALaterSummary();
    void showsSimilarTextWithoutClaimingIt();
    void saysNotYetAndNowhere();
    void refusesWhatCannotBeLookedFor();
    void agreesWithEveryRequestSearchedDirectly_data();
    void agreesWithEveryRequestSearchedDirectly();
};

void TestTrace::findsTextsFoldedAndByExpression()
{
    const Needle folded = *Needle::make("ＨＥＲＯＮ straße", NeedleKind::Folded);
    const std::string text = "Der Heron STRASSE é";
    QCOMPARE(folded.find(text), (TextSpan{4, 17}));
    QVERIFY(Needle::make("cafe\u0301", NeedleKind::Folded)->isIn("CAF\u00c9"));
    QVERIFY(!Needle::make("heron")->isIn("HERON"));
    // Places in the folded text are places in the text itself.
    const std::string wide = "日本 ｈｅｒｏｎ!";
    const auto range = Needle::make("heron", NeedleKind::Folded)->find(wide);
    QVERIFY(range);
    QCOMPARE(wide.substr(range->begin, range->end - range->begin), std::string("ｈｅｒｏｎ"));
    const auto match = Needle::make("her.n-\\d+$", NeedleKind::Regex)->find("ü heron-542\nnext");
    QCOMPARE(match, (TextSpan{3, 12}));
    QVERIFY(!Needle::make("x*", NeedleKind::Regex)->find("abc"));
    QCOMPARE(sentenceAround("One. Two is here! Three", {9, 11}), std::string_view("Two is here!"));
    QCOMPARE(lineOf("a\nb\nc", 4), 3);
}

void TestTrace::saysWhichCallLostTheVaultPassphrase()
{
    const Opened opened = openNamed("0.7.7/summarize_chain");
    QVERIFY(opened.thread);
    const Trace trace = tracedText(opened, "heron-542");
    QCOMPARE(trace.calls.size(), std::size_t(21));
    QCOMPARE(kinds(trace.calls[0]), std::vector{TraceKind::NotYet});
    for (std::size_t i = 1; i < 7; ++i)
        QCOMPARE(kinds(trace.calls[i]), std::vector{TraceKind::Verbatim});
    for (std::size_t i = 7; i < 21; ++i) {
        QCOMPARE(kinds(trace.calls[i]), std::vector{TraceKind::Archive});
        QCOMPARE(trace.calls[i].where.front()->section, std::size_t(0));
    }
    QVERIFY(trace.lostAt);
    QCOMPARE(trace.lostAt->call, std::size_t(7));
    QCOMPARE(trace.lostAt->stage, std::string("summarization"));
    QCOMPARE(trace.lostAt->blame, SummaryBlame::SummaryOmits);
    QVERIFY(trace.lostAt->setting.find("keep [\"messages\",6]") != std::string::npos);
    QCOMPARE(trace.calls[7].summarizerSaw, true);
    QCOMPARE(trace.calls[8].summarizerSaw, std::nullopt);
    QVERIFY(trace.recovery);
    QVERIFY(!trace.recovery->checkpointId.empty());
    const std::string read = trace.recovery->readFile();
    QVERIFY(read.starts_with("read_file(file_path=\"/conversation_history/session_"));
    // What read_file would give is the text.
    const auto &files = opened.thread->find("")->checkpoints.back().files;
    const std::string archive = entryBytes(**files.find(trace.recovery->path)).bytes;
    std::size_t at = 0;
    for (std::int64_t line = 0; line < trace.recovery->offset; ++line)
        at = archive.find('\n', at) + 1;
    QVERIFY(archive.substr(at, archive.find('\n', at) - at).find("heron-542") != std::string::npos);
    // A later message that only speaks of it is not what was lost.
    const Trace word = tracedText(opened, "passphrase");
    QVERIFY(!word.losses.empty() && word.losses.back().messageId && word.recovery);
    QCOMPARE(word.recovery->messageId, word.losses.back().messageId);
    QVERIFY(std::any_of(trace.survival.begin(), trace.survival.end(), [](const TermSurvival &row) {
        return row.term.text == "heron-542" && !row.window && row.archive
            && std::none_of(row.summaries.begin(), row.summaries.end(), [](bool held) { return held; });
    }));
}

void TestTrace::namesTheSmallestChangeThatKeepsIt()
{
    const Opened opened = openNamed("0.7.7/summarize_chain");
    const Trace trace = tracedText(opened, "heron-542", NeedleKind::Plain, true);
    const auto kept = std::find_if(trace.keepsIt.begin(), trace.keepsIt.end(),
        [](const KeepsIt &k) { return k.setting == "keep" && k.fromCall == 7; });
    QVERIFY(kept != trace.keepsIt.end());
    QVERIFY(kept->smallest);
    QCOMPARE(kept->from, Value::list({Value("messages"), Value(6)}));
    // The log has 15 messages at this call and the needle is the third.
    QCOMPARE(kept->to, Value::list({Value("messages"), Value(13)}));
    QVERIFY(std::any_of(trace.keepsIt.begin(), trace.keepsIt.end(),
        [](const KeepsIt &k) { return k.setting == "trigger" && k.toCall == 20; }));
}

void TestTrace::followsAMessageById()
{
    const Opened opened = openNamed("0.7.7/summarize_chain");
    const ThreadNamespace &space = *opened.thread->find("");
    const std::string id = *space.checkpoints.back().messages[0]->id;
    const auto query = TraceQuery::message(space, id);
    QVERIFY(query);
    const Trace trace = traced(opened, *query);
    QCOMPARE(words(kinds(trace.calls[6])), std::string("verbatim"));
    QCOMPARE(words(kinds(trace.calls[7])), std::string("archive"));
    QVERIFY(trace.lostAt);
    QCOMPARE(trace.lostAt->messageId, id);
    QVERIFY(!TraceQuery::message(space, "no such message"));
}

void TestTrace::seesWhatReadFileBroughtBack()
{
    const Opened opened = openNamed("0.7.7/tool_offload");
    const Trace shown = tracedText(opened, "000001 alpha");
    QCOMPARE(words(kinds(shown.calls[1])), std::string("stub-preview file"));
    QCOMPARE(words(kinds(shown.calls[2])), std::string("verbatim stub-preview file"));
    QVERIFY(!shown.lostAt);
    QCOMPARE(shown.losses.size(), std::size_t(1));
    QCOMPARE(shown.losses.front().stage, std::string("large-tool-result"));
    QCOMPARE(shown.losses.front().regained, 2);
    QCOMPARE(shown.readBack.at("/large_tool_results/call____1"), std::vector<std::size_t>{2});

    const Trace hidden = tracedText(opened, "000200 alpha");
    QCOMPARE(words(kinds(hidden.calls[3])), std::string("file"));
    QCOMPARE(hidden.calls[3].where.front()->line, 201);
    QVERIFY(hidden.lostAt);
    QCOMPARE(hidden.lostAt->call, std::size_t(1));
    QCOMPARE(hidden.recovery->readFile(),
        std::string("read_file(file_path=\"/large_tool_results/call____1\", offset=200, limit=1)"));
}

void TestTrace::tellsTheStubFromTheMessage()
{
    const Opened opened = openNamed("0.7.7/human_eviction");
    const ThreadNamespace &space = *opened.thread->find("");
    const std::string text = textOf(*space.checkpoints.back().messages[0]);
    const std::string middle = text.substr(text.size() / 2, 30);
    const Trace trace = tracedText(opened, middle.substr(0, middle.find('\n')));
    QVERIFY(!trace.calls[0].has(TraceKind::Verbatim));
    QVERIFY(trace.calls[0].has(TraceKind::File));
    QVERIFY(trace.lostAt);
    QCOMPARE(trace.lostAt->stage, std::string("human-message"));
    QVERIFY(tracedText(opened, "Please study:").calls[0].has(TraceKind::StubPreview));
}

void TestTrace::seesShortenedArgumentsUnderSettings()
{
    const Opened opened = openNamed("0.7.7/truncate_args");
    const ThreadNamespace &space = *opened.thread->find("");
    std::string content;
    for (const MessagePtr &message : space.checkpoints.back().messages)
        for (const ToolCallView &call : toolCalls(*message))
            if (call.name == "write_file")
                content = (*call.args)["content"].asText();
    const Trace trace = tracedText(opened, content.substr(3000, 40), NeedleKind::Plain, true);
    const TracedCall &last = trace.calls.back();
    QCOMPARE(words(kinds(last)), std::string("argument-truncated file"));
    QVERIFY(trace.lostAt);
    QCOMPARE(trace.lostAt->stage, std::string("argument-truncation"));
    QVERIFY(std::any_of(trace.keepsIt.begin(), trace.keepsIt.end(), [&](const KeepsIt &k) {
        return k.setting == "truncate_args" && k.smallest
            && k.to == Value(static_cast<std::int64_t>(text::length(content)));
    }));
}

/// What is called the smallest change is one: a step less does not do.
void TestTrace::smallestChangesAreSmallest()
{
    const Opened opened = openNamed("0.7.7/summarize_tokens");
    const ThreadNamespace &space = *opened.thread->find("");
    const MessagePtr first = space.checkpoints.back().messages[3];
    const Trace trace = tracedText(opened, textOf(*first).substr(0, 60), NeedleKind::Plain, true);
    const ReplayInputPtr input =
        ReplayInput::make(opened.thread, "", threadArtifacts(opened.thread, "", opened.folders));
    const auto seen = [&](const std::string &setting, const Value &value, std::size_t call) {
        Value document = settingsToJson(settingsFor(*opened.settings, "", 1)).with(setting, value);
        const auto replay = Replayer(input).run(*settingsFromJson(document), {}, {});
        const RequestView &view = replay->calls[call].accepted()->request;
        for (std::int64_t at = view.summary ? 1 : 0; at < view.size(); ++at)
            if (view.at(at)->id == first->id)
                return true;
        return false;
    };
    std::size_t tried = 0;
    for (const KeepsIt &kept : trace.keepsIt) {
        if (kept.setting != "keep" && kept.setting != "trigger")
            continue;
        const Value::List pair = kept.to.asList();
        QCOMPARE(pair[0], Value("tokens"));
        QVERIFY(kept.smallest);
        QVERIFY(seen(kept.setting, kept.to, kept.fromCall));
        QVERIFY(!seen(kept.setting, Value::list({pair[0], Value(pair[1].asInt() - 1)}), kept.fromCall));
        ++tried;
    }
    QVERIFY(tried >= 2);
}

void TestTrace::readsArchivesInAFolder()
{
    const Opened opened = openNamed("0.7.7/disk_backend");
    QVERIFY(!opened.folders.empty());
    const Trace trace = tracedText(opened, "Twelve lookups.");
    QVERIFY(trace.lostAt);
    QVERIFY(!trace.calls[trace.lostAt->call - 1].has(TraceKind::Archive));
    QVERIFY(trace.calls[trace.lostAt->call].has(TraceKind::Archive));
    QVERIFY(trace.recovery->path.find("conversation_history") != std::string::npos);
}

void TestTrace::blamesTheTrimmedInput()
{
    Opened opened = openNamed("0.7.7/summarize_chain");
    for (auto &[ns, segments] : opened.settings->namespaces)
        for (SettingsSet::Segment &segment : segments)
            segment.settings.trimTokensToSummarize = 300;
    const Trace trace = tracedText(opened, "heron-542");
    QVERIFY(trace.lostAt);
    QCOMPARE(trace.lostAt->blame, SummaryBlame::Trimmed);
    QCOMPARE(trace.calls[7].summarizerSaw, false);
}

void TestTrace::blamesALaterSummary()
{
    ThreadBuilder builder;
    builder.human("h1", "The door code is 7741.").checkpoint().call();
    builder.ai("a1", "Noted.")
        .human("h2", "Go on.")
        .event(2, "The door code is 7741 and all is well.")
        .checkpoint()
        .call();
    builder.ai("a2", "Going.").human("h3", "More.").event(4, "All is well.").checkpoint().call();
    const Opened opened{builder.build(), std::nullopt, {}};
    const Trace trace = tracedText(opened, "code is 7741");
    QCOMPARE(words(kinds(trace.calls[0])), std::string("verbatim"));
    QCOMPARE(words(kinds(trace.calls[1])), std::string("summary"));
    QCOMPARE(trace.calls[1].where.front()->text, std::string("The door code is 7741 and all is well."));
    QCOMPARE(words(kinds(trace.calls[2])), std::string("nowhere"));
    QVERIFY(trace.lostAt);
    QCOMPARE(trace.lostAt->blame, SummaryBlame::LaterSummaryLost);
    QCOMPARE(trace.losses.size(), std::size_t(1));
}

void TestTrace::showsSimilarTextWithoutClaimingIt()
{
    ThreadBuilder builder;
    builder.human("h1", "Never delete /data/orders.db, Alice needs 30 days of it.").checkpoint().call();
    builder.ai("a1", "Noted.").human("h2", "Go on.");
    builder.event(2, "The user said that /data/orders.db is needed by Alice. Other things happened.")
        .checkpoint()
        .call();
    const Opened opened{builder.build(), std::nullopt, {}};
    const Trace trace = tracedText(opened, "Never delete /data/orders.db, Alice needs 30 days of it.");
    const TracePlace &place = *trace.calls[1].where.front();
    QCOMPARE(place.kind, TraceKind::Similar);
    QCOMPARE(place.text, std::string("The user said that /data/orders.db is needed by Alice."));
    QVERIFY(std::find(place.shared.begin(), place.shared.end(), "/data/orders.db") != place.shared.end());
    QVERIFY(std::find(place.missing.begin(), place.missing.end(), "Never") != place.missing.end());
    QVERIFY(std::find(place.missing.begin(), place.missing.end(), "30") != place.missing.end());
    // The negation and the number are gone: it is a loss.
    QVERIFY(trace.lostAt);
}

void TestTrace::saysNotYetAndNowhere()
{
    const Opened opened = openNamed("0.7.7/plain");
    const Trace never = tracedText(opened, "no such words in it");
    QVERIFY(!never.found);
    QVERIFY(!never.lostAt);
    for (const TracedCall &call : never.calls)
        QCOMPARE(kinds(call), std::vector{TraceKind::NotYet});
    const Trace gone = tracedText(openNamed("0.7.7/archive_failure"), "Eight lookups.");
    QCOMPARE(words(kinds(gone.calls.back())), std::string("nowhere"));
    QVERIFY(gone.recovery && gone.recovery->path.empty() && !gone.recovery->checkpointId.empty());
}

void TestTrace::refusesWhatCannotBeLookedFor()
{
    QVERIFY(!TraceQuery::text(""));
    const auto broken = TraceQuery::text("a(b", NeedleKind::Regex);
    QVERIFY(!broken);
    QCOMPARE(broken.error().code, Error::Code::Invalid);
    const Opened opened = openNamed("0.7.7/plain");
    QVERIFY(!trace(opened.thread, "no such namespace", *TraceQuery::text("a"), {}, {}));
}

void TestTrace::agreesWithEveryRequestSearchedDirectly_data()
{
    QTest::addColumn<QString>("name");
    for (const recordings::Recording &recording : recordings::all())
        QTest::newRow(recording.name.c_str()) << QString::fromStdString(recording.name);
}

void TestTrace::agreesWithEveryRequestSearchedDirectly()
{
    QFETCH(QString, name);
    const std::string wanted = name.toStdString();
    const bool langchain = wanted.find("langchain") != std::string::npos;
    const Opened opened = openNamed(wanted, !langchain);
    for (const ThreadNamespace &space : opened.thread->namespaces) {
        RecordedRequests requests(opened.thread, space, opened.settings);
        std::vector<MessageLog> received;
        for (const Call &call : space.calls)
            received.push_back(requests.at(call).messages);
        for (const std::string &needle : sampledNeedles(space)) {
            const Trace trace = traced(opened, *TraceQuery::text(needle), false, space.name);
            for (std::size_t i = 0; i < received.size(); ++i) {
                bool verbatim = false;
                bool summary = false;
                for (const MessagePtr &message : received[i]) {
                    if (!holds(*message, needle))
                        continue;
                    if (isSummary(*message))
                        summary = true;
                    else if (!stubLink(textOf(*message)))
                        verbatim = true;
                }
                const std::string where =
                    wanted + " \"" + needle + "\" call " + std::to_string(i + 1) + ": " + words(kinds(trace.calls[i]));
                QVERIFY2(trace.calls[i].has(TraceKind::Summary) == summary, where.c_str());
                // A stub's own sentence counts as well.
                if (verbatim || !trace.calls[i].has(TraceKind::StubPreview))
                    QVERIFY2(!verbatim || trace.calls[i].has(TraceKind::Verbatim), where.c_str());
                if (trace.calls[i].has(TraceKind::Verbatim))
                    QVERIFY2(std::any_of(received[i].begin(), received[i].end(),
                                 [&](const MessagePtr &message) { return holds(*message, needle); }),
                        where.c_str());
                QVERIFY2(std::is_sorted(trace.calls[i].where.begin(), trace.calls[i].where.end(),
                             [](const auto &a, const auto &b) { return a->kind < b->kind; }),
                    where.c_str());
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestTrace)
#include "tst_trace.moc"
