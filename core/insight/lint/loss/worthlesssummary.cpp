// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarymessage.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"
#include "core/serde/json.h"

#include <algorithm>

namespace palimpsest {
namespace {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blank);
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

bool isReasoning(const Value &block)
{
    const std::string &type = block["type"].asText();
    return type == "reasoning" || type == "thinking" || type == "redacted_thinking" || type == "reasoning_content";
}

/// A list of blocks, as JSON or as Python prints it, of which none is a text.
bool isReasoningDump(std::string_view text)
{
    if ((!text.starts_with('[') || !text.ends_with(']')) && (!text.starts_with('{') || !text.ends_with('}')))
        return false;
    if (const Result<Value> json = parseJson(text)) {
        const Value::List blocks = json->isList() ? json->asList() : Value::List{*json};
        return !blocks.empty() && std::all_of(blocks.begin(), blocks.end(), isReasoning);
    }
    const bool python = text.find("{'type': 'reasoning'") != std::string_view::npos
        || text.find("{'type': 'thinking'") != std::string_view::npos
        || text.find("'type': 'reasoning_content'") != std::string_view::npos;
    return python && text.find("'type': 'text'") == std::string_view::npos;
}

/// Why the summary's body says nothing of the conversation; empty when it may. A body that only quotes one of the
/// phrases is a summary.
std::string whyWorthless(std::string_view body)
{
    const std::string_view text = trimmed(body);
    if (text.empty())
        return "it is empty";
    if (text.starts_with("Error generating summary:") && text.find("\n## ") == std::string_view::npos)
        return "it is an error message";
    for (const std::string_view phrase :
        {"Previous conversation was too long to summarize.", "No previous conversation history."})
        if (text == phrase)
            return "it is the placeholder \"" + std::string(phrase) + "\"";
    if (isReasoningDump(text))
        return "it is a dump of reasoning blocks";
    return {};
}

/// Summaries that LangChain's middleware put into the log itself.
void checkLogs(const LintContext &context, FindingSink &sink)
{
    const auto &checkpoints = context.ns.checkpoints;
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        const MessageLog &log = checkpoints[i].messages;
        if (log.empty() || !isSummaryMessage(*log.front()))
            continue;
        const MessagePtr &summary = log.front();
        const std::string why = whyWorthless(summaryTextOf(*summary));
        if (why.empty())
            continue;
        const Checkpoint *before = checkpoints[i].parent.isValid() ? &checkpoints[checkpoints[i].parent.at()] : nullptr;
        const std::size_t kept = log.size() - 1;
        const std::int64_t hidden =
            before && before->messages.size() > kept ? static_cast<std::int64_t>(before->messages.size() - kept) : 0;
        Finding finding;
        finding.rule = "worthless-summary";
        finding.severity = Finding::Severity::Error;
        finding.messageId = summary->id;
        finding.message =
            "The summary says nothing of the " + std::to_string(hidden) + " messages that it replaced: " + why + ".";
        finding.evidence = Value::map({{"why", Value(why)}, {"hidden_messages", Value(hidden)},
            {"last_good_checkpoint_id", before ? Value(before->id) : Value()}});
        sink.see(std::move(finding), summary->id.value_or(why), CheckpointIndex(i));
    }
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || !record.event->summaryMessage)
            continue;
        const std::string why = whyWorthless(summaryWords(*record.event));
        if (why.empty())
            continue;
        // An earlier summary that was as bad hides messages too.
        CheckpointIndex good = context.ns.checkpoints[record.checkpoint.at()].parent;
        std::int64_t hidden = record.evictedCount();
        while (good.isValid() && context.ns.checkpoints[good.at()].event
            && !whyWorthless(summaryWords(*context.ns.checkpoints[good.at()].event)).empty())
            good = context.ns.checkpoints[good.at()].parent;
        if (!good.isValid() || !context.ns.checkpoints[good.at()].event)
            hidden = record.evicted.end.value;
        Finding finding = eventFinding("worthless-summary", Finding::Severity::Error, record,
            "The summary says nothing of the " + std::to_string(hidden) + " messages behind it: " + why + ".",
            Value::map({{"why", Value(why)}, {"hidden_messages", Value(hidden)},
                {"raw_from", Value(record.evicted.end.value - hidden)}, {"raw_to", Value(record.evicted.end.value)},
                {"last_good_checkpoint_id", good.isValid() ? Value(context.ns.checkpoints[good.at()].id) : Value()}}));
        finding.messageId = record.event->summaryMessage->id;
        seeFromEvent(context, sink, std::move(finding), context.ns.checkpoints[record.checkpoint.at()].id, record);
    }
    checkLogs(context, sink);
}

} // namespace

const Rule rules::worthlessSummary{
    {"worthless-summary", Finding::Severity::Error,
        "A summary is an error message, a placeholder, empty or a dump of reasoning: the messages behind it are gone "
        "for "
        "the model.",
        "Go back to the last good checkpoint, or clear _summarization_event, and let the summary be made again by a "
        "model that answers in text.",
        "langchain#38867, #39261; langchain/agents/middleware/summarization.py _create_summary, 1.5.2"},
    &check};

} // namespace palimpsest
