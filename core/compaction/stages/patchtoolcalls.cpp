// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/patchtoolcalls.h"

#include "core/thread/malformedcalls.h"

#include <algorithm>
#include <set>

namespace palimpsest {
namespace {

/// tool_calls, then invalid_tool_calls.
std::vector<const Value *> allCalls(const Message &message)
{
    std::vector<const Value *> calls;
    for (const Value *list : {&message.toolCalls, &message.invalidToolCalls})
        for (const Value &call : list->asList())
            calls.push_back(&call);
    return calls;
}

bool isDangling(const Value &call, const std::set<std::string> &answered)
{
    return call["id"].isText() && !answered.contains(call["id"].asText());
}

std::string cancelledText(const std::string &name, const std::string &id, Dialect::PatchWording wording)
{
    return "Tool call " + name + " with id " + id
        + (wording == Dialect::PatchWording::Cancelled
                ? " was cancelled - another message came in before it could be completed."
                : " did not complete - no result was recorded. It may have been cancelled or interrupted.");
}

MessagePtr madeUpResult(const Value &call, const Dialect &dialect)
{
    const std::string name = call["name"].truthy() ? call["name"].asText() : "unknown";
    const std::string &id = call["id"].asText();
    std::string content = call["type"].asText() == "invalid_tool_call" ? malformedCallText(name, id)
                                                                       : cancelledText(name, id, dialect.patchWording);
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Tool;
    message->type = "tool";
    message->content = Value(std::move(content));
    message->name = name;
    message->toolCallId = id;
    message->status = dialect.patchedCallsAreErrors ? "error" : "success";
    return message;
}

} // namespace

std::optional<PatchResult> patchToolCalls(const std::vector<MessagePtr> &messages, const Dialect &dialect)
{
    std::set<std::string> answered;
    for (const MessagePtr &message : messages)
        if (message->kind == MessageKind::Tool)
            answered.insert(message->toolCallId.value_or(std::string()));
    PatchResult result;
    for (const MessagePtr &message : messages) {
        result.messages.push_back(message);
        if (message->kind != MessageKind::Ai)
            continue;
        for (const Value *call : allCalls(*message)) {
            if (!isDangling(*call, answered))
                continue;
            MessageDecision decision;
            decision.stage = "patch-tool-calls";
            decision.outcome = MessageDecision::Outcome::Patched;
            decision.index = static_cast<std::int64_t>(result.messages.size());
            decision.toolCallId = (*call)["id"].asText();
            decision.reason = (*call)["type"].asText() == "invalid_tool_call" ? "the call's arguments are malformed"
                                                                              : "the log holds no result for the call";
            result.messages.push_back(madeUpResult(*call, dialect));
            result.decisions.push_back(std::move(decision));
        }
    }
    if (result.decisions.empty())
        return std::nullopt;
    return result;
}

MessagePtr madeUpAgain(const MessagePtr &message, const Dialect &dialect)
{
    using Wording = Dialect::PatchWording;
    if (message->kind != MessageKind::Tool || !message->name || !message->toolCallId || !message->content.isText())
        return nullptr;
    const std::string &text = message->content.asText();
    if (!text.starts_with("Tool call "))
        return nullptr;
    const std::string &name = *message->name;
    const std::string &id = *message->toolCallId;
    // The model's node answers malformed calls in the same words; its answers are errors in every version.
    if (text == malformedCallText(name, id))
        return message;
    if (text != cancelledText(name, id, Wording::Cancelled) && text != cancelledText(name, id, Wording::DidNotComplete))
        return nullptr;
    std::string words = cancelledText(name, id, dialect.patchWording);
    const char *status = dialect.patchedCallsAreErrors ? "error" : "success";
    if (words == text && message->status == status)
        return message;
    auto again = std::make_shared<Message>(*message);
    again->content = Value(std::move(words));
    again->status = status;
    return again;
}

bool isNewerMadeUp(const Message &message)
{
    return message.kind == MessageKind::Tool && message.name && message.toolCallId && message.content.isText()
        && message.content.asText()
        == cancelledText(*message.name, *message.toolCallId, Dialect::PatchWording::DidNotComplete);
}

} // namespace palimpsest
