// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/explain/wordings.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace palimpsest {
namespace {

/// All of these words, in lower case, stand in the text.
struct Wording {
    std::array<std::string_view, 2> words;
    std::string_view rule;
    std::string_view provider;
    std::string_view cause;
};

/// More exact wordings first. Sources: the error texts of Anthropic's Messages API, OpenAI's Chat Completions and
/// Responses APIs, Gemini's generateContent, and langchain_anthropic's own check.
constexpr std::array<Wording, 39> wordings{{
    {{"unexpected `tool_use_id` found in `tool_result` blocks", ""}, "orphan-tool-result", "anthropic",
        "A tool result is in the request whose call is not in the message before it."},
    {{"tool_use` ids were found without `tool_result` blocks", ""}, "unanswered-tool-call", "anthropic",
        "A tool call is in the request that no result follows."},
    {{"must have a corresponding `tool_use` block", ""}, "orphan-tool-result", "anthropic",
        "A tool result is in the request whose call is not in the message before it."},
    {{"multiple `tool_result` blocks with id", ""}, "misplaced-tool-result", "anthropic",
        "A tool call has more than one result."},
    {{"`tool_use` ids must be unique", ""}, "tool-call-id", "anthropic", "Two tool calls have the same id."},
    {{"tool_use.id", "pattern"}, "tool-call-id", "anthropic",
        "A tool call's id is of a form that the provider refuses."},
    {{"tool_use_id", "pattern"}, "tool-call-id", "anthropic",
        "A tool call's id is of a form that the provider refuses."},
    {{"tool_use.input", "valid dictionary"}, "malformed-arguments", "anthropic",
        "A tool call's arguments are no JSON object."},
    {{"at least one message is required", ""}, "empty-request", "anthropic", "The request held no message."},
    {{"first message must use the", "role"}, "user-turn-missing", "anthropic",
        "The request does not begin with a user turn."},
    {{"multiple non-consecutive system messages", ""}, "two-system-messages", "anthropic",
        "System messages stand inside the conversation."},
    {{"unexpected role \"system\"", ""}, "two-system-messages", "anthropic",
        "A system message stands inside the conversation."},
    {{"text content blocks must", "non-"}, "empty-content", "anthropic", "A text block is empty."},
    {{"must have non-empty content", ""}, "empty-content", "anthropic", "A message has no content."},
    {{"expected `thinking` or `redacted_thinking`", ""}, "reasoning-without-partner", "anthropic",
        "A tool call stands without the thinking that it came with."},
    {{"thinking", "cannot be modified"}, "reasoning-without-partner", "anthropic",
        "Thinking was changed or moved away from its place."},
    {{"invalid `signature` in `thinking` block", ""}, "reasoning-without-partner", "anthropic",
        "Thinking is bound to another conversation or model."},
    {{"prompt is too long", ""}, "context-overflow", "anthropic", "The request was larger than the model's window."},
    {{"no tool call found for function call output", ""}, "orphan-tool-result", "openai-responses",
        "A function call's output is in the request, the call is not."},
    {{"no tool output found for function call", ""}, "unanswered-tool-call", "openai-responses",
        "A function call is in the request, its output is not."},
    {{"of type 'reasoning' was provided without its required following item", ""}, "reasoning-without-partner",
        "openai-responses", "A reasoning item stands without the item that was made from it."},
    {{"was provided without its required 'reasoning' item", ""}, "reasoning-without-partner", "openai-responses",
        "An item stands without the reasoning that it was made from."},
    {{"duplicate item found with id", ""}, "tool-call-id", "openai-responses", "An item is in the request twice."},
    {{"role 'tool' must be a response to", "'tool_calls'"}, "orphan-tool-result", "openai",
        "A tool result is in the request, the call that it answers is not in front of it."},
    {{"must be followed by tool messages responding to each", ""}, "unanswered-tool-call", "openai",
        "A tool call is in the request that no result follows."},
    {{"did not have response messages", ""}, "unanswered-tool-call", "openai",
        "A tool call is in the request that no result follows."},
    {{"is too short - 'messages'", ""}, "empty-request", "openai", "The request held no message."},
    {{"invalid 'messages': empty array", ""}, "empty-request", "openai", "The request held no message."},
    {{".id'", "string too long"}, "tool-call-id", "openai", "A tool call's id is longer than the provider takes."},
    {{"tool_call_id", "string too long"}, "tool-call-id", "openai",
        "A tool call's id is longer than the provider takes."},
    {{"call_id", "string too long"}, "tool-call-id", "openai-responses",
        "A tool call's id is longer than the provider takes."},
    {{".content'", "got null"}, "empty-content", "openai", "A message has no content."},
    {{"maximum context length", ""}, "context-overflow", "openai", "The request was larger than the model's window."},
    {{"context_length_exceeded", ""}, "context-overflow", "openai", "The request was larger than the model's window."},
    {{"number of function response parts is equal to", ""}, "unanswered-tool-call", "gemini",
        "The results behind a turn of function calls are fewer or more than the calls."},
    {{"function response turn comes immediately after a function call turn", ""}, "orphan-tool-result", "gemini",
        "A function's result is in the request, its call is not in the turn before it."},
    {{"function call turn comes immediately after a user turn", ""}, "user-turn-missing", "gemini",
        "A function call stands where no user turn or function result is before it."},
    {{"contents is not specified", ""}, "empty-request", "gemini", "The request held no content."},
    {{"input token count", "exceeds the maximum"}, "context-overflow", "gemini",
        "The request was larger than the model's window."},
}};

/// Lower case, escaped quotes opened, backquotes kept.
std::string plain(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()
            && (text[i + 1] == '\'' || text[i + 1] == '"' || text[i + 1] == '\\'))
            continue;
        out += text[i];
    }
    return out;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return text;
}

std::optional<std::int64_t> numberAt(std::string_view text, std::size_t at)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    return error == std::errc() && end != text.data() + at ? std::optional(value) : std::nullopt;
}

/// "messages.12", "messages[3]", "messages.[3]", "input[4]", "contents[2]".
std::optional<std::int64_t> indexIn(std::string_view text)
{
    for (const std::string_view name : {"messages", "input", "contents"}) {
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            std::size_t digits = at + name.size();
            while (digits < text.size() && (text[digits] == '.' || text[digits] == '['))
                ++digits;
            if (digits == at + name.size())
                continue;
            if (const auto number = numberAt(text, digits))
                return number;
        }
    }
    return std::nullopt;
}

bool isIdByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
        || c == '.' || c == '/' || c == ':';
}

/// Ids behind the phrases after which providers list them, and whatever bears a provider's prefix.
std::vector<std::string> idsIn(std::string_view text)
{
    std::vector<std::string> ids;
    const auto add = [&](std::string_view id) {
        while (!id.empty() && (id.back() == '.' || id.back() == ':'))
            id.remove_suffix(1);
        if (!id.empty() && std::find(ids.begin(), ids.end(), id) == ids.end())
            ids.emplace_back(id);
    };
    for (const std::string_view phrase : {"blocks immediately after: ", "tool_result` blocks: ", "blocks with id: ",
             "response messages: ", "with call_id ", "for function call ", "tool_call_id: "}) {
        std::size_t at = text.find(phrase);
        if (at == std::string_view::npos)
            continue;
        at += phrase.size();
        // A list, with commas between.
        for (;;) {
            while (at < text.size() && (text[at] == ' ' || text[at] == '\'' || text[at] == '"' || text[at] == '`'))
                ++at;
            std::size_t end = at;
            while (end < text.size() && isIdByte(text[end]))
                ++end;
            if (end == at)
                break;
            add(text.substr(at, end - at));
            while (end < text.size() && (text[end] == '\'' || text[end] == '"' || text[end] == '`'))
                ++end;
            if (end >= text.size() || text[end] != ',')
                break;
            at = end + 1;
        }
    }
    for (const std::string_view prefix : {"toolu_", "call_", "rs_", "fc_", "msg_"}) {
        for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
            if (at > 0 && isIdByte(text[at - 1]))
                continue;
            std::size_t end = at;
            while (end < text.size() && isIdByte(text[end]))
                ++end;
            const std::string_view id = text.substr(at, end - at);
            if (id != "call_id" && id.size() > prefix.size())
                add(id);
        }
    }
    return ids;
}

} // namespace

ErrorReading readErrorText(std::string_view text)
{
    const std::string open = plain(text);
    const std::string folded = lower(open);
    ErrorReading reading;
    for (const Wording &wording : wordings) {
        const bool fits = std::all_of(wording.words.begin(), wording.words.end(),
            [&](std::string_view word) { return folded.find(word) != std::string::npos; });
        if (!fits)
            continue;
        reading.rule = wording.rule;
        reading.provider = wording.provider;
        reading.cause = wording.cause;
        break;
    }
    reading.ids = idsIn(open);
    reading.index = indexIn(folded);
    return reading;
}

} // namespace palimpsest
