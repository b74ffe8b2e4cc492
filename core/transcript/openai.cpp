// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/writers.h"
#include "core/values/json.h"

#include <algorithm>
#include <format>

namespace palimpsest {
namespace {

tl::unexpected<Error> refused(std::int64_t place, const Message &message, const std::string &why)
{
    return failure(Error::Code::Unsupported,
        std::format("message {} ({}{})", place, message.type, message.id ? " " + *message.id : ""),
        "a provider would refuse these messages: " + why
            + "; choose another range or another format, such as langchain");
}

Value contentOf(const Message &message)
{
    if (message.content.isText())
        return message.content;
    Value::List parts;
    bool onlyText = true;
    for (const ContentPiece &piece : contentPieces(message)) {
        using Kind = ContentPiece::Kind;
        if (piece.kind == Kind::Reasoning)
            continue; // the chat format has no place for it
        if (piece.kind == Kind::Image || piece.kind == Kind::Reference) {
            onlyText = false;
            parts.push_back(
                Value::map({{"type", Value("image_url")}, {"image_url", Value::map({{"url", Value(piece.text)}})}}));
        } else {
            parts.push_back(Value::map({{"type", Value("text")}, {"text", Value(piece.text)}}));
        }
    }
    if (parts.empty())
        return Value("");
    // An assistant's and a tool's content is text in this format.
    if (onlyText && message.kind != MessageKind::Human)
        return Value(textOf(message));
    return Value(std::move(parts));
}

class Converter {
public:
    Result<Value> add(const Message &message, std::int64_t place)
    {
        m_place = place;
        const std::string role = roleOf(message);
        if (role.empty())
            return refused(place, message, std::format("a message of type \"{}\" has no role", message.type));
        if (message.kind != MessageKind::Tool) {
            if (Result<void> answered = checkAnswered(); !answered)
                return tl::unexpected(answered.error());
        }
        Value::Map out;
        const auto put = [&](std::string_view key, Value value) { out.emplace_back(Value(key), std::move(value)); };
        put("role", Value(role));
        if (message.name && !message.name->empty())
            put("name", Value(*message.name));
        if (message.kind == MessageKind::Ai) {
            Result<Value> calls = callsOf(message);
            if (!calls)
                return calls;
            if (!calls->asList().empty())
                put("tool_calls", std::move(*calls));
        }
        if (message.kind == MessageKind::Tool) {
            if (!message.toolCallId)
                return refused(place, message, "a tool result has no tool_call_id");
            const auto open = std::ranges::find(m_open, *message.toolCallId);
            if (open == m_open.end())
                return refused(place, message,
                    std::format("the tool result for \"{}\" has no call right before it", *message.toolCallId));
            m_open.erase(open);
            put("tool_call_id", Value(*message.toolCallId));
        }
        put("content", contentOf(message));
        return Value(std::move(out));
    }

    Result<void> finish() { return checkAnswered(); }

private:
    static std::string roleOf(const Message &message)
    {
        switch (message.kind) {
        case MessageKind::Human:
            return "user";
        case MessageKind::Ai:
            return "assistant";
        case MessageKind::Tool:
            return "tool";
        case MessageKind::System:
            return "system";
        case MessageKind::Chat:
            return message.extra["role"].asText();
        case MessageKind::Function:
        case MessageKind::Remove:
        case MessageKind::Other:
            break;
        }
        return {};
    }

    Result<void> checkAnswered()
    {
        if (m_open.empty())
            return {};
        return refused(m_openedAt, *m_caller, std::format("the tool call \"{}\" has no result", m_open.front()));
    }

    Result<Value> callsOf(const Message &message)
    {
        Value::List calls;
        m_openedAt = m_place;
        m_caller = &message;
        for (const ToolCallView &call : toolCalls(message)) {
            if (!call.hasId || call.id.empty())
                return refused(m_place, message, std::format("a call of \"{}\" has no id", call.name));
            if (std::ranges::find(m_open, call.id) != m_open.end())
                return refused(m_place, message, std::format("the id \"{}\" is there twice", call.id));
            m_open.emplace_back(call.id);
            calls.push_back(Value::map({{"type", Value("function")}, {"id", Value(call.id)},
                {"function", Value::map({{"name", Value(call.name)}, {"arguments", Value(toJson(*call.args))}})}}));
        }
        return Value(std::move(calls));
    }

    std::vector<std::string> m_open; ///< calls without a result so far
    const Message *m_caller = nullptr;
    std::int64_t m_openedAt = 0;
    std::int64_t m_place = 0;
};

} // namespace

Result<void> writeOpenAi(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    WriteProgress progress(out, job, transcript.entries.size());
    Converter converter;
    std::int64_t place = 0;
    out << "{\"messages\": [";
    for (const TranscriptMessage *entry : messagesOf(transcript)) {
        const Result<Value> message = converter.add(*entry->message, place);
        if (!message)
            return tl::unexpected(message.error());
        out << (place++ > 0 ? ", " : "") << toJson(*message);
        if (Result<void> step = progress.step(); !step)
            return step;
    }
    if (Result<void> done = converter.finish(); !done)
        return done;
    out << "]}\n";
    return progress.step();
}

} // namespace palimpsest
