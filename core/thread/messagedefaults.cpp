// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/messagedefaults.h"

#include "core/serde/typed.h"

namespace palimpsest {
namespace {

/// The members of a stored message: of a constructor its arguments, of a flat map the map.
const Value &membersOf(const Value &stored)
{
    const Value::Tagged *tagged = stored.asTagged();
    return tagged ? tagged->value : stored;
}

/// A map with a `type` of its own, as servers send messages; one with a role is what only a conversion makes a message.
bool isFlat(const Value &stored)
{
    return stored.isMap() && stored["type"].isText() && !stored.contains("role");
}

/// A value as JSON.stringify writes it, which is all that a message's own JSON has of it: typed arrays as maps of their
/// places, sets, maps, patterns and errors as empty objects.
Value stringified(const Value &value)
{
    if (value.isBytes()) {
        Value::Map places;
        for (const char byte : value.asBytes())
            places.emplace_back(Value(std::to_string(places.size())),
                Value(static_cast<std::int64_t>(static_cast<unsigned char>(byte))));
        return Value(std::move(places));
    }
    if (const Value::Tagged *tagged = value.asTagged())
        return tagged->module.empty() && tagged->form != Value::Form::LangChain ? Value(Value::Map{}) : value;
    if (value.isList()) {
        Value::List list;
        for (const Value &item : value.asList())
            list.push_back(stringified(item));
        return Value(std::move(list));
    }
    if (!value.isMap())
        return value;
    Value::Map map;
    for (const auto &[key, member] : value.asMap())
        map.emplace_back(key, stringified(member));
    return Value(std::move(map));
}

MessagePtr asJavaScript(const MessagePtr &message, const Value &stored)
{
    const bool bareTool = message->kind == MessageKind::Tool && !membersOf(stored).contains("status");
    // A server has written its messages as JSON already: they stay as they came.
    const bool constructed = stored.isTagged();
    const Value metadata = constructed ? message->extra["metadata"] : Value();
    if (!bareTool && !metadata.contains("versions") && message->artifact.isNil())
        return message;
    auto copy = std::make_shared<Message>(*message);
    if (constructed)
        copy->artifact = stringified(message->artifact);
    if (bareTool)
        copy->status.clear();
    if (metadata.contains("versions")) {
        const Value rest = metadata.without("versions");
        copy->extra = rest.truthy() ? copy->extra.with("metadata", rest) : copy->extra.without("metadata");
    }
    return copy;
}

} // namespace

MessageDefaults messageDefaults(std::string_view type, std::string_view language)
{
    if (language == "js")
        return MessageDefaults::JavaScript;
    if (type == jsonFlat || type == jsonLangChain)
        return MessageDefaults::Document;
    return type == "json" ? MessageDefaults::OldPython : MessageDefaults::Current;
}

Result<MessagePtr> storedMessage(const Value &stored, MessageDefaults defaults)
{
    if (defaults == MessageDefaults::Current)
        return messageFromLike(stored);
    MessagePtr message;
    if (stored.isTagged() || isFlat(stored))
        message = messageFromValue(stored);
    if (!message) {
        Result<MessagePtr> like = messageFromLike(stored);
        if (!like)
            return like;
        message = *std::move(like);
    }
    if (defaults == MessageDefaults::Document)
        return message;
    if (defaults == MessageDefaults::JavaScript)
        return asJavaScript(message, stored);
    const bool hadExample = message->kind == MessageKind::Human || message->kind == MessageKind::Ai;
    if (!hadExample || message->extra.contains("example"))
        return message;
    auto copy = std::make_shared<Message>(*message);
    copy->extra = copy->extra.with("example", Value(false));
    return MessagePtr(std::move(copy));
}

} // namespace palimpsest
