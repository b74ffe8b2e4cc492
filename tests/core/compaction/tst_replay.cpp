// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replay.h"
#include "core/compaction/replayviews.h"
#include "core/compaction/stages/cutoff.h"
#include "core/tokens/approximate.h"
#include "tests/support/conversation.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

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
    void anyEventCanBeApplied();
    void usageScalesWithTheRequest();
    void refusalsAndWindows();
    void segmentsChangeTheRules();
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
                RC_ASSERT(a.clause == b->clause);
                RC_ASSERT(a.stateCutoffIndex == b->stateCutoffIndex);
                RC_ASSERT(a.attempts.size() == b->attempts.size());
            }
        }
    }));
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
    QCOMPARE(refused->calls[5].result.attempts.size(), std::size_t(2));
    QVERIFY(refused->calls[5].result.attempts[0].outcome == PipelineAttempt::Outcome::ContextOverflow);
    QCOMPARE(refused->calls[5].result.clause, std::string("context overflow"));
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
