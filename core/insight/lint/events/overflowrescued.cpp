// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// The replay saw the provider refuse this call and then take it.
bool refusedThenTaken(const LintContext &context, const Call &call)
{
    if (!context.replay)
        return false;
    const auto place = static_cast<std::size_t>(call.number.value - 1);
    if (place >= context.replay->calls.size())
        return false;
    const auto attempts = context.replay->calls[place].result.attempts();
    return attempts.size() > 1 && attempts.front().outcome == PipelineAttempt::Outcome::ContextOverflow
        && attempts.back().outcome == PipelineAttempt::Outcome::Ok;
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const Call &call : context.ns.calls) {
        if (call.outcome != Call::Outcome::Ok)
            continue;
        const bool clipped = std::any_of(call.rewrites.begin(), call.rewrites.end(),
            [](const MessagePtr &message) { return message->kind == MessageKind::Tool; });
        const bool replayed = refusedThenTaken(context, call);
        if (!clipped && !replayed)
            continue;
        Finding finding;
        finding.rule = "overflow-rescued";
        finding.severity = Finding::Severity::Info;
        finding.taskId = call.taskId;
        const bool summarized = call.eventFrom == Call::EventFrom::ThisCall;
        finding.message = "Call " + std::to_string(call.number.value)
            + " was too large for the provider; it was rescued by "
            + (summarized && clipped ? "a summary and by clipping the last tool results."
                    : summarized     ? "a summary."
                                     : "clipping the last tool results.");
        Value::List clippedIds;
        for (const MessagePtr &message : call.rewrites)
            if (message->id)
                clippedIds.emplace_back(*message->id);
        finding.evidence = Value::map({{"call", Value(call.number.value)}, {"summarized", Value(summarized)},
            {"clipped_message_ids", Value(std::move(clippedIds))}, {"seen_in_replay", Value(replayed)}});
        if (replayed && !clipped && !context.settingsFrom.empty())
            finding.evidence = finding.evidence.with("assumed", Value(context.settingsFrom));
        sink.see(std::move(finding), call.taskId, call.checkpoint);
    }
}

} // namespace

const Rule rules::overflowRescued{
    {"overflow-rescued", Finding::Severity::Info,
        "The provider refused a request for its size, and the middleware made it fit.",
        "Nothing is broken; lower the trigger so that compaction comes before the refusal.",
        "deepagents/middleware/summarization.py wrap_model_call, _overflow_clip.py, 0.7.7"},
    &check};

} // namespace palimpsest
