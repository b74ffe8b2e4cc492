// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sweep/projection.h"

#include <cmath>

namespace palimpsest {
namespace {

constexpr double mostTimes = 1000;

/// A message of a later round: the same with ids of its own.
MessagePtr repeated(const MessagePtr &message, std::int64_t round)
{
    if (round == 0)
        return message;
    const std::string mark = "~" + std::to_string(round + 1);
    auto copy = std::make_shared<Message>(*message);
    if (copy->id)
        *copy->id += mark;
    if (copy->toolCallId)
        *copy->toolCallId += mark;
    if (copy->toolCalls.isList()) {
        Value::List calls;
        for (const Value &call : copy->toolCalls.asList())
            calls.push_back(call["id"].isText() ? call.with("id", Value(call["id"].asText() + mark)) : call);
        copy->toolCalls = Value(std::move(calls));
    }
    return copy;
}

/// The conversation that leads to the newest call, answers included.
std::vector<MessagePtr> conversation(const ReplayInput &recorded, std::vector<bool> &answers)
{
    std::vector<MessagePtr> messages;
    if (recorded.calls().empty())
        return messages;
    const ReplayInput::CallInput &last = recorded.calls().back();
    const auto &track = recorded.tracks()[last.track].messages;
    for (const ReplayInput::Original &original : track)
        messages.push_back(original.message);
    answers.assign(messages.size(), false);
    for (std::size_t i = 0; i < recorded.calls().size(); ++i) {
        const ReplayInput::CallInput &call = recorded.calls()[i];
        const bool here = call.track == last.track || call.answerPlace < last.length;
        if (here && call.answerPlace >= 0 && call.answerPlace < static_cast<std::int64_t>(answers.size()))
            answers[static_cast<std::size_t>(call.answerPlace)] = true;
    }
    // The last answer is in no later request, so no track holds it.
    const auto &newest = recorded.call(recorded.calls().size() - 1).answers;
    if (last.answerPlace >= static_cast<std::int64_t>(messages.size()) && !newest.empty()) {
        messages.push_back(newest.front());
        answers.push_back(true);
    }
    return messages;
}

} // namespace

Result<ReplayInputPtr> projectedInput(const ReplayInput &recorded, double times)
{
    if (!(times >= 1 && times <= mostTimes))
        return failure(Error::Code::Invalid, "times", "must be a number from 1 to 1000");
    std::vector<bool> answers;
    const std::vector<MessagePtr> once = conversation(recorded, answers);
    if (once.empty())
        return failure(Error::Code::Invalid, "projection", "the namespace holds no model call to repeat");
    const auto total = static_cast<std::int64_t>(std::ceil(static_cast<double>(once.size()) * times));
    const Call &pattern = recorded.call(0);
    auto thread = std::make_shared<Thread>();
    thread->id = recorded.thread().id;
    thread->language = recorded.thread().language;
    ThreadNamespace space;
    space.name = recorded.space().name;
    space.messagesChannel = recorded.space().messagesChannel;
    MessageLog log;
    for (std::int64_t i = 0; i < total; ++i) {
        const auto size = static_cast<std::int64_t>(once.size());
        const MessagePtr message = repeated(once[static_cast<std::size_t>(i % size)], i / size);
        if (answers[static_cast<std::size_t>(i % size)]) {
            Checkpoint checkpoint;
            const std::int64_t number = static_cast<std::int64_t>(space.calls.size()) + 1;
            checkpoint.id = "projected-" + std::to_string(number);
            checkpoint.source = "loop";
            checkpoint.step = static_cast<int>(number);
            checkpoint.messages = log;
            if (!space.checkpoints.empty()) {
                checkpoint.parent = CheckpointIndex(space.checkpoints.size() - 1);
                checkpoint.parentId = space.checkpoints.back().id;
                space.checkpoints.back().children.emplace_back(space.checkpoints.size());
            }
            Call call;
            call.number = CallNumber(number);
            call.taskId = checkpoint.id;
            call.node = pattern.node;
            call.checkpoint = CheckpointIndex(space.checkpoints.size());
            call.step = checkpoint.step;
            call.log = log;
            call.answers = {message};
            call.usage = message->usageMetadata;
            call.model = message->responseMetadata["model_name"].asText();
            call.provider = message->responseMetadata["model_provider"].asText();
            call.certainty = Certainty::Inferred;
            space.checkpoints.push_back(std::move(checkpoint));
            space.calls.push_back(std::move(call));
        }
        log = std::move(log).push_back(message);
    }
    if (!space.checkpoints.empty())
        space.heads.emplace_back(space.checkpoints.size() - 1);
    thread->namespaces.push_back(std::move(space));
    return ReplayInput::make(thread, recorded.space().name);
}

} // namespace palimpsest
