// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/message.h"

#include "core/serde/json.h"

#include <array>
#include <format>

namespace palimpsest {
namespace {

struct ClassName {
    std::string_view name;
    MessageKind kind;
};
constexpr std::array<ClassName, 14> classNames{{
    {"HumanMessage", MessageKind::Human},
    {"HumanMessageChunk", MessageKind::Human},
    {"AIMessage", MessageKind::Ai},
    {"AIMessageChunk", MessageKind::Ai},
    {"ToolMessage", MessageKind::Tool},
    {"ToolMessageChunk", MessageKind::Tool},
    {"SystemMessage", MessageKind::System},
    {"SystemMessageChunk", MessageKind::System},
    {"RemoveMessage", MessageKind::Remove},
    {"FunctionMessage", MessageKind::Function},
    {"FunctionMessageChunk", MessageKind::Function},
    {"ChatMessage", MessageKind::Chat},
    {"ChatMessageChunk", MessageKind::Chat},
    {"DeveloperMessage", MessageKind::System},
}};

std::optional<MessageKind> kindOfClass(std::string_view name)
{
    for (const ClassName &entry : classNames)
        if (entry.name == name)
            return entry.kind;
    return std::nullopt;
}

std::optional<std::string> optionalText(const Value &value)
{
    if (value.isText())
        return value.asText();
    if (value.isInt())
        return std::to_string(value.asInt());
    return std::nullopt;
}

/// What AIMessage's validator makes of a tool call (langchain_core/messages/ai.py _backwards_compat_tool_calls, 1.8.3):
/// name, args, id, type in this order. Anything that is not of that shape stays as it came.
Value normalizedToolCall(const Value &call, std::string_view type)
{
    if (!call.isMap() || !call.contains("name") || !call.contains("args") || !call.contains("id"))
        return call;
    const bool invalid = type == "invalid_tool_call";
    Value::Map map;
    if (invalid)
        map.emplace_back(Value("type"), Value(type));
    for (const char *key : {"name", "args", "id"})
        map.emplace_back(Value(key), call[key]);
    if (invalid && call.contains("error"))
        map.emplace_back(Value("error"), call["error"]);
    if (!invalid)
        map.emplace_back(Value("type"), Value(type));
    for (const auto &[key, value] : call.asMap()) {
        const std::string &name = key.asText();
        if (name != "name" && name != "args" && name != "id" && name != "type" && !(invalid && name == "error"))
            map.emplace_back(key, value);
    }
    return Value(std::move(map));
}

Value normalizedToolCalls(const Value &calls, std::string_view type)
{
    Value::List list;
    list.reserve(calls.asList().size());
    for (const Value &call : calls.asList())
        list.push_back(normalizedToolCall(call, type));
    return Value(std::move(list));
}

/// langchain_core/messages/tool.py default_tool_parser, 1.8.3: the OpenAI form in additional_kwargs of old messages.
void parseOpenAiToolCalls(Message &message, const Value &raw)
{
    Value::List calls;
    Value::List invalid;
    for (const Value &call : raw.asList()) {
        const Value &function = call["function"];
        if (!function.isMap())
            continue;
        if (!function["arguments"].isText())
            return;
        const auto args = parseJson(function["arguments"].asText());
        if (args)
            calls.push_back(
                Value::map({{"name", function["name"]}, {"args", args->truthy() ? *args : Value(Value::Map{})},
                    {"id", call["id"]}, {"type", Value("tool_call")}}));
        else
            invalid.push_back(Value::map({{"type", Value("invalid_tool_call")}, {"name", function["name"]},
                {"args", function["arguments"]}, {"id", call["id"]}, {"error", Value()}}));
    }
    message.toolCalls = Value(std::move(calls));
    message.invalidToolCalls = Value(std::move(invalid));
}

MessagePtr fromMembers(MessageKind kind, std::string_view className, const Value &members)
{
    auto message = std::make_shared<Message>();
    message->kind = kind;
    message->type = kind == MessageKind::Other ? std::string(className) : std::string(typeName(kind));
    Value::Map extra;
    for (const auto &[key, value] : members.asMap()) {
        const std::string &name = key.asText();
        if (name == "content")
            message->content = value.isNil() ? Value(std::string()) : value;
        else if (name == "id")
            message->id = optionalText(value);
        else if (name == "name")
            message->name = optionalText(value);
        else if (name == "type") {
            // The kind says the type; only chunks and unknown classes have one of their own.
            if (kind == MessageKind::Other && value.isText())
                message->type = value.asText();
        } else if (name == "additional_kwargs" && (value.isMap() || value.isNil()))
            message->additionalKwargs = value.isNil() ? Value(Value::Map{}) : value;
        else if (name == "response_metadata" && (value.isMap() || value.isNil()))
            message->responseMetadata = value.isNil() ? Value(Value::Map{}) : value;
        else if (kind == MessageKind::Ai && name == "tool_calls" && (value.isList() || value.isNil()))
            message->toolCalls = value;
        else if (kind == MessageKind::Ai && name == "invalid_tool_calls" && (value.isList() || value.isNil()))
            message->invalidToolCalls = value;
        else if (kind == MessageKind::Ai && name == "usage_metadata" && (value.isMap() || value.isNil()))
            message->usageMetadata = value;
        else if (kind == MessageKind::Tool && name == "tool_call_id")
            message->toolCallId = optionalText(value);
        else if (kind == MessageKind::Tool && name == "artifact")
            message->artifact = value;
        else if (kind == MessageKind::Tool && name == "status" && value.isText())
            message->status = value.asText();
        else
            extra.emplace_back(key, value);
    }
    message->extra = Value(std::move(extra));
    if (kind == MessageKind::Ai) {
        if (!message->toolCalls.truthy() && !message->invalidToolCalls.truthy()
            && message->additionalKwargs["tool_calls"].isList())
            parseOpenAiToolCalls(*message, message->additionalKwargs["tool_calls"]);
        message->toolCalls = normalizedToolCalls(message->toolCalls, "tool_call");
        message->invalidToolCalls = normalizedToolCalls(message->invalidToolCalls, "invalid_tool_call");
    }
    if (kind == MessageKind::Tool && message->status.empty())
        message->status = "success";
    return message;
}

MessagePtr fromClass(std::string_view className, const Value &members)
{
    if (!members.isMap())
        return nullptr;
    if (const auto kind = kindOfClass(className))
        return fromMembers(*kind, className, members);
    if (className.ends_with("Message") && members.contains("content"))
        return fromMembers(MessageKind::Other, className, members);
    return nullptr;
}

/// A call's arguments as OpenAI's clients write them: JSON in a text, in which models leave line ends as they are (the
/// package reads it with strict=False).
Result<Value> argumentsOf(const std::string &text)
{
    if (auto parsed = parseJson(text))
        return parsed;
    std::string escaped;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"')
            quoted = !quoted;
        if (quoted && static_cast<unsigned char>(c) < 0x20) {
            escaped += std::format("\\u{:04x}", static_cast<unsigned char>(c));
            continue;
        }
        escaped += c;
        if (quoted && c == '\\' && i + 1 < text.size())
            escaped += text[++i];
    }
    return parseJson(escaped);
}

/// A call in OpenAI's form. One whose arguments are no JSON object is an invalid one, where the package would refuse
/// the message; a custom tool's text is the argument that langchain_openai makes of it.
void takeOpenAiToolCall(const Value &call, Value::List &calls, Value::List &invalid)
{
    const Value &custom = call["custom"];
    if (custom.isMap()) {
        calls.push_back(Value::map({{"name", custom["name"]}, {"args", Value::map({{"__arg1", custom["input"]}})},
            {"id", call["id"]}, {"type", Value("tool_call")}}));
        return;
    }
    if (!call.contains("function")) {
        calls.push_back(call);
        return;
    }
    const Value &given = call["function"]["arguments"];
    const Result<Value> args = given.isText() ? argumentsOf(given.asText()) : Result<Value>(given);
    if (args && args->isMap())
        calls.push_back(Value::map(
            {{"name", call["function"]["name"]}, {"args", *args}, {"id", call["id"]}, {"type", Value("tool_call")}}));
    else
        invalid.push_back(Value::map({{"name", call["function"]["name"]}, {"args", given}, {"id", call["id"]},
            {"error", Value()}, {"type", Value("invalid_tool_call")}}));
}

/// langchain_core/messages/utils.py _create_message_from_message_type, 1.8.3.
Result<MessagePtr> fromRole(const Value &role, Value members)
{
    if (!role.isText())
        return failure(Error::Code::Invalid, "message", "a message's role must be text");
    const std::string &word = role.asText();
    static constexpr std::array<std::pair<std::string_view, MessageKind>, 9> roles{
        {{"human", MessageKind::Human}, {"user", MessageKind::Human}, {"ai", MessageKind::Ai},
            {"assistant", MessageKind::Ai}, {"system", MessageKind::System}, {"developer", MessageKind::System},
            {"function", MessageKind::Function}, {"tool", MessageKind::Tool}, {"remove", MessageKind::Remove}}};
    for (const auto &[name, kind] : roles) {
        if (name != word)
            continue;
        Value::Map known;
        Value::Map additional;
        Value inner(Value::Map{});
        for (const auto &[key, value] : members.asMap()) {
            const std::string &member = key.asText();
            if (member == "content" || member == "id")
                known.emplace_back(key, value);
            else if (member == "name" || member == "tool_call_id") {
                if (!value.isNil())
                    known.emplace_back(key, value);
            } else if (member == "tool_calls") {
                if (value.isNil())
                    continue;
                Value::List calls;
                Value::List invalid;
                for (const Value &call : value.asList())
                    takeOpenAiToolCall(call, calls, invalid);
                known.emplace_back(key, Value(std::move(calls)));
                if (!invalid.empty())
                    known.emplace_back(Value("invalid_tool_calls"), Value(std::move(invalid)));
            } else if (member == "response_metadata") {
                if (value.truthy())
                    known.emplace_back(key, value);
            } else if (member == "additional_kwargs")
                inner = value;
            else if (kind == MessageKind::Tool && (member == "artifact" || member == "status"))
                known.emplace_back(key, value);
            else
                additional.emplace_back(key, value);
        }
        Value merged(std::move(additional));
        for (const auto &[key, value] : inner.asMap())
            merged = merged.with(key.asText(), value);
        if (word == "developer")
            merged = merged.with("__openai_role__", Value("developer"));
        known.emplace_back(Value("additional_kwargs"), merged);
        if (kind == MessageKind::Tool && !Value(known).contains("tool_call_id"))
            return failure(Error::Code::Invalid, "message", "a tool message needs a tool_call_id");
        return fromMembers(kind, word, Value(std::move(known)));
    }
    return failure(Error::Code::Invalid, "message",
        "Unexpected message type: '" + word
            + "'. Use one of 'human', 'user', 'ai', 'assistant', 'function', 'tool', 'system', or 'developer'.");
}

bool isEnvelope(const Value &value)
{
    return value["lc"].asInt() >= 1 && value["type"].asText() == "constructor" && !value["id"].asList().empty()
        && value["kwargs"].isMap();
}

} // namespace

std::string_view typeName(MessageKind kind)
{
    switch (kind) {
    case MessageKind::Human:
        return "human";
    case MessageKind::Ai:
        return "ai";
    case MessageKind::Tool:
        return "tool";
    case MessageKind::System:
        return "system";
    case MessageKind::Remove:
        return "remove";
    case MessageKind::Function:
        return "function";
    case MessageKind::Chat:
        return "chat";
    case MessageKind::Other:
        break;
    }
    return "other";
}

MessageKind kindOf(std::string_view name)
{
    for (const MessageKind kind : {MessageKind::Human, MessageKind::Ai, MessageKind::Tool, MessageKind::System,
             MessageKind::Remove, MessageKind::Function, MessageKind::Chat})
        if (name == typeName(kind) || (name.ends_with("Chunk") && kindOfClass(name) == kind))
            return kind;
    return MessageKind::Other;
}

std::vector<ToolCallView> toolCalls(const Message &message)
{
    std::vector<ToolCallView> views;
    views.reserve(message.toolCalls.asList().size());
    for (const Value &call : message.toolCalls.asList()) {
        const Value &id = call["id"];
        views.push_back({call["name"].asText(), &call["args"], id.asText(), id.isText()});
    }
    return views;
}

bool isSummary(const Message &message)
{
    return message.kind == MessageKind::Human && message.additionalKwargs["lc_source"].asText() == "summarization";
}

std::string textOf(const Message &message)
{
    if (message.content.isText())
        return message.content.asText();
    std::string out;
    for (const Value &block : message.content.asList()) {
        if (block.isText())
            out += block.asText();
        else if (block["type"].asText() == "text")
            out += block["text"].asText();
    }
    return out;
}

MessagePtr messageFromValue(const Value &value)
{
    if (const Value::Tagged *tagged = value.asTagged()) {
        if (tagged->value.isMap())
            return fromClass(tagged->name, tagged->value);
        // A constructor called with positional arguments has the content first.
        if (tagged->form == Value::Form::ConstructorArgs && kindOfClass(tagged->name)
            && !tagged->value.asList().empty())
            return fromClass(tagged->name, Value::map({{"content", tagged->value.asList().front()}}));
        return nullptr;
    }
    if (!value.isMap())
        return nullptr;
    if (isEnvelope(value))
        return fromClass(value["id"].asList().back().asText(), value["kwargs"]);
    const std::string &type = value["type"].asText();
    if (type.empty())
        return nullptr;
    if (value["data"].isMap() && !value.contains("content"))
        return fromMembers(kindOf(type), type, value["data"]);
    const MessageKind kind = kindOf(type);
    if (kind == MessageKind::Remove
        || (value.contains("content") && (kind != MessageKind::Other || value.contains("additional_kwargs"))))
        return fromMembers(kind, type, value);
    return nullptr;
}

Result<MessagePtr> messageFromLike(const Value &value)
{
    if (value.isText())
        return fromRole(Value("human"), Value::map({{"content", value}}));
    const Value::Tagged *tagged = value.asTagged();
    const bool isTuple = tagged && tagged->name == "tuple";
    if (value.isList() || isTuple) {
        const Value::List &pair = isTuple ? tagged->value.asList() : value.asList();
        if (pair.size() != 2)
            return failure(Error::Code::Invalid, "message", "Message as a sequence must be (role string, template)");
        return fromRole(pair[0], Value::map({{"content", pair[1]}}));
    }
    if (tagged) {
        if (MessagePtr message = messageFromValue(value))
            return message;
        return failure(Error::Code::Invalid, "message", "Unsupported message type: " + tagged->qualifiedName());
    }
    if (!value.isMap())
        return failure(Error::Code::Invalid, "message", "Unsupported message type");
    if (isEnvelope(value) && value["lc"].asInt() == 1) {
        const auto kind = kindOfClass(value["id"].asList().back().asText());
        if (kind && *kind != MessageKind::Chat)
            return messageFromLike(value["kwargs"].with("type", Value(typeName(*kind))));
    }
    const Value *role = value.find("role");
    const bool byRole = role != nullptr;
    if (!role)
        role = value.find("type");
    if (!role || !value.contains("content"))
        return failure(Error::Code::Invalid, "message", "Message dict must contain 'role' and 'content' keys");
    const Value &content = value["content"];
    return fromRole(*role,
        value.without(byRole ? "role" : "type").with("content", content.truthy() ? content : Value(std::string())));
}

Value messageToValue(const Message &message, bool brief)
{
    Value::Map map;
    const auto isEmpty = [](const Value &value) {
        return value.isNil() || (!value.truthy() && (value.isText() || value.isList() || value.isMap()));
    };
    const auto put = [&](std::string_view key, Value value) {
        if (!brief || !isEmpty(value))
            map.emplace_back(Value(key), std::move(value));
    };
    const auto optional = [](const std::optional<std::string> &text) { return text ? Value(*text) : Value(); };
    put("content", message.content);
    put("additional_kwargs", message.additionalKwargs);
    put("response_metadata", message.responseMetadata);
    put("type", Value(message.type));
    put("name", optional(message.name));
    put("id", optional(message.id));
    if (message.kind == MessageKind::Ai) {
        put("tool_calls", message.toolCalls.isNil() ? Value(Value::List{}) : message.toolCalls);
        put("invalid_tool_calls", message.invalidToolCalls.isNil() ? Value(Value::List{}) : message.invalidToolCalls);
        put("usage_metadata", message.usageMetadata);
    }
    if (message.kind == MessageKind::Tool) {
        put("tool_call_id", optional(message.toolCallId));
        put("artifact", message.artifact);
        put("status", Value(message.status));
    }
    for (const auto &entry : message.extra.asMap())
        if (!brief || !isEmpty(entry.second))
            map.push_back(entry);
    return Value(std::move(map));
}

} // namespace palimpsest
