// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarymessage.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace palimpsest {
namespace {

/// Words by which a user says how things are to be done from then on.
bool isInstruction(std::string_view sentence)
{
    static constexpr std::array<std::string_view, 11> marks{"always ", "never ", "from now on", "do not ", "don't ",
        "you must ", "make sure ", "under no circumstances", "at all times", "important:", "for the rest of"};
    const std::string lower = folded(sentence);
    return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
        const std::size_t at = lower.find(mark);
        return at == 0 || (at != std::string::npos && !((lower[at - 1] >= 'a' && lower[at - 1] <= 'z')));
    });
}

std::vector<std::string_view> sentences(std::string_view text)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const bool end = at == text.size() || text[at] == '\n' || text[at] == '!' || text[at] == ';'
            || (text[at] == '.' && (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\n'));
        if (!end)
            continue;
        const std::string_view part = text.substr(begin, at - begin);
        const std::size_t word = part.find_first_not_of(" \t-*");
        if (word != std::string_view::npos)
            parts.push_back(part.substr(word));
        begin = at + 1;
    }
    return parts;
}

struct Instruction {
    MessagePtr message;
    std::int64_t raw = 0;
    std::string words;
    std::vector<std::string> terms;
};

/// Long texts are documents, not orders.
constexpr std::size_t longest = 20000;

void collect(std::vector<Instruction> &instructions, const MessagePtr &message, std::int64_t raw)
{
    if (message->kind != MessageKind::Human || isSummaryMessage(*message))
        return;
    const std::string text = textOf(*message);
    if (text.size() > longest)
        return;
    for (const std::string_view sentence : sentences(text)) {
        if (!isInstruction(sentence))
            continue;
        Instruction found{message, raw, std::string(sentence), keyTerms(sentence)};
        if (found.terms.size() >= 2)
            instructions.push_back(std::move(found));
    }
}

void check(const LintContext &context, FindingSink &sink)
{
    std::unordered_set<const Message *> looked;
    std::vector<Instruction> instructions;
    std::unordered_set<std::string> reported;
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited)
            continue;
        const MessageLog &log = context.ns.checkpoints[record.checkpoint.at()].messages;
        for (std::int64_t i = record.evicted.first.value; i < record.evicted.end.value; ++i) {
            const MessagePtr &message = log[static_cast<std::size_t>(i)];
            if (looked.insert(message.get()).second)
                collect(instructions, message, i);
        }
        if (reported.size() == instructions.size())
            continue;
        std::string seen = folded(summaryWords(*record.event));
        for (std::size_t i = static_cast<std::size_t>(record.evicted.end.value); i < log.size(); ++i)
            if (log[i]->kind == MessageKind::Human)
                seen += folded(wordsOf(*log[i]));
        for (const Instruction &instruction : instructions) {
            const std::string key = std::to_string(instruction.raw) + "/" + instruction.words;
            if (termsIn(instruction.terms, seen) * 3 > instruction.terms.size() || !reported.insert(key).second)
                continue;
            Finding finding = eventFinding("instruction-lost", Finding::Severity::Warning, record,
                "The user's instruction in message " + std::to_string(instruction.raw)
                    + " is mentioned neither by the summary nor by a user message in the kept window.",
                Value::map({{"instruction", Value(instruction.words)}, {"raw_index", Value(instruction.raw)},
                    {"in_an_earlier_summary", Value(instruction.raw < record.evicted.first.value)}}));
            finding.messageId = instruction.message->id;
            seeFromEvent(context, sink, std::move(finding), key, record);
        }
    }
}

} // namespace

const Rule rules::instructionLost{
    {"instruction-lost", Finding::Severity::Warning,
        "A standing instruction of the user (\"always\", \"never\", \"from now on\") is in neither the summary nor the "
        "kept window.",
        "Put standing instructions into the system prompt or a memory file; ask for them in the summary prompt.",
        "langchain/agents/middleware/summarization.py DEFAULT_SUMMARY_PROMPT, 1.5.2"},
    &check};

} // namespace palimpsest
