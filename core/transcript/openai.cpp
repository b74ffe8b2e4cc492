// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/transcript/writers.h"
#include "core/values/json.h"

#include <algorithm>
#include <array>
#include <format>
#include <map>

namespace palimpsest {
namespace {

tl::unexpected<Error> refused(std::int64_t place, const Message &message, const std::string &why)
{
    return failure(Error::Code::Unsupported,
        std::format("message {} ({}{})", place, message.type, message.id ? " " + *message.id : ""),
        "a provider would refuse these messages: " + why
            + "; choose another range or another format, such as langchain");
}

bool isAddress(std::string_view text)
{
    return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("data:image/");
}

Value textPart(const std::string &text)
{
    return Value::map({{"type", Value("text")}, {"text", Value(text)}});
}

/// A name as the format allows it (`^[^\s<|\\/>]+$`, at most 64 characters).
std::string legalName(const std::string &name)
{
    std::string out(text::head(name, 64));
    for (char &c : out)
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '<' || c == '>' || c == '|' || c == '\\'
            || c == '/')
            c = '_';
    return out;
}

bool isLegalFunction(std::string_view name)
{
    const auto legal = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, legal);
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
        if (message.name && !message.name->empty() && message.kind != MessageKind::Tool)
            put("name", Value(legalName(*message.name)));
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
            put("tool_call_id", Value(shortId(*message.toolCallId)));
        }
        Result<Value> content = contentOf(message);
        if (!content)
            return content;
        put("content", std::move(*content));
        return Value(std::move(out));
    }

    Result<void> finish() { return checkAnswered(); }

private:
    /// An assistant's and a tool's content is text in this format; a user's may have pictures.
    [[nodiscard]] Result<Value> contentOf(const Message &message) const
    {
        if (message.content.isText())
            return message.content;
        Value::List parts;
        bool onlyText = true;
        for (const ContentPiece &piece : contentPieces(message)) {
            using Kind = ContentPiece::Kind;
            if (piece.kind == Kind::Reasoning)
                continue; // the chat format has no place for it
            const bool picture = piece.kind == Kind::Image || (piece.kind == Kind::Reference && isAddress(piece.text));
            if ((picture && message.kind != MessageKind::Human) || piece.kind == Kind::File)
                return refused(m_place, message,
                    std::format("{} has no place in it ({}); leave media out",
                        piece.mime.empty() ? "a picture" : piece.mime,
                        message.kind == MessageKind::Human ? "only pictures have one"
                                                           : "only a user's message has pictures"));
            constexpr std::array<std::string_view, 4> pictures{"image/png", "image/jpeg", "image/gif", "image/webp"};
            if (piece.kind == Kind::Image && std::ranges::find(pictures, piece.mime) == pictures.end())
                return refused(m_place, message,
                    std::format("{} is no picture that it takes (png, jpeg, gif, webp); leave media out", piece.mime));
            onlyText = onlyText && !picture;
            parts.push_back(picture ? Value::map({{"type", Value("image_url")},
                                          {"image_url", Value::map({{"url", Value(piece.text)}})}})
                                    : textPart(piece.text));
        }
        if (parts.empty())
            return Value("");
        if (onlyText && message.kind != MessageKind::Human)
            return Value(textOf(message));
        return Value(std::move(parts));
    }

    /// Ids have at most 40 characters; a longer one gets another name, the same for call and result.
    [[nodiscard]] std::string shortId(const std::string &id)
    {
        constexpr std::size_t longestId = 40;
        if (id.size() <= longestId)
            return id;
        const auto [it, isNew] = m_shortIds.try_emplace(id, m_shortIds.size() + 1);
        return std::format("call_renamed_{}", it->second);
    }

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
            if (!isLegalFunction(call.name))
                return refused(m_place, message,
                    std::format(
                        "\"{}\" is no legal name of a function (letters, digits, _ and -, at most 64)", call.name));
            m_open.emplace_back(call.id);
            calls.push_back(Value::map({{"type", Value("function")}, {"id", Value(shortId(std::string(call.id)))},
                {"function", Value::map({{"name", Value(call.name)}, {"arguments", Value(toJson(*call.args))}})}}));
        }
        return Value(std::move(calls));
    }

    std::map<std::string, std::size_t> m_shortIds;
    std::vector<std::string> m_open; ///< calls without a result so far
    const Message *m_caller = nullptr;
    std::int64_t m_openedAt = 0;
    std::int64_t m_place = 0;
};

Result<void> writeLine(std::ostream &out, const Transcript &transcript, WriteProgress &progress)
{
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
    if (place == 0)
        return failure(Error::Code::Unsupported, transcript.subject,
            "a provider would refuse an empty list of messages; choose another format");
    out << "]}\n";
    return progress.step();
}

} // namespace

Result<void> writeOpenAi(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    if (Result<void> fits = needsMessages(transcript); !fits)
        return fits;
    WriteProgress progress(out, job, entryCount(transcript));
    Result<void> done = writeLine(out, transcript, progress);
    for (const Transcript &part : transcript.parts)
        if (done)
            done = writeLine(out, part, progress);
    return done;
}

} // namespace palimpsest
