// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/compacttool.h"

#include "core/compaction/stages/archive.h"
#include "core/compaction/stages/cutoff.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/compaction/stages/trigger.h"
#include "core/thread/events.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// `_compact_threshold`
std::int64_t half(double value)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(value * 0.5));
}

bool isMet(const ContextSize &size, const RequestView &view, const CompactionRules &rules)
{
    if (size.kind == ContextSize::Kind::Messages)
        return view.size() >= half(size.value);
    double tokens = size.value;
    if (size.kind == ContextSize::Kind::Fraction) {
        if (!rules.maxInputTokens)
            return false;
        tokens = static_cast<double>(*rules.maxInputTokens) * size.value;
    }
    const auto reported = reportedTokens(view, rules);
    return reported && *reported >= half(tokens);
}

} // namespace

bool isEligibleForCompaction(const RequestView &effective, const CompactionRules &rules)
{
    return std::any_of(rules.trigger.begin(), rules.trigger.end(), [&](const TriggerClause &clause) {
        return std::all_of(
            clause.begin(), clause.end(), [&](const ContextSize &size) { return isMet(size, effective, rules); });
    });
}

MessagePtr CompactToolResult::message() const
{
    auto tool = std::make_shared<Message>();
    tool->kind = MessageKind::Tool;
    tool->type = "tool";
    tool->content = Value(text);
    tool->toolCallId = toolCallId;
    tool->status = "success";
    return tool;
}

CompactToolResult runCompactTool(const PipelineCall &call, const CompactionRules &rules, PipelineServices &services)
{
    CompactToolResult result;
    result.toolCallId = call.toolCallId;
    result.text = "Nothing to compact yet \xE2\x80\x94 conversation is within the token budget.";
    if (!isEligibleForCompaction(call.effective, rules))
        return result;
    const std::int64_t cutoff = determineCutoffIndex(call.effective, rules);
    result.cutoffIndex = cutoff;
    if (cutoff == 0)
        return result;

    const std::string sessionId = call.sessionId.empty() ? freshSessionId(services.names) : std::string(call.sessionId);
    SummaryRequest request{call.taskId, call.toolCallId, {}, &rules, &call.effective, cutoff};
    if (summaryNeedsMessages(request, services))
        request.messages = call.effective.messages(0, cutoff);
    const auto fail = [&](const Raised &error) {
        result.answer = CompactToolResult::Answer::Failed;
        result.text = "Compaction failed: an error occurred while generating the summary (" + error.type + ": "
            + error.message
            + "). The conversation has not been compacted \xE2\x80\x94 no messages were summarized or removed.";
        return result;
    };
    auto summary = askForSummary(request, services);
    if (!summary)
        return fail(summary.error());
    result.summaryPrompts = std::move(summary->prompts);
    result.promptTokens = summary->promptTokens;
    result.summaryText = summary->text;

    std::optional<std::string> path;
    const std::string_view name = call.archiveName.value_or(sessionId);
    if (services.texts) {
        auto write = offloadToBackend(request.messages, name, call.timestamp, services.backend);
        if (!write)
            return fail(write.error());
        path = std::move(write->path);
        if (!write->warning.empty())
            result.warnings.push_back(write->warning);
    } else if (services.backend.options().failures.write == BackendFailure::None) {
        path = rules.historyPrefix + "/" + std::string(name) + ".md";
    }

    auto event = std::make_shared<SummarizationEvent>();
    event->cutoffIndex = stateCutoff(call.prior.get(), cutoff).value_or(cutoff);
    event->summaryMessage = summaryMessage(summary->text, path);
    event->filePath = path;
    if (rules.dialect.eventHasCreatedAtIndex)
        event->createdAtIndex = call.messageCount;
    result.event = std::move(event);
    result.answer = CompactToolResult::Answer::Compacted;
    result.sessionId = sessionId;
    result.summarized = cutoff;
    result.text = "Conversation compacted. Summarized " + std::to_string(cutoff) + " messages into a concise summary.";
    return result;
}

} // namespace palimpsest
