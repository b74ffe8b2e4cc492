// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/messageparts.h"

#include "core/values/pyjson.h"
#include "core/values/pyrepr.h"

namespace palimpsest {
namespace {

bool isBinary(std::string_view key, const Value &value)
{
    return key == "base64" || (value.isText() && value.asText().starts_with("data:"));
}

bool visitBlock(const Value &block, std::int64_t place, const std::function<bool(const MessagePart &)> &visit)
{
    MessagePart part;
    part.block = place;
    if (block.isText()) {
        part.text = block.asText();
        return visit(part);
    }
    const bool text = block["type"].asText() == "text";
    for (const auto &[key, value] : block.asMap()) {
        if (key.asText() == "type" || key.asText() == "id" || isBinary(key.asText(), value))
            continue;
        part.kind = text && key.asText() == "text" ? MessagePart::Kind::Text : MessagePart::Kind::Block;
        const bool more = visitTexts(value, [&](std::string_view inside) {
            part.text = inside;
            return visit(part);
        });
        if (!more)
            return false;
    }
    return true;
}

} // namespace

bool visitTexts(const Value &value, const std::function<bool(std::string_view)> &visit)
{
    switch (value.kind()) {
    case Value::Kind::Text:
        return visit(value.asText());
    case Value::Kind::List:
        for (const Value &item : value.asList())
            if (!visitTexts(item, visit))
                return false;
        return true;
    case Value::Kind::Map:
        for (const auto &[key, item] : value.asMap())
            if (!isBinary(key.asText(), item) && (!visitTexts(key, visit) || !visitTexts(item, visit)))
                return false;
        return true;
    case Value::Kind::Tagged:
        return visitTexts(value.asTagged()->value, visit);
    case Value::Kind::Nil:
    case Value::Kind::Bool:
    case Value::Kind::Int:
    case Value::Kind::BigInt:
    case Value::Kind::Float:
    case Value::Kind::Bytes:
        break;
    }
    return true;
}

void visitParts(const Message &message, const std::function<bool(const MessagePart &)> &visit)
{
    if (message.content.isList()) {
        const Value::List &blocks = message.content.asList();
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (!visitBlock(blocks[i], static_cast<std::int64_t>(i), visit))
                return;
    } else if (message.content.isText()) {
        MessagePart part;
        part.text = message.content.asText();
        if (!visit(part))
            return;
    }
    for (const ToolCallView &call : toolCalls(message)) {
        MessagePart part;
        part.kind = MessagePart::Kind::Arguments;
        part.toolCallId = call.id;
        const bool more = visitTexts(*call.args, [&](std::string_view inside) {
            part.text = inside;
            return visit(part);
        });
        if (!more)
            return;
        PyJsonOptions options;
        options.ensureAscii = false;
        const std::string json = pyjson(*call.args, options).value_or(pyrepr(*call.args));
        part.text = json;
        if (!visit(part))
            return;
    }
}

} // namespace palimpsest
