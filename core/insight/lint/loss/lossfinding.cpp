// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"

#include "core/compaction/stages/summarymessage.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

bool isWordByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool isCommon(std::string_view word)
{
    static constexpr std::array<std::string_view, 44> common{"about", "after", "again", "also", "always", "before",
        "being", "could", "does", "done", "each", "else", "every", "from", "have", "into", "just", "like", "make",
        "more", "must", "need", "never", "only", "other", "please", "remember", "should", "some", "sure", "than",
        "that", "then", "there", "these", "they", "this", "until", "want", "when", "will", "with", "would", "your"};
    return std::binary_search(common.begin(), common.end(), word);
}

void appendTexts(std::string &out, const Value &value)
{
    if (value.isText()) {
        out += value.asText();
        out += '\n';
    } else if (value.isList()) {
        for (const Value &item : value.asList())
            appendTexts(out, item);
    } else if (value.isMap()) {
        for (const auto &[key, item] : value.asMap())
            appendTexts(out, item);
    }
}

} // namespace

Finding eventFinding(
    std::string_view rule, Finding::Severity severity, const EventRecord &record, std::string message, Value evidence)
{
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(message);
    finding.path = record.event->filePath;
    if (record.call)
        finding.taskId = record.call->taskId;
    finding.evidence = evidence.with("cutoff_index", Value(record.event->cutoffIndex));
    return finding;
}

void seeFromEvent(
    const LintContext &context, FindingSink &sink, Finding finding, const std::string &key, const EventRecord &record)
{
    seeFrom(context, sink, std::move(finding), key, record.checkpoint);
}

void seeFrom(
    const LintContext &context, FindingSink &sink, Finding finding, const std::string &key, CheckpointIndex checkpoint)
{
    const std::size_t handle = sink.see(std::move(finding), key, checkpoint);
    sink.extend(handle, context.material.lastDescendant(checkpoint));
}

CheckpointIndex firstWithout(const ThreadNamespace &ns, const ArchiveFile &file)
{
    // It is in none of them: `lastSeen` is the newest checkpoint that has it.
    const std::vector<CheckpointIndex> &children = ns.checkpoints[file.lastSeen.at()].children;
    return children.empty() ? file.lastSeen : children.front();
}

std::string rangeWords(const EvictedRange &range)
{
    if (range.end.value - range.first.value == 1)
        return "message " + std::to_string(range.first.value);
    return "messages " + std::to_string(range.first.value) + " to " + std::to_string(range.end.value - 1);
}

std::string summaryWords(const SummarizationEvent &event)
{
    return event.summaryMessage ? summaryTextOf(*event.summaryMessage) : std::string();
}

std::string wordsOf(const Message &message)
{
    std::string words;
    if (message.content.isText()) {
        words = message.content.asText() + "\n";
    } else {
        for (const Value &block : message.content.asList()) {
            if (block.isText())
                words += block.asText() + "\n";
            else if (block["text"].isText())
                words += block["text"].asText() + "\n";
            else if (block["input"].isMap())
                appendTexts(words, block["input"]);
        }
    }
    for (const ToolCallView &call : toolCalls(message))
        appendTexts(words, *call.args);
    return words;
}

std::string folded(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return lower;
}

std::vector<std::string> keyTerms(std::string_view text)
{
    const std::string lower = folded(text);
    std::vector<std::string> terms;
    for (std::size_t at = 0; at < lower.size();) {
        if (!isWordByte(lower[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        bool digit = false;
        while (end < lower.size() && isWordByte(lower[end]))
            digit |= lower[end] >= '0' && lower[end] <= '9', ++end;
        std::string word = lower.substr(at, end - at);
        at = end;
        if ((word.size() < 4 && !digit) || isCommon(word))
            continue;
        // Endings differ between a text and what is told of it.
        if (!digit && word.size() > 6)
            word.resize(6);
        if (std::find(terms.begin(), terms.end(), word) == terms.end())
            terms.push_back(std::move(word));
    }
    return terms;
}

std::size_t termsIn(const std::vector<std::string> &terms, std::string_view folded)
{
    return static_cast<std::size_t>(std::count_if(terms.begin(), terms.end(),
        [&](const std::string &term) { return folded.find(term) != std::string_view::npos; }));
}

} // namespace palimpsest
