// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/conversation.h"

#include <random>

namespace palimpsest::threadbuilder {
namespace {

std::string words(std::mt19937_64 &random, std::int64_t size)
{
    static const char *const list[] = {
        "order ", "ledger ", "retry ", "cache ", "Übersicht ", "vector\n", "日本 ", "window "};
    std::string text;
    while (static_cast<std::int64_t>(text.size()) < size)
        text += list[random() % 8];
    return text;
}

} // namespace

MessagePtr human(std::string text, std::string id)
{
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Human;
    message->type = "human";
    message->content = Value(std::move(text));
    message->id = std::move(id);
    return message;
}

MessagePtr ai(std::string text, std::string id, std::vector<std::pair<std::string, Value>> calls, std::int64_t reported)
{
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Ai;
    message->type = "ai";
    message->content = Value(std::move(text));
    message->id = id;
    Value::List list;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        list.push_back(Value::map({{"name", Value(calls[i].first)}, {"args", calls[i].second},
            {"id", Value(id + "." + std::to_string(i))}, {"type", Value("tool_call")}}));
    }
    message->toolCalls = Value(std::move(list));
    if (reported >= 0) {
        message->usageMetadata = Value::map(
            {{"input_tokens", Value(reported)}, {"output_tokens", Value(0)}, {"total_tokens", Value(reported)}});
        message->responseMetadata = Value::map({{"model_provider", Value("openai")}});
    }
    return message;
}

MessagePtr tool(std::string text, std::string id, std::string callId, std::string name)
{
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Tool;
    message->type = "tool";
    message->content = Value(std::move(text));
    message->id = std::move(id);
    message->toolCallId = std::move(callId);
    message->name = std::move(name);
    message->status = "success";
    return message;
}

std::vector<MessagePtr> conversation(const Shape &shape, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<MessagePtr> messages;
    std::int64_t answers = 0;
    std::int64_t characters = 0;
    const auto add = [&](MessagePtr message) {
        characters += static_cast<std::int64_t>(message->content.asText().size());
        messages.push_back(std::move(message));
    };
    for (std::int64_t turn = 0; turn < shape.turns; ++turn) {
        add(human(words(random, shape.textSize), "h" + std::to_string(turn)));
        for (std::int64_t i = 0; i <= shape.callsPerTurn; ++i, ++answers) {
            const std::string id = "a" + std::to_string(answers);
            const std::int64_t reported = shape.reports ? characters / 4 + 20 : -1;
            if (i == shape.callsPerTurn) {
                add(ai(words(random, shape.textSize), id, {}, reported));
                continue;
            }
            const bool writes = shape.writes > 0 && answers % shape.writes == 0;
            std::vector<std::pair<std::string, Value>> calls;
            for (std::uint64_t c = 0; c < 1 + random() % 3; ++c) {
                if (writes)
                    calls.emplace_back("write_file",
                        Value::map({{"file_path", Value("/" + id)}, {"content", Value(words(random, 3000))}}));
                else
                    calls.emplace_back("lookup", Value::map({{"topic", Value(words(random, 12))}}));
            }
            const std::size_t count = calls.size();
            add(ai(words(random, shape.textSize), id, std::move(calls), reported));
            for (std::size_t c = 0; c < count; ++c) {
                const std::string callId = id + "." + std::to_string(c);
                add(tool(words(random, shape.textSize * 4), "t" + callId, callId, writes ? "write_file" : "lookup"));
            }
        }
    }
    return messages;
}

ThreadPtr thread(const std::vector<MessagePtr> &messages, const std::vector<EventPtr> &events)
{
    auto made = std::make_shared<Thread>();
    made->id = "made";
    ThreadNamespace space;
    MessageLog log;
    EventPtr event;
    const auto checkpoint = [&] {
        Checkpoint one;
        const std::size_t place = space.checkpoints.size();
        one.id = "c" + std::to_string(1000000 + place);
        one.step = static_cast<int>(place);
        one.source = "loop";
        one.createdAt = "2026-01-01T00:00:00+00:00";
        one.messages = log;
        one.event = event;
        if (place > 0) {
            one.parent = CheckpointIndex(place - 1);
            one.parentId = space.checkpoints.back().id;
        }
        space.checkpoints.push_back(std::move(one));
    };
    for (const MessagePtr &message : messages) {
        if (message->kind == MessageKind::Ai) {
            checkpoint();
            Call call;
            call.number = CallNumber(space.calls.size() + 1);
            call.taskId = "task" + std::to_string(space.calls.size());
            call.node = "model";
            call.checkpoint = CheckpointIndex(space.checkpoints.size() - 1);
            call.step = space.checkpoints.back().step + 1;
            call.log = log;
            call.answers = {message};
            call.eventFrom = event ? Call::EventFrom::Checkpoint : Call::EventFrom::None;
            if (space.calls.size() < events.size() && events[space.calls.size()]) {
                event = events[space.calls.size()];
                call.eventFrom = Call::EventFrom::ThisCall;
            }
            call.event = event;
            space.calls.push_back(std::move(call));
        }
        log = std::move(log).push_back(message);
    }
    checkpoint();
    made->namespaces.push_back(std::move(space));
    return made;
}

} // namespace palimpsest::threadbuilder
