// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/diff/messagekeys.h"

#include "core/thread/projection.h"
#include "core/values/json.h"

#include <unordered_map>

namespace palimpsest {
namespace {

Value callsWithoutIds(const Message &message)
{
    Value::List calls;
    for (const Value &call : message.toolCalls.asList())
        calls.push_back(call.isMap() ? call.without("id") : call);
    return Value(std::move(calls));
}

/// Blocks repeat a call's id; what else they hold counts.
Value contentWithoutIds(const Value &content)
{
    if (!content.isList())
        return content;
    Value::List blocks;
    for (const Value &block : content.asList())
        blocks.push_back(block.isMap() ? block.without("id").without("tool_use_id").without("call_id") : block);
    return Value(std::move(blocks));
}

std::string words(const Message &message)
{
    return "text " + message.type + "\n" + textOf(message) + "\n"
        + (message.toolCalls.asList().empty() ? std::string() : toJson(callsWithoutIds(message)));
}

} // namespace

MessageKeys messageKeys(const std::vector<MessagePtr> &a, const std::vector<MessagePtr> &b, UnsharedIds unshared)
{
    MessageKeys keys;
    std::unordered_set<std::string> first;
    std::unordered_set<std::string> &both = keys.sharedIds;
    for (const MessagePtr &message : a)
        if (message->id)
            first.insert(*message->id);
    for (const MessagePtr &message : b)
        if (message->id && first.contains(*message->id))
            both.insert(*message->id);
    std::unordered_map<std::string, std::uint32_t> known;
    const auto keyOf = [&](const Message &message) {
        const bool byId =
            message.id && !message.id->empty() && (unshared == UnsharedIds::Differ || both.contains(*message.id));
        const std::string text = isSummary(message) ? "summary" : byId ? "id " + *message.id : words(message);
        return known.emplace(text, static_cast<std::uint32_t>(known.size())).first->second;
    };
    keys.a.reserve(a.size());
    keys.b.reserve(b.size());
    for (const MessagePtr &message : a)
        keys.a.push_back(keyOf(*message));
    for (const MessagePtr &message : b)
        keys.b.push_back(keyOf(*message));
    return keys;
}

bool sameButForIds(const Message &a, const Message &b)
{
    return a.type == b.type && contentWithoutIds(a.content) == contentWithoutIds(b.content) && a.name == b.name
        && a.status == b.status && callsWithoutIds(a) == callsWithoutIds(b);
}

} // namespace palimpsest
