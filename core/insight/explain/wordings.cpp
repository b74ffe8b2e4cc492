// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/explain/wordings.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace palimpsest {
namespace {

/// All of these words stand in the text, folded as fold() does it: lower case, every quote a single one.
struct Wording {
    std::array<std::string_view, 2> words;
    std::string_view rule;
    std::string_view provider;
    std::string_view cause;
};

/// More exact wordings first. Sources: the error texts of Anthropic's Messages API, OpenAI's Chat Completions and
/// Responses APIs, Gemini's generateContent, Bedrock's Converse, Mistral's and DeepSeek's chat APIs, and the checks of
/// langchain_anthropic and langgraph's create_react_agent.
constexpr std::array wordings = std::to_array<Wording>({
    {{"unexpected 'tool_use_id' found in", "tool_result' blocks"}, "orphan-tool-result", "anthropic",
        "A tool result is in the request whose call is not in the message before it."},
    {{"tool_use' ids were found without 'tool_result' blocks", ""}, "unanswered-tool-call", "anthropic",
        "A tool call is in the request that no result follows."},
    {{"tool_use' block must have a corresponding 'tool_result'", ""}, "unanswered-tool-call", "anthropic",
        "A tool call is in the request that no result follows."},
    {{"must have a corresponding 'tool_use' block", ""}, "orphan-tool-result", "anthropic",
        "A tool result is in the request whose call is not in the message before it."},
    {{"multiple 'tool_result' blocks with id", ""}, "misplaced-tool-result", "anthropic",
        "A tool call has more than one result."},
    {{"'tool_use' ids must be unique", ""}, "tool-call-id", "anthropic", "Two tool calls have the same id."},
    {{"tool_use.id", "pattern"}, "tool-call-id", "anthropic",
        "A tool call's id is of a form that the provider refuses."},
    {{"tool_use_id", "pattern"}, "tool-call-id", "anthropic",
        "A tool call's id is of a form that the provider refuses."},
    {{"tool_use.input", "valid dictionary"}, "malformed-arguments", "anthropic",
        "A tool call's arguments are no JSON object."},
    {{"tool_use.input", "field required"}, "malformed-arguments", "anthropic", "A tool call has no arguments."},
    {{"at least one message is required", ""}, "empty-request", "anthropic", "The request held no message."},
    {{"first message must use the", "role"}, "user-turn-missing", "anthropic",
        "The request does not begin with a user turn."},
    {{"conversation must end with a user message", ""}, "user-turn-missing", "anthropic",
        "The request ends with a turn of the model itself."},
    {{"multiple non-consecutive system messages", ""}, "two-system-messages", "anthropic",
        "System messages stand inside the conversation."},
    {{"unexpected role 'system'", ""}, "two-system-messages", "anthropic",
        "A system message stands inside the conversation."},
    {{"text content blocks must", "non-"}, "empty-content", "anthropic", "A text block is empty."},
    {{"cache_control cannot be set for empty text blocks", ""}, "empty-content", "anthropic", "A text block is empty."},
    {{"must have non-empty content", ""}, "empty-content", "anthropic", "A message has no content."},
    {{"expected 'thinking' or 'redacted_thinking'", ""}, "reasoning-without-partner", "anthropic",
        "A tool call stands without the thinking that it came with."},
    {{"thinking", "cannot be modified"}, "reasoning-without-partner", "anthropic",
        "Thinking was changed or moved away from its place."},
    {{"invalid 'signature' in 'thinking' block", ""}, "reasoning-without-partner", "anthropic",
        "Thinking is bound to another conversation or model."},
    {{"prompt is too long", ""}, "context-overflow", "anthropic", "The request was larger than the model's window."},
    {{"input length and 'max_tokens' exceed context limit", ""}, "context-overflow", "anthropic",
        "The request and the answer asked for are together larger than the model's window."},
    {{"expected toolresult blocks at", ""}, "unanswered-tool-call", "anthropic",
        "A tool call is in the request that no result follows."},
    {{"number of toolresult blocks", "exceeds the number of tooluse blocks"}, "orphan-tool-result", "anthropic",
        "A tool result is in the request whose call is not in the turn before it."},
    {{"conversation must start with a user message", ""}, "user-turn-missing", "anthropic",
        "The request does not begin with a user turn."},
    {{"content field in the message object at", "is empty"}, "empty-content", "anthropic", "A message has no content."},
    {{"input is too long for requested model", ""}, "context-overflow", "anthropic",
        "The request was larger than the model's window."},
    {{"no tool call found for", "call output"}, "orphan-tool-result", "openai-responses",
        "A function call's output is in the request, the call is not."},
    {{"no tool output found for", "call"}, "unanswered-tool-call", "openai-responses",
        "A function call is in the request, its output is not."},
    {{"of type 'reasoning' was provided without its required following item", ""}, "reasoning-without-partner",
        "openai-responses", "A reasoning item stands without the item that was made from it."},
    {{"was provided without its required 'reasoning' item", ""}, "reasoning-without-partner", "openai-responses",
        "An item stands without the reasoning that it was made from."},
    {{"items are not persisted when 'store' is set to false", ""}, "reasoning-without-partner", "openai-responses",
        "An item is named that the provider has not kept; reasoning must then be sent back whole."},
    {{"encrypted content", "could not be verified"}, "reasoning-without-partner", "openai-responses",
        "Reasoning is bound to another model or organisation."},
    {{"duplicate item found with id", ""}, "tool-call-id", "openai-responses", "An item is in the request twice."},
    {{"expected an id that begins with", ""}, "tool-call-id", "openai-responses",
        "An item's id is of a form that the provider refuses: it came from another API."},
    {{"exceeds the context window", ""}, "context-overflow", "openai-responses",
        "The request was larger than the model's window."},
    {{"input tokens exceed the configured limit", ""}, "context-overflow", "openai-responses",
        "The request was larger than the model's window."},
    {{"role 'tool' must be a response to", "'tool_calls'"}, "orphan-tool-result", "openai",
        "A tool result is in the request, the call that it answers is not in front of it."},
    {{"role 'tool' must have a 'tool_call_id'", ""}, "orphan-tool-result", "openai", "A tool result names no call."},
    {{"must be followed by tool messages responding to each", ""}, "unanswered-tool-call", "openai",
        "A tool call is in the request that no result follows."},
    {{"did not have response messages", ""}, "unanswered-tool-call", "openai",
        "A tool call is in the request that no result follows."},
    {{"insufficient tool messages following tool_calls", ""}, "unanswered-tool-call", "openai",
        "A tool call is in the request that no result follows."},
    {{"tool_calls that do not have a corresponding toolmessage", ""}, "unanswered-tool-call", "openai",
        "A tool call is in the history that no result follows; LangGraph itself refused to send it."},
    {{"not the same number of function calls and responses", ""}, "unanswered-tool-call", "openai",
        "The results behind a turn of tool calls are fewer or more than the calls."},
    {{"unexpected tool call id", "in tool results"}, "orphan-tool-result", "openai",
        "A tool result is in the request whose call is not in the message before it."},
    {{"tool call id was", "but must be"}, "tool-call-id", "openai",
        "A tool call's id is of a form that the provider refuses."},
    {{"expected last role user or tool", ""}, "user-turn-missing", "openai",
        "The request ends with a turn of the model itself."},
    {{"reasoning_content", "must be passed back"}, "reasoning-without-partner", "openai",
        "A tool call stands without the reasoning that it came with."},
    {{"is too short - 'messages'", ""}, "empty-request", "openai", "The request held no message."},
    {{"invalid 'messages': empty array", ""}, "empty-request", "openai", "The request held no message."},
    {{".id'", "string too long"}, "tool-call-id", "openai", "A tool call's id is longer than the provider takes."},
    {{"tool_call_id", "string too long"}, "tool-call-id", "openai",
        "A tool call's id is longer than the provider takes."},
    {{"call_id", "string too long"}, "tool-call-id", "openai-responses",
        "A tool call's id is longer than the provider takes."},
    {{"content'", "got null"}, "empty-content", "openai", "A message has no content."},
    {{"maximum context length", ""}, "context-overflow", "openai", "The request was larger than the model's window."},
    {{"context_length_exceeded", ""}, "context-overflow", "openai", "The request was larger than the model's window."},
    {{"exceeds the available context size", ""}, "context-overflow", "",
        "The request was larger than the model's window."},
    {{"longer than the maximum model length", ""}, "context-overflow", "",
        "The request was larger than the model's window."},
    {{"request_too_large", ""}, "context-overflow", "anthropic", "The request was larger than the provider takes."},
    {{"contextoverflowerror", ""}, "context-overflow", "", "The request was larger than the model's window."},
    {{"invalid_chat_history", ""}, "unanswered-tool-call", "",
        "A tool call is in the history that no result follows; LangGraph itself refused to send it."},
    {{"invalid_tool_results", ""}, "unanswered-tool-call", "",
        "The results behind a turn of tool calls are fewer or more than the calls."},
    {{"number of function response parts is equal to", ""}, "unanswered-tool-call", "gemini",
        "The results behind a turn of function calls are fewer or more than the calls."},
    {{"number of function response parts should be equal to", ""}, "unanswered-tool-call", "gemini",
        "The results behind a turn of function calls are fewer or more than the calls."},
    {{"function response turn comes immediately after a function call turn", ""}, "orphan-tool-result", "gemini",
        "A function's result is in the request, its call is not in the turn before it."},
    {{"function call turn comes immediately after a user turn", ""}, "user-turn-missing", "gemini",
        "A function call stands where no user turn or function result is before it."},
    {{"single turn requests end with a user role", ""}, "user-turn-missing", "gemini",
        "The request ends with a turn of the model itself."},
    {{"missing a 'thought_signature'", ""}, "reasoning-without-partner", "gemini",
        "A function call stands without the signature of the thought that it came with."},
    {{"missing a thought_signature", ""}, "reasoning-without-partner", "gemini",
        "A function call stands without the signature of the thought that it came with."},
    {{"parts must not be empty", ""}, "empty-content", "gemini", "A message has no content."},
    {{"must include at least one parts field", ""}, "empty-content", "gemini", "A message has no content."},
    {{"contents is not specified", ""}, "empty-request", "gemini", "The request held no content."},
    {{"contents are required", ""}, "empty-request", "gemini", "The request held no content."},
    {{"input token count", "exceeds the maximum"}, "context-overflow", "gemini",
        "The request was larger than the model's window."},
});

/// Escapes opened, every quote a single one, blanks and the frames of terminals run together: as a log, a JSON document
/// inside another or a wrapped terminal shows a text, it reads the same.
std::string fold(std::string_view text)
{
    static constexpr std::array<std::string_view, 7> quotes{
        "\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9C", "\xE2\x80\x9D", "\"", "`", "'"};
    static constexpr std::array<std::string_view, 9> blanks{
        "\xE2\x94\x82", "\xC2\xA0", "\\n", "\\t", " ", "\n", "\r", "\t", "|"};
    std::string out;
    out.reserve(text.size());
    const auto begins = [&](std::size_t at, const auto &list) {
        const auto found =
            std::ranges::find_if(list, [&](std::string_view one) { return text.substr(at).starts_with(one); });
        return found == list.end() ? std::size_t{0} : found->size();
    };
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t blank = begins(i, blanks)) {
            if (!out.empty() && out.back() != ' ')
                out += ' ';
            i += blank;
        } else if (const std::size_t quote = begins(i, quotes)) {
            out += '\'';
            i += quote;
        } else {
            if (text[i] != '\\')
                out += text[i];
            ++i;
        }
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
    for (const std::string_view name : {"messages", "message", "input", "contents"}) {
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
    for (const std::string_view phrase : {"blocks immediately after: ", "tool_result' blocks: ", "blocks with id: ",
             "response messages: ", "with call_id ", "call with id ", "for function call ", "for custom tool call ",
             "tool_call_id: ", "following Ids: ", "Unexpected tool call id ", "Tool call id was ", "'id': "}) {
        std::size_t at = text.find(phrase);
        if (at == std::string_view::npos)
            continue;
        at += phrase.size();
        // A list, with commas between.
        for (;;) {
            while (at < text.size() && (text[at] == ' ' || text[at] == '\''))
                ++at;
            std::size_t end = at;
            while (end < text.size() && isIdByte(text[end]))
                ++end;
            if (end == at)
                break;
            add(text.substr(at, end - at));
            while (end < text.size() && text[end] == '\'')
                ++end;
            if (end >= text.size() || text[end] != ',')
                break;
            at = end + 1;
        }
    }
    for (const std::string_view prefix : {"toolu_", "srvtoolu_", "tooluse_", "call_", "rs_", "fc_", "msg_"}) {
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
    const std::string open = fold(text);
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
