// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replay.h"
#include "core/compaction/replayviews.h"
#include "core/compaction/stages/cutoff.h"
#include "core/compaction/stages/preview.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/tokens/approximate.h"
#include "tests/support/conversation.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

using namespace palimpsest;

namespace {

using Kind = ContextSize::Kind;

SettingsSet setOf(Settings settings)
{
    SettingsSet set;
    set.namespaces[""] = {{1, std::move(settings)}};
    return set;
}

ContextSize anySize(std::int64_t messages, std::int64_t tokens, bool profile)
{
    const int kind = *rc::gen::inRange(0, profile ? 3 : 2);
    if (kind == 0)
        return {Kind::Messages, static_cast<double>(*rc::gen::inRange<std::int64_t>(1, messages))};
    if (kind == 1)
        return {Kind::Tokens, static_cast<double>(*rc::gen::inRange<std::int64_t>(1, tokens))};
    return {Kind::Fraction, *rc::gen::inRange(1, 100) / 100.0};
}

Settings anySettings()
{
    Settings settings;
    settings.dialect = knownDialects()[*rc::gen::inRange<std::size_t>(0, 2)].name;
    if (*rc::gen::arbitrary<bool>())
        settings.model.maxInputTokens = *rc::gen::inRange(1500, 20000);
    const bool profile = settings.model.maxInputTokens.has_value();
    settings.model.provider = "openai";
    Trigger trigger;
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
        TriggerClause clause{anySize(30, 4000, profile)};
        if (*rc::gen::arbitrary<bool>())
            clause.push_back(anySize(30, 4000, profile));
        trigger.push_back(std::move(clause));
    }
    settings.trigger = std::move(trigger);
    settings.keep = anySize(12, 2000, profile);
    if (*rc::gen::arbitrary<bool>())
        settings.truncateArgs = TruncateArgsSettings{anySize(10, 2000, profile), anySize(10, 2000, profile), 200, "…"};
    settings.usage = *rc::gen::element(Settings::Usage::Keep, Settings::Usage::Scale, Settings::Usage::Ignore);
    settings.toolTokenLimitBeforeEvict = *rc::gen::element<std::int64_t>(60, 20000);
    settings.humanMessageTokenLimitBeforeEvict = *rc::gen::element<std::int64_t>(10, 50000);
    settings.systemMessage = *rc::gen::inRange<std::int64_t>(0, 100);
    return settings;
}

std::vector<MessagePtr> anyConversation()
{
    threadbuilder::Shape shape;
    shape.turns = *rc::gen::inRange(1, 4);
    shape.callsPerTurn = *rc::gen::inRange(0, 8);
    shape.textSize = *rc::gen::inRange(1, 160);
    shape.writes = *rc::gen::inRange(0, 4);
    shape.reports = *rc::gen::arbitrary<bool>();
    return threadbuilder::conversation(shape, *rc::gen::arbitrary<std::uint64_t>());
}

/// Runs and fails the property when the run does.
Replay replayed(const ThreadPtr &thread, const Settings &settings, SummarySource summaries = SummarySource::Recorded)
{
    Replayer replayer(ReplayInput::make(thread, ""));
    ReplayOptions options;
    options.summaries = summaries;
    auto replay = replayer.run(setOf(settings), options);
    RC_ASSERT(replay.has_value());
    return std::move(*replay);
}

bool check(const char *what, const std::function<void()> &property)
{
    return rc::check(what, property);
}

} // namespace

class TestReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAsTheCounterDoes();
    void cutoffsKeepCallsAndResultsTogether();
    void recordedSettingsAreAFixedPoint();
    void aSecondRunGivesTheSame();
    void totalsAreTheSumsOfARun();
    void totalsFromManyThreads();
    void anyEventCanBeApplied();
    void usageScalesWithTheRequest();
    void refusalsAndWindows();
    void segmentsChangeTheRules();
    void segmentsCountInTheirOwnWay();
    void fixedSummariesNeedTheirText();
    void aMissingOriginalMakesTheReplayUncertain();
    void aForeignThreadClaimsNoFidelity_data();
    void aForeignThreadClaimsNoFidelity();
    void everyMessageGetsADecision();
    void binaryContentMovesToBlobs();
    void aFailedCallLosesItsTag();
    void compactionsAreHonoured();
};

void TestReplay::countsAsTheCounterDoes()
{
    // Prefix sums, forms and scaling give what LangChain's counter gives for the plain list.
    QVERIFY(check("counts", [] {
        const std::vector<MessagePtr> messages = anyConversation();
        const TruncateArgsSettings truncation{std::nullopt, {Kind::Messages, 0}, 100, "[cut]"};
        const double chars = *rc::gen::element(4.0, 3.3, 2.5);
        RequestView view = viewOf(messages, {chars, true}, truncation);
        view.first = *rc::gen::inRange<std::int64_t>(0, view.end + 1);
        view.end = *rc::gen::inRange<std::int64_t>(view.first, view.end + 1);
        view.truncatedUntil = *rc::gen::inRange<std::int64_t>(0, view.end + 1);
        view.reasoningFrom = *rc::gen::inRange<std::int64_t>(0, view.end + 1);
        if (*rc::gen::arbitrary<bool>()) {
            view.summary = threadbuilder::human("a summary", "s");
            view.summaryTokens = *messageTokens(*view.summary, chars);
        }
        const MessagePtr system = threadbuilder::human("stands for a system message", "y");
        const Value tools = Value::list({Value::map({{"name", Value("lookup")}, {"description", Value("é")}})});
        RequestBase base;
        std::vector<MessagePtr> list = view.messages();
        const bool withBase = *rc::gen::arbitrary<bool>();
        if (withBase) {
            base = {toolTokens(tools, chars), *messageTokens(*system, chars), true};
            list.insert(list.begin(), system);
        }
        ApproximateOptions options;
        options.charsPerToken = chars;
        options.useUsageMetadataScaling = true;
        const auto counted = countTokensApproximately(list, options, withBase ? tools : Value());
        RC_ASSERT(counted.has_value());
        RC_ASSERT(view.count(base) == *counted);
    }));
}

void TestReplay::cutoffsKeepCallsAndResultsTogether()
{
    QVERIFY(check("cutoffs", [] {
        const std::vector<MessagePtr> messages = anyConversation();
        CompactionRules rules;
        rules.keep = anySize(12, 2000, false);
        const RequestView view = viewOf(messages, rules.counter);
        const std::int64_t cutoff = determineCutoffIndex(view, rules);
        RC_ASSERT(cutoff >= 0 && cutoff <= view.size());
        std::set<std::string> asked;
        for (std::int64_t i = cutoff; i < view.size(); ++i) {
            for (const ToolCallView &call : toolCalls(*view.at(i)))
                asked.insert(std::string(call.id));
            if (view.isTool(i))
                RC_ASSERT(asked.count(*view.at(i)->toolCallId) == 1U);
        }
    }));
}

void TestReplay::recordedSettingsAreAFixedPoint()
{
    QVERIFY(check("fixed point", [] {
        Settings settings = anySettings();
        settings.toolTokenLimitBeforeEvict = 20000; // a moved result would stand in the log as its stub
        settings.humanMessageTokenLimitBeforeEvict = 50000;
        settings.usage = Settings::Usage::Keep; // what was recorded is kept, as a verify run does
        const std::vector<MessagePtr> messages = anyConversation();
        const Replay first = replayed(threadbuilder::thread(messages), settings, SummarySource::Extractive);
        for (const ReplayedCall &call : first.calls)
            RC_PRE((call.accepted() != nullptr));
        std::vector<EventPtr> events;
        for (const ReplayedCall &call : first.calls)
            events.push_back(call.event);
        const Replay again = replayed(threadbuilder::thread(messages, events), settings);
        if (again.verification.firstDifference)
            RC_FAIL(again.verification.firstDifference->what + ": " + again.verification.firstDifference->why);
        RC_ASSERT(again.verification.calls == static_cast<std::int64_t>(again.calls.size()));
        for (std::size_t i = 0; i < first.calls.size(); ++i) {
            RC_ASSERT(first.calls[i].result.counted == again.calls[i].result.counted);
            RC_ASSERT(first.calls[i].accepted()->request.messages().size()
                == again.calls[i].accepted()->request.messages().size());
        }
    }));
}

void TestReplay::aSecondRunGivesTheSame()
{
    QVERIFY(check("same", [] {
        const Settings settings = anySettings();
        const Settings other = anySettings();
        Replayer replayer(ReplayInput::make(threadbuilder::thread(anyConversation()), ""));
        const auto first = replayer.run(setOf(settings), {});
        (void)replayer.run(setOf(other), {});
        ReplayOptions quick;
        quick.texts = false;
        const auto second = replayer.run(setOf(settings), {});
        const auto third = replayer.run(setOf(settings), quick);
        RC_ASSERT(first && second && third);
        for (std::size_t i = 0; i < first->calls.size(); ++i) {
            const PipelineResult &a = first->calls[i].result;
            for (const PipelineResult *b : {&second->calls[i].result, &third->calls[i].result}) {
                RC_ASSERT(a.counted == b->counted);
                RC_ASSERT(a.details().clause == b->details().clause);
                RC_ASSERT(a.details().stateCutoffIndex == b->details().stateCutoffIndex);
                RC_ASSERT(a.attempts().size() == b->attempts().size());
            }
        }
    }));
}

void TestReplay::totalsAreTheSumsOfARun()
{
    QVERIFY(check("totals", [] {
        const SettingsSet settings = setOf(anySettings());
        const Replayer replayer(ReplayInput::make(threadbuilder::thread(anyConversation()), ""));
        const auto replay = replayer.run(settings, {});
        std::vector<std::int64_t> counted;
        const auto totals =
            replayer.totals(settings, {}, [&](const ReplayedCall &call) { counted.push_back(call.result.counted); });
        RC_ASSERT(replay.has_value() && totals.has_value());
        ReplayTotals expected;
        for (std::size_t i = 0; i < replay->calls.size(); ++i) {
            expected.add(replay->calls[i]);
            RC_ASSERT(counted[i] == replay->calls[i].result.counted);
        }
        RC_ASSERT(totals->calls == expected.calls);
        RC_ASSERT(totals->attempts == expected.attempts);
        RC_ASSERT(totals->events == expected.events);
        RC_ASSERT(totals->summaries == expected.summaries);
        RC_ASSERT(totals->tokensSent == expected.tokensSent);
        RC_ASSERT(totals->peakTokens == expected.peakTokens);
        RC_ASSERT(totals->tokensKeptAtEnd == expected.tokensKeptAtEnd);
        std::int64_t prompts = 0;
        for (const ReplayedCall &call : replay->calls) {
            for (const std::string &prompt : call.result.details().summaryPrompts)
                prompts += *messageTokens(*threadbuilder::human(prompt, "p"), 4.0);
        }
        RC_ASSERT(totals->summaryTokens == prompts);
        RC_ASSERT(totals->lastRequest.has_value() == expected.lastRequest.has_value());
        if (totals->lastRequest) {
            const auto mine = totals->lastRequest->messages();
            const auto theirs = expected.lastRequest->messages();
            RC_ASSERT(mine.size() == theirs.size());
            for (std::size_t i = 0; i < mine.size(); ++i)
                RC_ASSERT(*mine[i] == *theirs[i]);
        }
    }));
}

void TestReplay::totalsFromManyThreads()
{
    threadbuilder::Shape shape;
    shape.turns = 10;
    shape.reports = true;
    shape.writes = 2;
    const Replayer replayer(ReplayInput::make(threadbuilder::thread(threadbuilder::conversation(shape, 5)), ""));
    std::vector<SettingsSet> settings;
    for (int i = 0; i < 40; ++i) {
        Settings one;
        one.trigger = Trigger{{{Kind::Messages, static_cast<double>(4 + i % 20)}}};
        one.keep = {Kind::Messages, 3};
        // Every fourth counts otherwise, so that logs are prepared while others run.
        if (i % 4 == 0)
            one.charsPerToken = 2.0 + i;
        settings.push_back(setOf(one));
    }
    std::vector<std::int64_t> alone;
    for (const SettingsSet &one : settings)
        alone.push_back(Replayer(replayer.input()).totals(one, {})->tokensSent);
    std::vector<std::int64_t> together(settings.size());
    std::vector<std::thread> workers;
    for (std::size_t w = 0; w < 4; ++w) {
        workers.emplace_back([&, w] {
            for (std::size_t i = w; i < settings.size(); i += 4)
                together[i] = replayer.totals(settings[i], {})->tokensSent;
        });
    }
    for (std::thread &worker : workers)
        worker.join();
    QCOMPARE(together, alone);
}

void TestReplay::anyEventCanBeApplied()
{
    QVERIFY(check("events", [] {
        const std::vector<MessagePtr> messages = anyConversation();
        auto event = std::make_shared<SummarizationEvent>();
        event->cutoffIndex = *rc::gen::inRange<std::int64_t>(-50, 200);
        event->summaryMessage = threadbuilder::human("s", "s");
        if (*rc::gen::arbitrary<bool>())
            event->createdAtIndex = *rc::gen::inRange<std::int64_t>(-50, 200);
        event->raw =
            Value::map({{"cutoff_index", Value(event->cutoffIndex)}, {"summary_message", Value(Value::Map{})}});
        const Dialect &dialect = knownDialects()[*rc::gen::inRange<std::size_t>(0, 3)];
        const RequestView all = viewOf(messages, {});
        CompactionRules rules;
        rules.dialect = dialect;
        const RequestView view = effectiveView(all.log, all.size(), stateOf(event, rules), dialect);
        RC_ASSERT(view.messages().size() == static_cast<std::size_t>(view.size()));
        RC_ASSERT(view.count() >= 0);
        (void)replayed(threadbuilder::thread(messages, {event}), anySettings());
    }));
}

void TestReplay::usageScalesWithTheRequest()
{
    // Two messages are kept instead of all: what the answers report shrinks with the requests.
    threadbuilder::Shape shape;
    shape.reports = true;
    const auto thread = threadbuilder::thread(threadbuilder::conversation(shape, 7));
    Settings settings;
    settings.model.provider = "openai";
    settings.trigger = Trigger{{{Kind::Messages, 4}}};
    settings.keep = {Kind::Messages, 2};
    settings.usage = Settings::Usage::Scale;
    Replayer replayer(ReplayInput::make(thread, ""));
    const auto scaled = replayer.run(setOf(settings), {});
    settings.usage = Settings::Usage::Keep;
    const auto kept = replayer.run(setOf(settings), {});
    settings.usage = Settings::Usage::Ignore;
    const auto ignored = replayer.run(setOf(settings), {});
    QVERIFY(scaled && kept && ignored);
    const ReplayedCall &last = scaled->calls.back();
    QVERIFY(last.result.reported.has_value());
    QVERIFY(*last.result.reported < *kept->calls.back().result.reported);
    QVERIFY(!ignored->calls.back().result.reported);
    // Floor of reported × counted(what-if request) / counted(recorded request).
    const std::size_t before = scaled->calls.size() - 2;
    const auto &input = *scaled->input;
    const std::int64_t place = input.calls()[before].answerPlace;
    const RequestView recorded = viewOf(std::vector<MessagePtr>(thread->namespaces[0].calls[before].log.begin(),
                                            thread->namespaces[0].calls[before].log.end()),
        {});
    const std::int64_t reported =
        reportedTotalTokens(*input.tracks()[0].messages[static_cast<std::size_t>(place)].message).value_or(0);
    QCOMPARE(*last.result.reported, reported * scaled->calls[before].accepted()->tokens / recorded.countUnscaled());
}

void TestReplay::refusalsAndWindows()
{
    const auto thread = threadbuilder::thread(threadbuilder::conversation({}, 3));
    Settings settings;
    settings.trigger = Trigger{};
    settings.keep = {Kind::Messages, 2};
    settings.refusedCalls["task5"] = 1;
    Replayer replayer(ReplayInput::make(thread, ""));
    const auto refused = replayer.run(setOf(settings), {});
    QVERIFY(refused.has_value());
    QCOMPARE(refused->calls[5].result.attempts().size(), std::size_t(2));
    QVERIFY(refused->calls[5].result.attempts()[0].outcome == PipelineAttempt::Outcome::ContextOverflow);
    QCOMPARE(refused->calls[5].result.details().clause, std::string("context overflow"));
    QVERIFY(refused->calls[5].event != nullptr);
    QVERIFY(refused->calls[4].event == nullptr);

    settings.refusedCalls.clear();
    settings.window = 600;
    const auto windowed = replayer.run(setOf(settings), {});
    QVERIFY(windowed.has_value());
    bool any = false;
    for (const ReplayedCall &call : windowed->calls) {
        if (const PipelineAttempt *accepted = call.accepted())
            QVERIFY(accepted->tokens <= 600);
        any = any || call.event;
    }
    QVERIFY(any);

    settings.window.reset();
    settings.artifactsFail = true;
    settings.trigger = Trigger{{{Kind::Messages, 8}}};
    const auto failing = replayer.run(setOf(settings), {});
    QVERIFY(failing.has_value());
    const auto event = std::find_if(
        failing->calls.begin(), failing->calls.end(), [](const ReplayedCall &call) { return call.event != nullptr; });
    QVERIFY(event != failing->calls.end());
    QVERIFY(!event->event->filePath);
    QVERIFY(std::any_of(failing->findings.begin(), failing->findings.end(),
        [](const Finding &finding) { return finding.rule == "archive-failed"; }));
}

void TestReplay::segmentsChangeTheRules()
{
    const auto thread = threadbuilder::thread(threadbuilder::conversation({}, 3));
    Settings never;
    never.trigger = Trigger{};
    Settings eager;
    eager.trigger = Trigger{{{Kind::Messages, 3}}};
    eager.keep = {Kind::Messages, 2};
    SettingsSet set;
    set.namespaces[""] = {{1, never}, {6, eager}};
    Replayer replayer(ReplayInput::make(thread, ""));
    const auto replay = replayer.run(set, {});
    QVERIFY(replay.has_value());
    for (std::size_t i = 0; i < replay->calls.size(); ++i) {
        if (i < 5)
            QVERIFY(!replay->calls[i].result.summarize);
    }
    QVERIFY(replay->calls[5].result.summarize);
}

void TestReplay::segmentsCountInTheirOwnWay()
{
    threadbuilder::Shape shape;
    shape.writes = 1;
    const auto thread = threadbuilder::thread(threadbuilder::conversation(shape, 3));
    Settings coarse;
    coarse.trigger = Trigger{{{Kind::Messages, 5}}};
    coarse.keep = {Kind::Messages, 3};
    Settings fine = coarse;
    fine.charsPerToken = 2.0;
    fine.truncateArgs = TruncateArgsSettings{ContextSize{Kind::Messages, 1}, {Kind::Messages, 1}, 50, "[cut]"};
    SettingsSet set;
    set.namespaces[""] = {{1, coarse}, {6, fine}};
    const Replayer replayer(ReplayInput::make(thread, ""));
    const auto replay = replayer.run(set, {});
    const auto alone = replayer.run(setOf(fine), {});
    QVERIFY(replay.has_value() && alone.has_value());
    bool truncated = false;
    for (std::size_t i = 0; i < replay->calls.size(); ++i) {
        const PipelineAttempt *accepted = replay->calls[i].accepted();
        QVERIFY(accepted != nullptr);
        const double chars = i < 5 ? 4.0 : 2.0;
        std::int64_t tokens = 0;
        for (const MessagePtr &message : accepted->request.messages())
            tokens += *messageTokens(*message, chars);
        QCOMPARE(accepted->tokens, tokens);
        truncated = truncated || (i >= 5 && replay->calls[i].result.truncated);
        QVERIFY(i >= 5 || !replay->calls[i].result.truncated);
    }
    QVERIFY(truncated);
}

void TestReplay::fixedSummariesNeedTheirText()
{
    const Replayer replayer(ReplayInput::make(threadbuilder::thread(threadbuilder::conversation({}, 3)), ""));
    Settings settings;
    ReplayOptions options;
    options.summaries = SummarySource::Fixed;
    const auto refused = replayer.run(setOf(settings), options);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().where, std::string("summary_text"));
    settings.summaryText = " Mine.\n";
    settings.trigger = Trigger{{{Kind::Messages, 5}}};
    settings.keep = {Kind::Messages, 3};
    const auto summaries = [&](bool whole) {
        std::set<std::string> texts;
        const auto note = [&](const ReplayedCall &call) {
            if (call.event)
                texts.insert(summaryTextOf(*call.event->summaryMessage));
        };
        if (!whole) {
            const auto totals = replayer.totals(setOf(settings), options, note);
            return totals ? texts : std::set<std::string>();
        }
        const auto replay = replayer.run(setOf(settings), options);
        if (replay)
            std::for_each(replay->calls.begin(), replay->calls.end(), note);
        return texts;
    };
    for (const bool whole : {true, false}) {
        settings.trimTokensToSummarize.reset();
        QCOMPARE(summaries(whole), std::set<std::string>{"Mine."}); // stripped, as a model's answer is
        // Where trimming leaves nothing, upstream asks no model.
        settings.trimTokensToSummarize = 1;
        QCOMPARE(summaries(whole), std::set<std::string>{std::string(tooLongToSummarize)});
    }
}

void TestReplay::aMissingOriginalMakesTheReplayUncertain()
{
    using namespace threadbuilder;
    const Dialect &dialect = knownDialects().front();
    const std::string path = "/large_tool_results/a0.0";
    const std::vector<MessagePtr> messages{human("one", "h0"), ai("", "a0", {{"lookup", Value(Value::Map{})}}),
        tool(largeToolResultStub(dialect, "a0.0", path, std::string(5000, 'x')), "t0", "a0.0", "lookup"),
        ai("done", "a1")};
    const ReplayInputPtr gone = ReplayInput::make(threadbuilder::thread(messages), "");
    const auto uncertain = Replayer(gone).run(setOf({}), {});
    QVERIFY(uncertain.has_value());
    QVERIFY(uncertain->calls[0].certainty == Certainty::DerivedAssumingSettings);
    QVERIFY(uncertain->calls[1].certainty == Certainty::Uncertain);
    const auto finding = std::find_if(uncertain->findings.begin(), uncertain->findings.end(),
        [](const Finding &one) { return one.rule == "original-missing"; });
    QVERIFY(finding != uncertain->findings.end());
    QCOMPARE(finding->path, std::optional(path));
    QCOMPARE(textOf(*uncertain->calls[1].accepted()->request.at(2)), textOf(*messages[2]));

    // With its artifact there the original takes part again.
    const ReplayInputPtr there =
        ReplayInput::make(threadbuilder::thread(messages), "", [&](const std::string &asked, CheckpointIndex) {
            return asked == path ? std::optional(std::string(5000, 'x')) : std::nullopt;
        });
    const auto restored = Replayer(there).run(setOf({}), {});
    QVERIFY(restored.has_value());
    QVERIFY(restored->calls[1].certainty == Certainty::DerivedAssumingSettings);
    QCOMPARE(textOf(*restored->calls[1].accepted()->request.at(2)), std::string(5000, 'x'));
}

void TestReplay::aForeignThreadClaimsNoFidelity_data()
{
    QTest::addColumn<QString>("trait");
    for (const char *trait : {"language", "channel", "member", "wording"})
        QTest::newRow(trait) << QString::fromLatin1(trait);
}

void TestReplay::aForeignThreadClaimsNoFidelity()
{
    QFETCH(QString, trait);
    auto event = std::make_shared<SummarizationEvent>();
    event->cutoffIndex = 2;
    event->summaryMessage = summaryMessage("Before.", std::nullopt);
    if (trait == QLatin1String("wording"))
        event->summaryMessage = threadbuilder::human("Previously: before.", "s");
    Value::Map raw{{Value("cutoff_index"), Value(2)}, {Value("file_path"), Value()}};
    if (trait == QLatin1String("member"))
        raw.emplace_back(Value("strategy"), Value("rolling"));
    event->raw = Value(std::move(raw));
    auto thread =
        std::make_shared<Thread>(*threadbuilder::thread(threadbuilder::conversation({}, 3), {nullptr, event}));
    const auto known = std::make_shared<Thread>(*thread);
    if (trait == QLatin1String("language"))
        thread->language = "js";
    if (trait == QLatin1String("channel"))
        thread->namespaces[0].messagesChannel = "history";
    const auto replay = Replayer(ReplayInput::make(thread, "")).run(setOf({}), {});
    QVERIFY(replay.has_value());
    QVERIFY(!replay->claimsFidelity);
    QCOMPARE(replay->calls.size(), thread->namespaces[0].calls.size());
    const auto finding = std::find_if(replay->findings.begin(), replay->findings.end(),
        [](const Finding &one) { return one.rule == "foreign-dialect"; });
    QVERIFY(finding != replay->findings.end());
    QVERIFY(finding->message.find("deepagents-0.7.7") != std::string::npos);
    if (trait == QLatin1String("language") || trait == QLatin1String("channel"))
        QVERIFY(Replayer(ReplayInput::make(known, "")).run(setOf({}), {})->claimsFidelity);
}

void TestReplay::everyMessageGetsADecision()
{
    using namespace threadbuilder;
    const std::vector<MessagePtr> messages{human("short", "h0"), ai("", "a0", {{"lookup", Value(Value::Map{})}}),
        tool(std::string(900, 'x'), "t0", "a0.0", "lookup"), ai("", "a1", {{"ls", Value(Value::Map{})}}),
        tool(std::string(900, 'x'), "t1", "a1.0", "ls"), ai("", "a2", {{"lookup", Value(Value::Map{})}}),
        tool("small", "t2", "a2.0", "lookup"), human(std::string(700, 'y'), "h1"), human("last", "h2"),
        ai("end", "a3")};
    Settings settings;
    settings.toolTokenLimitBeforeEvict = 200;
    settings.humanMessageTokenLimitBeforeEvict = 100;
    ReplayOptions options;
    const Replayer replayer(ReplayInput::make(threadbuilder::thread(messages), ""));
    QCOMPARE(replayer.run(setOf(settings), options)->decisions.size(), std::size_t(3));
    options.everyDecision = true;
    const auto replay = replayer.run(setOf(settings), options);
    QVERIFY(replay.has_value());
    using Outcome = MessageDecision::Outcome;
    std::map<std::int64_t, Outcome> outcomes;
    for (const MessageDecision &decision : replay->decisions) {
        outcomes[*decision.index] = decision.outcome;
        if (decision.outcome != Outcome::Excluded)
            QCOMPARE(*decision.threshold, decision.stage == "human-message" ? 400 : 800);
    }
    QVERIFY((outcomes
        == std::map<std::int64_t, Outcome>{{0, Outcome::Kept}, {2, Outcome::Offloaded}, {4, Outcome::Excluded},
            {6, Outcome::Kept}, {7, Outcome::Kept}, {8, Outcome::Kept}}));
}

void TestReplay::binaryContentMovesToBlobs()
{
    using namespace threadbuilder;
    auto picture = std::make_shared<Message>(*human("", "h0"));
    picture->content = Value::list(
        {Value::map({{"type", Value("image")}, {"base64", Value("aGVsbG8=")}, {"mime_type", Value("image/png")}})});
    const auto thread = threadbuilder::thread({picture, ai("seen", "a0"), human("more", "h1"), ai("done", "a1")});
    Settings settings;
    settings.dialect = "deepagents-0.7.32";
    settings.artifactsRoot = "/store";
    settings.offloadBinaryContent = true;
    const auto replay = Replayer(ReplayInput::make(thread, "")).run(setOf(settings), {});
    QVERIFY(replay.has_value());
    // sha256 of "hello"
    const std::string path = "/store/blobs/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    QVERIFY(replay->files.count(path) == 1);
    QVERIFY(replay->calls[1].accepted()->request.at(0)->content == picture->content);
    QVERIFY(std::any_of(replay->decisions.begin(), replay->decisions.end(), [&](const MessageDecision &decision) {
        return decision.stage == "blob-offload" && decision.path == path
            && decision.outcome == MessageDecision::Outcome::Offloaded;
    }));
    settings.dialect = "deepagents-0.7.7";
    const auto older = Replayer(ReplayInput::make(thread, "")).run(setOf(settings), {});
    QVERIFY(older.has_value());
    QVERIFY(older->files.count(path) == 0);
    QVERIFY(!older->notices.empty());
}

void TestReplay::aFailedCallLosesItsTag()
{
    using namespace threadbuilder;
    const std::string big(5000, 'x');
    auto thread = std::make_shared<Thread>(
        *threadbuilder::thread({human(big, "h0"), ai("one", "a0"), human("again", "h1"), ai("two", "a1")}));
    Settings settings;
    settings.humanMessageTokenLimitBeforeEvict = 100;
    const auto firstMessage = [&](std::size_t call) {
        const auto replay = Replayer(ReplayInput::make(thread, "")).run(setOf(settings), {});
        return textOf(*replay->calls[call].result.attempts().front().request.at(0));
    };
    // Answered, the call keeps the tag for those after it.
    QVERIFY(firstMessage(0).starts_with("Message content too large"));
    QCOMPARE(firstMessage(1), firstMessage(0));
    // Failed, it had a stub all the same, and the next call finds the message whole.
    Call &failed = thread->namespaces[0].calls[0];
    failed.outcome = Call::Outcome::Error;
    failed.error = "ValueError('no')";
    failed.answers.clear();
    QVERIFY(firstMessage(0).starts_with("Message content too large"));
    QCOMPARE(firstMessage(1), big);
}

void TestReplay::compactionsAreHonoured()
{
    using namespace threadbuilder;
    std::vector<MessagePtr> messages{human("one", "h0"), ai("a", "a0"), human("two", "h1"), ai("b", "a1"),
        human("three", "h2"), ai("", "a2", {{"compact_conversation", Value(Value::Map{})}}),
        tool("Nothing to compact yet", "t0", "a2.0", "compact_conversation"), ai("c", "a3")};
    const auto made = threadbuilder::thread(messages);
    Settings settings;
    settings.compactTool = true;
    settings.trigger = Trigger{{{Kind::Messages, 10}}};
    settings.keep = {Kind::Messages, 2};
    Replayer replayer(ReplayInput::make(made, ""));
    const auto replay = replayer.run(setOf(settings), {});
    QVERIFY(replay.has_value());
    const ReplayedCall &last = replay->calls.back();
    QCOMPARE(last.compactions.size(), std::size_t(1));
    QVERIFY(last.compactions[0].result.event != nullptr);
    QCOMPARE(last.compactions[0].result.text,
        std::string("Conversation compacted. Summarized 4 messages into a concise summary."));
    const std::vector<MessagePtr> request = last.accepted()->request.messages();
    QCOMPARE(request.size(), std::size_t(4)); // summary, "three", the call, its answer
    QCOMPARE(textOf(*request.back()), last.compactions[0].result.text);

    settings.trigger = Trigger{{{Kind::Messages, 100}}};
    const auto early = replayer.run(setOf(settings), {});
    QVERIFY(early->calls.back().compactions[0].result.event == nullptr);
    QCOMPARE(early->calls.back().accepted()->request.messages().size(), std::size_t(7));
}

QTEST_APPLESS_MAIN(TestReplay)
#include "tst_replay.moc"
