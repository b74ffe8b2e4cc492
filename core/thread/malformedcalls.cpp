// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/malformedcalls.h"

#include <set>
#include <vector>

namespace palimpsest {
namespace {

MessagePtr answerTo(const Value &call)
{
    const std::string name = call["name"].truthy() ? call["name"].asText() : "unknown";
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Tool;
    message->type = "tool";
    message->content = Value(malformedCallText(name, call["id"].asText()));
    message->name = name;
    message->toolCallId = call["id"].asText();
    message->status = "error";
    return message;
}

} // namespace

std::string malformedCallText(const std::string &name, const std::string &id)
{
    return "Tool call " + name + " with id " + id + " could not be executed - arguments were malformed or truncated.";
}

std::optional<MessageLog> answeredMalformedCalls(const MessageLog &log)
{
    std::set<std::string> answered;
    bool malformed = false;
    for (const MessagePtr &message : log) {
        if (message->kind == MessageKind::Tool && message->toolCallId)
            answered.insert(*message->toolCallId);
        malformed = malformed || !message->invalidToolCalls.asList().empty();
    }
    if (!malformed)
        return std::nullopt;
    std::vector<MessagePtr> result;
    for (const MessagePtr &message : log) {
        result.push_back(message);
        if (message->kind != MessageKind::Ai)
            continue;
        for (const Value &call : message->invalidToolCalls.asList()) {
            if (call["id"].isText() && answered.insert(call["id"].asText()).second)
                result.push_back(answerTo(call));
        }
    }
    if (result.size() == log.size())
        return std::nullopt;
    return MessageLog(result.begin(), result.end());
}

std::optional<MessageLog> answeredMalformedCalls(const MessageLog &log, const MessagesWrite &write)
{
    auto message = write.messages.begin();
    if (message == write.messages.end() || (*message)->kind != MessageKind::Remove
        || (*message)->id != std::optional<std::string>(removeAllMessages))
        return std::nullopt;
    std::vector<MessagePtr> result;
    std::size_t known = 0;
    for (++message; message != write.messages.end(); ++message) {
        if (known < log.size() && log[known]->kind == (*message)->kind && log[known]->id == (*message)->id) {
            result.push_back(log[known++]);
        } else if ((*message)->kind == MessageKind::Tool) {
            auto answer = std::make_shared<Message>(**message);
            answer->id.reset();
            result.push_back(std::move(answer));
        } else {
            break;
        }
    }
    if (known < log.size() || result.size() == known)
        return std::nullopt;
    return MessageLog(result.begin(), result.end());
}

} // namespace palimpsest
