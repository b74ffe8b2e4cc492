// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/settings.h"
#include "models/timelinedata.h"

#include <QElapsedTimer>
#include <QTest>
#include <rapidcheck.h>

using namespace palimpsest;

namespace {

MessagePtr make(MessageKind kind, const std::string &id, std::string text)
{
    auto message = std::make_shared<Message>();
    message->kind = kind;
    message->type = typeName(kind);
    message->id = id;
    message->content = Value(std::move(text));
    return message;
}

MessagePtr makeCall(const std::string &id, const std::string &tool)
{
    auto message = std::make_shared<Message>(*make(MessageKind::Ai, id, "calling"));
    message->toolCalls = Value::list({Value::map({{"name", Value(tool)}, {"args", Value(Value::Map{})},
        {"id", Value("c-" + id)}, {"type", Value("tool_call")}})});
    return message;
}

MessagePtr makeSummary(const std::string &id)
{
    auto message = std::make_shared<Message>(*make(MessageKind::Human, id, "summary of it"));
    message->additionalKwargs = Value::map({{"lc_source", Value("summarization")}});
    return message;
}

std::int64_t lengthOf(const Message &message)
{
    return static_cast<std::int64_t>(textOf(message).size());
}

TimelineOptions byLength(std::int64_t toolsAndSystem = 0)
{
    return {lengthOf, toolsAndSystem, {}};
}

std::shared_ptr<Thread> threadOf(ThreadNamespace space)
{
    auto thread = std::make_shared<Thread>();
    thread->namespaces.push_back(std::move(space));
    return thread;
}

Checkpoint checkpointOf(std::int64_t index, MessageLog log, EventPtr event = {})
{
    Checkpoint checkpoint;
    checkpoint.id = "c" + std::to_string(index);
    checkpoint.parent = CheckpointIndex(index - 1);
    checkpoint.messages = std::move(log);
    checkpoint.event = std::move(event);
    return checkpoint;
}

/// `calls` calls, each an AI message with a tool call and its result; an event at every tenth call that keeps two
/// messages.
std::shared_ptr<Thread> longThread(int calls)
{
    ThreadNamespace space;
    MessageLog log;
    log = log.push_back(make(MessageKind::Human, "h", "start here"));
    EventPtr event;
    for (int i = 0; i < calls; ++i) {
        const CheckpointIndex here(space.checkpoints.size());
        space.checkpoints.push_back(checkpointOf(here.value, log, event));
        if (i > 0)
            space.checkpoints[here.at() - 1].children.push_back(here);
        Call call;
        call.number = CallNumber(i + 1);
        call.checkpoint = here;
        call.log = log;
        if (i % 10 == 9) {
            auto made = std::make_shared<SummarizationEvent>();
            made->cutoffIndex = static_cast<std::int64_t>(log.size()) - 2;
            made->summaryMessage = makeSummary("s" + std::to_string(i));
            made->raw = Value::map({{"cutoff_index", Value(made->cutoffIndex)}});
            event = made;
            call.eventFrom = Call::EventFrom::ThisCall;
            space.eventCheckpoints.push_back(here + 1);
        } else if (event) {
            call.eventFrom = Call::EventFrom::Checkpoint;
        }
        call.event = event;
        call.answers = {makeCall("a" + std::to_string(i), "lookup")};
        log = log.push_back(call.answers.front());
        log = log.push_back(make(MessageKind::Tool, "t" + std::to_string(i), std::string(40, 'x')));
        space.calls.push_back(std::move(call));
    }
    const CheckpointIndex last(space.checkpoints.size());
    space.checkpoints.push_back(checkpointOf(last.value, log, event));
    if (calls > 0)
        space.checkpoints[last.at() - 1].children.push_back(last);
    return threadOf(std::move(space));
}

} // namespace

class TestTimelineData : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stacksTokensByKind()
    {
        ThreadNamespace space;
        MessageLog log;
        log = log.push_back(make(MessageKind::Human, "1", "12345"));
        log = log.push_back(make(MessageKind::Ai, "2", "123"));
        log = log.push_back(make(MessageKind::Tool, "3", "1234567"));
        space.checkpoints.push_back(checkpointOf(0, log));
        Call call;
        call.number = CallNumber(1);
        call.checkpoint = CheckpointIndex(0);
        call.log = log;
        call.usage = Value::map({{"input_tokens", Value(99)}});
        space.calls.push_back(call);
        const auto data = makeTimeline(threadOf(space), "", byLength(1000), {});
        QVERIFY(data);
        QCOMPARE(data->points.size(), 1u);
        QCOMPARE(data->points[0].tokens, (std::array<std::int64_t, 5>{1000, 0, 5, 3, 7}));
        QCOMPARE(data->points[0].messages, (std::array<std::int64_t, 5>{0, 0, 1, 1, 1}));
        QCOMPARE(data->points[0].total(ContextUnit::Tokens), 1015);
        QCOMPARE(data->mostMessages, 3);
        QCOMPARE(*data->points[0].reported, 99);
    }

    void anEventScrapesThePage()
    {
        const auto data = makeTimeline(longThread(25), "", byLength(), {});
        QCOMPARE(data->points.size(), 25u);
        QCOMPARE(data->points[8].total(ContextUnit::Messages), 17);
        QCOMPARE(data->points[9].total(ContextUnit::Messages), 3); // the summary and two messages
        QCOMPARE(data->points[9].messages[static_cast<std::size_t>(ContextPart::Summary)], 1);
        QCOMPARE(data->points[8].event, 0);
        QCOMPARE(data->points[9].event, 1);
        QCOMPARE(data->points[20].event, 2);
        QCOMPARE(data->events.size(), 2u);
        QCOMPARE(data->events[0].position, 9.0);
        QCOMPARE(data->events[0].number, 1);
        QCOMPARE(data->events[1].position, 19.0);
        QCOMPARE(data->turns.size(), 1u);
        QCOMPARE(data->turns[0].text, std::string("start here"));
        QCOMPARE(data->tools.size(), 25u);
        QCOMPARE(data->tools[3].text, std::string("lookup"));
        QCOMPARE(data->tools[3].position, 3.5);
    }

    void checkpointsStandOnAndBetweenCalls()
    {
        auto thread = longThread(3);
        auto data = std::make_shared<TimelineData>();
        for (const std::int64_t checkpoint : {2, 6, 10}) {
            TimelinePoint point;
            point.checkpoint = CheckpointIndex(checkpoint);
            data->points.push_back(point);
        }
        QCOMPARE(data->positionOf(CheckpointIndex(2)), 0.0);
        QCOMPARE(data->positionOf(CheckpointIndex(6)), 1.0);
        QCOMPARE(data->positionOf(CheckpointIndex(7)), 1.25);
        QCOMPARE(data->positionOf(CheckpointIndex(0)), -0.5);
        QCOMPARE(data->positionOf(CheckpointIndex(99)), 2.5);
        QCOMPARE(data->pointOf(CallNumber(3)), 2);
        QCOMPARE(data->pointOf(CallNumber(4)), -1);
    }

    void withoutCallsTheCheckpointsArePoints()
    {
        auto thread = longThread(4);
        thread->namespaces[0].calls.clear();
        const auto data = makeTimeline(thread, "", byLength(), {});
        QVERIFY(!data->pointsAreCalls);
        QCOMPARE(data->points.size(), 5u);
        QCOMPARE(data->points[2].total(ContextUnit::Messages), 5);
    }

    void marksOffloadsFailuresForksAndFindings()
    {
        auto thread = longThread(3);
        ThreadNamespace &space = thread->namespaces[0];
        space.calls[2].log = space.calls[2].log.push_back(
            make(MessageKind::Tool, "big", "Tool result too large, the result of this tool call …"));
        space.calls[1].outcome = Call::Outcome::Error;
        space.calls[1].error = "Boom\nsecond line";
        space.checkpoints[0].children = {CheckpointIndex(1), CheckpointIndex(2)};
        Finding finding;
        finding.message = "cannot be decoded";
        finding.severity = Finding::Severity::Error;
        finding.checkpointId = space.checkpoints[2].id;
        space.checkpoints[2].findings.push_back(finding);
        const auto data = makeTimeline(thread, "", byLength(), {});
        QCOMPARE(data->offloads.size(), 1u);
        QCOMPARE(data->offloads[0].position, 2.0);
        QCOMPARE(data->problems.size(), 3u);
        QCOMPARE(data->problems[0].kind, TimelineMark::Kind::Fork);
        QCOMPARE(data->problems[1].kind, TimelineMark::Kind::Failure);
        QCOMPARE(data->problems[1].text, std::string("Boom second line"));
        QCOMPARE(data->problems[2].severity, Finding::Severity::Error);
        // What the rules say comes in place of what reading said: a mark a checkpoint, the gravest.
        finding.severity = Finding::Severity::Warning;
        Finding graver = finding;
        graver.severity = Finding::Severity::Error;
        graver.message = "worse";
        graver.messageId = "m1";
        Finding elsewhere = graver;
        elsewhere.checkpointNs = "tools:1";
        TimelineOptions options = byLength();
        options.findings = std::make_shared<const ThreadFindings>(thread, std::vector{finding, graver, elsewhere});
        const auto studied = makeTimeline(thread, "", options, {});
        QCOMPARE(studied->problems.size(), 3u);
        QCOMPARE(studied->problems[2].number, 2);
        QCOMPARE(studied->problems[2].text, std::string("worse"));
        QCOMPARE(studied->problems[2].message, std::string("m1"));
    }

    /// What is shared between logs is skipped; the sums are those of counting every log afresh.
    void sumsOfSharedLogsEqualFreshOnes()
    {
        QVERIFY(rc::check([] {
            ThreadNamespace space;
            MessageLog log;
            const int calls = *rc::gen::inRange(1, 20);
            int id = 0;
            for (int i = 0; i < calls; ++i) {
                const int add = *rc::gen::inRange(0, 80);
                for (int k = 0; k < add; ++k) {
                    const auto kind = static_cast<MessageKind>(*rc::gen::inRange(0, 4));
                    log = log.push_back(
                        make(kind, std::to_string(id++), std::string(static_cast<std::size_t>(k % 9), 'y')));
                }
                if (!log.empty() && *rc::gen::inRange(0, 3) == 0) {
                    const auto place = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(log.size())));
                    log = log.set(place, make(MessageKind::Tool, std::to_string(id++), "rewritten"));
                }
                if (!log.empty() && *rc::gen::inRange(0, 4) == 0)
                    log = log.take(static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(log.size()))));
                space.checkpoints.push_back(checkpointOf(i, log));
                Call call;
                call.number = CallNumber(i + 1);
                call.checkpoint = CheckpointIndex(i);
                call.log = log;
                space.calls.push_back(call);
            }
            const auto thread = threadOf(space);
            const auto data = makeTimeline(thread, "", byLength(), {});
            for (std::size_t i = 0; i < space.calls.size(); ++i) {
                std::array<std::int64_t, contextParts> tokens{};
                for (const MessagePtr &message : space.calls[i].log)
                    tokens[static_cast<std::size_t>(partOf(*message))] += lengthOf(*message);
                RC_ASSERT(data->points[i].tokens == tokens);
            }
        }));
    }

    void limitsAreTheTriggersSizes()
    {
        Settings settings;
        settings.dialect = "deepagents-0.7.7";
        QCOMPARE(limitsOf(settings, TriggerOrigin::Default),
            std::vector{(TimelineLimit{ContextUnit::Tokens, 170'000, "default trigger, not inferred: tokens 170000"})});
        QVERIFY(limitsOf(settings, TriggerOrigin::Unreached).empty());
        settings.trigger = Trigger{{{ContextSize::Kind::Messages, 14}},
            {{ContextSize::Kind::Tokens, 4000}, {ContextSize::Kind::Fraction, 0.5}}};
        QCOMPARE(unitOf(settings), ContextUnit::Messages);
        auto limits = limitsOf(settings, TriggerOrigin::Chosen);
        QCOMPARE(limits.size(), 2u);
        QCOMPARE(limits[0], (TimelineLimit{ContextUnit::Messages, 14, "trigger: messages 14"}));
        settings.model.maxInputTokens = 10'000;
        limits = limitsOf(settings, TriggerOrigin::Inferred);
        QCOMPARE(limits.size(), 3u);
        QCOMPARE(limits[2].value, 5000.0);
        QCOMPARE(limits[2].label, std::string("inferred trigger: tokens 4000 and 50 % of the window"));
        QCOMPARE(limitsOf(settings, TriggerOrigin::Default)[0].label,
            std::string("default trigger, not inferred: messages 14"));
    }

    void stopsWhenAsked()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!makeTimeline(longThread(3), "", byLength(), JobContext{stop.get_token(), {}}));
        QVERIFY(!makeTimeline(longThread(3), "tools:x", byLength(), {}));
        QVERIFY(!makeTimeline({}, "", byLength(), {}));
    }

    void tenThousandCallsAreQuick()
    {
        const auto thread = longThread(10'000);
        QElapsedTimer timer;
        timer.start();
        const auto data = makeTimeline(thread, "", byLength(), {});
        QCOMPARE(data->points.size(), 10'000u);
        qInfo("10,000 calls: %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 3000); // far above what it needs: catches the square only
    }
};

QTEST_APPLESS_MAIN(TestTimelineData)
#include "tst_timelinedata.moc"
