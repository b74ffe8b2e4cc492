// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/requests.h"

#include "core/thread/malformedcalls.h"

#include <QTest>

using namespace palimpsest;

namespace {

MessagePtr message(MessageKind kind, std::string id, const std::string &content = {})
{
    Message m;
    m.kind = kind;
    m.type = typeName(kind);
    m.id = std::move(id);
    m.content = Value(content);
    return std::make_shared<Message>(std::move(m));
}

EventPtr eventAt(std::int64_t cutoff, std::optional<std::int64_t> created = std::nullopt)
{
    auto event = std::make_shared<SummarizationEvent>();
    event->cutoffIndex = cutoff;
    event->summaryMessage = message(MessageKind::Human, "summary", "what was");
    event->createdAtIndex = created;
    return event;
}

Checkpoint checkpoint(int step, MessageLog log, const char *source = "loop")
{
    Checkpoint c;
    c.id = "c" + std::to_string(step);
    c.step = step;
    c.source = source;
    c.messages = std::move(log);
    return c;
}

TaskWrites task(int at, std::string id, std::string path, std::vector<MessagePtr> messages)
{
    TaskWrites writes;
    writes.checkpoint = CheckpointIndex(at);
    writes.taskId = std::move(id);
    writes.taskPath = std::move(path);
    if (!messages.empty())
        writes.messages.push_back({false, std::move(messages)});
    return writes;
}

const std::string modelPath = "~__pregel_pull, model";

} // namespace

class TestRequests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTaskPlaces()
    {
        QCOMPARE(taskPlace("~__pregel_pull, model", "7738064e-68ac-96a1-d0eb-ecd908c8b049", 1),
            (TaskPlace{"model", false, {}}));
        QCOMPARE(taskPlace("~__pregel_push, 0000000000, 0000000000", "19844831-f7e6-dc14-645d-651b26788105", 2),
            (TaskPlace{"", true, {}}));
        QCOMPARE(taskPlace("~~0000000016~__pregel_pull, model", "ffffffff-0000-0010-946e-22a56cb37d6e", 12),
            (TaskPlace{"model", false, 16}));
        QCOMPARE(taskPlace("", "ffffffff-0001-0010-946e-22a56cb37d6e", 12), (TaskPlace{"", false, 65552}));
        QCOMPARE(taskPlace("~__pregel_pull, __start__", "00000014-2b97-5856-6ea8-88164f84dce5", 12),
            (TaskPlace{"__start__", false, 14}));
        QCOMPARE(taskPlace("~__pregel_pull, __start__", "00000000-c254-ac3f-5ec6-28c32a0f5487", -2),
            (TaskPlace{"__start__", false, 0}));
        // A random id that begins with eight digits is no step.
        QCOMPARE(taskPlace("~__pregel_pull, model", "59112233-2b97-5856-6ea8-88164f84dce5", 3),
            (TaskPlace{"model", false, {}}));
        QCOMPARE(taskPlace("", "", 0), (TaskPlace{"", false, {}}));
        QCOMPARE(taskPlace("~~00", "ffffffff-", 0), (TaskPlace{"", false, {}}));
    }

    void usesTheCallsOwnEventBeforeTheCheckpoints()
    {
        const MessagePtr h = message(MessageKind::Human, "h");
        const MessagePtr a = message(MessageKind::Ai, "a");
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, {h}), checkpoint(1, {h, a}), checkpoint(2, {h, a, h})};
        space.checkpoints[2].event = eventAt(1);
        CallInputs inputs;
        inputs.tasks = {task(0, "t0", modelPath, {a}), task(1, "t1", modelPath, {message(MessageKind::Ai, "b")}),
            task(2, "t2", modelPath, {message(MessageKind::Ai, "c")})};
        inputs.tasks[1].hasEvent = true;
        inputs.tasks[1].event = eventAt(2);
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 3U);
        QCOMPARE(space.calls[0].eventFrom, Call::EventFrom::None);
        QCOMPARE(space.calls[1].eventFrom, Call::EventFrom::ThisCall);
        QCOMPARE(requestMessages(space.calls[1]).size(), 1U);
        QVERIFY(!eventBefore(space, space.calls[1]));
        QCOMPARE(space.calls[2].eventFrom, Call::EventFrom::Checkpoint);
        QCOMPARE(requestMessages(space.calls[2]).size(), 3U);
        QCOMPARE(space.calls[2].number, CallNumber(3));
        QCOMPARE(space.calls[2].step, 3);
    }

    void showsRewrittenMessagesAsTheCallSentThem()
    {
        const MessageLog log{
            message(MessageKind::Human, "h"), message(MessageKind::Ai, "a"), message(MessageKind::Tool, "t", "long")};
        const MessagePtr clipped = message(MessageKind::Tool, "t", "short");
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, log)};
        CallInputs inputs;
        inputs.tasks = {task(0, "t0", modelPath, {message(MessageKind::Ai, "b"), clipped})};
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.front().log[2], clipped);
        QCOMPARE(space.calls.front().rewrites, std::vector<MessagePtr>{clipped});
        QCOMPARE(space.checkpoints[0].messages[2], log[2]);
    }

    void showsMalformedCallsAnsweredAsTheModelSawThem()
    {
        const auto calls = std::make_shared<Message>(*message(MessageKind::Ai, "a"));
        calls->invalidToolCalls = Value::list({Value::map({{"name", Value("look")}, {"id", Value("bad")}})});
        const MessageLog log{message(MessageKind::Human, "h"), calls};
        const MessagePtr all = message(MessageKind::Remove, std::string(removeAllMessages));
        const MessagePtr made = message(MessageKind::Tool, "given later", malformedCallText("look", "bad"));
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, log)};
        CallInputs inputs;
        inputs.tasks = {task(0, "t0", modelPath, {all, log[0], calls, made, message(MessageKind::Ai, "b")}),
            task(0, "t1", modelPath, {})};
        inputs.tasks[1].hasError = true;
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 2U);
        // One was written back with the answer, a failed one left only its error.
        for (const Call &call : space.calls) {
            QCOMPARE(call.log.size(), 3U);
            QCOMPARE(call.log[1], log[1]);
            QVERIFY(!call.log[2]->id);
            QCOMPARE(call.log[2]->content, made->content);
        }
        QCOMPARE(space.calls[0].answers.size(), 1U);
        QVERIFY(space.calls[0].rewrites.empty());
    }

    void takesNoUpdateForACall()
    {
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, {message(MessageKind::Human, "h")})};
        CallInputs inputs;
        inputs.tasks = {task(0, "t0", "~__interrupt__, 0000000000", {message(MessageKind::Ai, "by hand")}),
            task(0, "t0", modelPath, {})};
        inputs.tasks[1].hasError = true;
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 1U);
        QCOMPARE(space.calls[0].outcome, Call::Outcome::Error);
    }

    void knowsAFailedCall()
    {
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, {message(MessageKind::Human, "h")})};
        CallInputs inputs;
        inputs.tasks = {task(0, "t0", modelPath, {}), task(0, "t1", "~__pregel_push, 0000000000, 0000000000", {})};
        for (TaskWrites &writes : inputs.tasks) {
            writes.hasError = true;
            writes.error = "ContextOverflowError('too long')";
        }
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 1U);
        QCOMPARE(space.calls[0].outcome, Call::Outcome::Error);
        QCOMPARE(space.calls[0].error, std::string("ContextOverflowError('too long')"));
        // An attempt that failed first and was answered on resume is answered.
        inputs.tasks[0].messages = {{false, {message(MessageKind::Ai, "a")}}};
        deriveCalls(space, inputs);
        QCOMPARE(space.calls[0].outcome, Call::Outcome::Ok);
        QVERIFY(space.calls[0].error.empty());
    }

    void hooksInputsAndUpdatesAreNoCalls()
    {
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, {})};
        CallInputs inputs;
        for (const char *path : {"~__pregel_pull, __start__", "~__pregel_pull, PatchToolCallsMiddleware.before_agent",
                 "~__pregel_pull, HumanInTheLoopMiddleware.after_model", "~__pregel_pull, tools", ""})
            inputs.tasks.push_back(task(0, "t", path, {message(MessageKind::Ai, "a")}));
        deriveCalls(space, inputs);
        QVERIFY(space.calls.empty());
        // A node of a graph of one's own that answers is a call.
        inputs.tasks.push_back(task(0, "t", "~__pregel_pull, chatbot", {message(MessageKind::Ai, "new")}));
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 1U);
        QCOMPARE(space.calls[0].node, std::string("chatbot"));
    }

    void tellsCallsWithoutTaskPaths()
    {
        const MessagePtr h = message(MessageKind::Human, "h");
        const MessagePtr a = message(MessageKind::Ai, "a");
        ThreadNamespace space;
        space.checkpoints = {checkpoint(-1, {}, "input"), checkpoint(0, {h}), checkpoint(1, {h, a})};
        CallInputs inputs;
        inputs.hasTaskPath = false;
        inputs.tasks = {task(0, "start", "", {h, message(MessageKind::Ai, "given")}), task(1, "model", "", {a}),
            task(2, "hook", "", {a})};
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 1U);
        QCOMPARE(space.calls[0].taskId, std::string("model"));
    }

    void rebuildsTheLogBetweenCheckpointsOfAnExitRun()
    {
        const MessagePtr h = message(MessageKind::Human, "h");
        const MessagePtr a = message(MessageKind::Ai, "a");
        const MessagePtr t = message(MessageKind::Tool, "t");
        const MessagePtr b = message(MessageKind::Ai, "b");
        ThreadNamespace space;
        space.checkpoints = {checkpoint(-2, {}), checkpoint(4, {h, a, t, b})};
        space.checkpoints[0].children = {CheckpointIndex(1)};
        CallInputs inputs;
        inputs.tasks = {task(0, "00000000-c254-ac3f-5ec6-28c32a0f5487", "~__pregel_pull, __start__", {h}),
            task(0, "ffffffff-0000-0002-48fc-c11742d619c2", "~~0000000002~__pregel_pull, model", {a}),
            task(0, "ffffffff-0000-0003-48fc-c11742d619c2", "~~0000000003~__pregel_push, 0000000000, 0000000000", {t}),
            task(0, "ffffffff-0000-0004-48fc-c11742d619c2", "~~0000000004~__pregel_pull, model", {b})};
        deriveCalls(space, inputs);
        QCOMPARE(space.calls.size(), 2U);
        QCOMPARE(space.calls[0].step, 2);
        QCOMPARE(space.calls[0].log, (MessageLog{h}));
        QCOMPARE(space.calls[1].log, (MessageLog{h, a, t}));
        QCOMPARE(space.calls[1].eventFrom, Call::EventFrom::None);

        // An event that the run left behind: which of its calls made it is not stored.
        space.checkpoints[1].event = eventAt(1);
        deriveCalls(space, inputs);
        for (const Call &call : space.calls) {
            QCOMPARE(call.eventFrom, Call::EventFrom::Unknown);
            QCOMPARE(call.certainty, Certainty::Uncertain);
        }
    }

    void takesModelProviderAndUsageFromTheAnswer()
    {
        auto answer = std::make_shared<Message>(*message(MessageKind::Ai, "a"));
        answer->responseMetadata = Value::map({{"model_name", Value("m-1")}, {"model_provider", Value("openai")}});
        answer->usageMetadata = Value::map({{"total_tokens", Value(7)}});
        ThreadNamespace space;
        space.checkpoints = {checkpoint(0, {})};
        CallInputs inputs;
        inputs.tasks = {task(0, "t0", modelPath, {answer})};
        deriveCalls(space, inputs);
        QCOMPARE(space.calls[0].model, std::string("m-1"));
        QCOMPARE(space.calls[0].provider, std::string("openai"));
        QCOMPARE(space.calls[0].usage["total_tokens"].asInt(), 7);
    }

    void readsErrorsOfBothLanguages()
    {
        QCOMPARE(errorText(Value("ValueError('x')")), std::string("ValueError('x')"));
        QCOMPARE(errorText(Value::map({{"name", Value("TypeError")}, {"message", Value("no")}})),
            std::string("TypeError: no"));
        QCOMPARE(errorText(Value(Value::Tagged{Value::Form::LangChain, "", "Error", Value::list({Value("bad")}), {}})),
            std::string("Error: bad"));
        QCOMPARE(errorText(Value()), std::string());
    }
};

QTEST_APPLESS_MAIN(TestRequests)
#include "tst_requests.moc"
