// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summaryprompt.h"

#include "core/base/text.h"
#include "core/compaction/stages/bufferstring.h"
#include "core/compaction/stages/summarytexts.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Python's str.isspace() for one code point (the same set in Unicode 14 and 15).
bool isSpace(char32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680
        || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// str.format with one field, `messages`.
Attempt<std::string> format(std::string_view prompt, std::string_view messages)
{
    std::string out;
    for (std::size_t at = 0; at < prompt.size();) {
        const std::size_t brace = prompt.find_first_of("{}", at);
        if (brace == std::string_view::npos) {
            out += prompt.substr(at);
            break;
        }
        out += prompt.substr(at, brace - at);
        const bool doubled = brace + 1 < prompt.size() && prompt[brace + 1] == prompt[brace];
        if (doubled) {
            out += prompt[brace];
            at = brace + 2;
            continue;
        }
        if (prompt[brace] == '}')
            return raised("ValueError", "Single '}' encountered in format string");
        const std::size_t end = prompt.find_first_of("{}", brace + 1);
        if (end == std::string_view::npos)
            return raised("ValueError",
                brace + 1 == prompt.size() ? "Single '{' encountered in format string"
                                           : "expected '}' before end of string");
        if (prompt[end] == '{')
            return raised("ValueError", "unexpected '{' in field name");
        const std::string_view field = prompt.substr(brace + 1, end - brace - 1);
        if (field != "messages")
            return raised("KeyError", "'" + std::string(field) + "'");
        out += messages;
        at = end + 1;
    }
    return out;
}

} // namespace

const std::string &defaultSummaryPrompt()
{
    static const std::string prompt = std::string(texts::summaryPromptHead) + std::string(texts::summaryPromptTail);
    return prompt;
}

const std::string &deepAgentsSummaryPrompt()
{
    static const std::string prompt = std::string(texts::summaryPromptHead) + "\n"
        + std::string(texts::mediaReferencePrompt) + "\n" + std::string(texts::summaryPromptTail);
    return prompt;
}

std::string_view rightStripped(std::string_view text)
{
    std::size_t end = text.size();
    while (end > 0) {
        std::size_t start = end - 1;
        while (start > 0 && end - start < 4 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80)
            --start;
        std::size_t at = start;
        const char32_t c = text::next(text, at);
        if (at != end || !isSpace(c))
            break;
        end = start;
    }
    return text.substr(0, end);
}

std::string_view stripped(std::string_view text)
{
    text = rightStripped(text);
    for (std::size_t at = 0; at < text.size();) {
        std::size_t next = at;
        if (!isSpace(text::next(text, next)))
            return text.substr(at);
        at = next;
    }
    return {};
}

Attempt<std::string> formatSummaryPrompt(const std::string &prompt, const std::vector<MessagePtr> &messages)
{
    const auto xml = bufferStringXml(messages);
    if (!xml)
        return tl::unexpected(xml.error());
    auto formatted = format(prompt, *xml);
    if (formatted)
        formatted->resize(rightStripped(*formatted).size());
    return formatted;
}

Attempt<std::optional<std::string>> overflowRetryPrompt(
    const CompactionRules &rules, const std::vector<MessagePtr> &messages)
{
    const auto xml = bufferStringXml(messages);
    if (!xml)
        return tl::unexpected(xml.error());
    Message human;
    human.kind = MessageKind::Human;
    human.type = "human";
    human.content = Value(*xml);
    const std::int64_t tokens = messageTokens(human, rules.counter.charsPerToken).value_or(0);
    std::int64_t budget = tokens / 2;
    if (rules.maxInputTokens)
        budget = std::min(budget, *rules.maxInputTokens * 2 / 5);
    const std::int64_t kept =
        static_cast<std::int64_t>(text::length(*xml)) * budget / std::max<std::int64_t>(tokens, 1);
    if (kept <= 0)
        return std::optional<std::string>();
    const auto head = static_cast<std::size_t>(kept / 4);
    const auto tail = static_cast<std::size_t>(kept) - head;
    std::string cut(text::head(*xml, head));
    cut += "\n\n[... middle of conversation omitted ...]\n\n";
    cut += text::tail(*xml, tail);
    auto formatted = format(rules.summaryPrompt, cut);
    if (!formatted)
        return tl::unexpected(formatted.error());
    formatted->resize(rightStripped(*formatted).size());
    return std::optional(std::move(*formatted));
}

MessagePtr withSystemText(const MessagePtr &system, const std::string &fragment)
{
    auto message = system ? std::make_shared<Message>(*system) : std::make_shared<Message>();
    message->kind = MessageKind::System;
    message->type = "system";
    Value::List blocks;
    if (system) {
        if (message->content.isText() && !message->content.asText().empty())
            blocks.push_back(Value::map({{"type", Value("text")}, {"text", message->content}}));
        else
            blocks = message->content.asList();
    }
    blocks.push_back(
        Value::map({{"type", Value("text")}, {"text", Value(blocks.empty() ? fragment : "\n\n" + fragment)}}));
    message->content = Value(std::move(blocks));
    return message;
}

} // namespace palimpsest
