// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    for (std::size_t i = 0; i < context.ns.checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = context.ns.checkpoints[i];
        if (!checkpoint.event || checkpoint.event->malformed || checkpoint.incomplete)
            continue;
        const std::int64_t cutoff = checkpoint.event->cutoffIndex;
        const auto size = static_cast<std::int64_t>(checkpoint.messages.size());
        if (cutoff >= 0 && cutoff <= size)
            continue;
        Finding finding;
        finding.rule = "cutoff-out-of-range";
        finding.severity = Finding::Severity::Error;
        finding.message = "The event's cutoff is " + std::to_string(cutoff) + ", the log has " + std::to_string(size)
            + (cutoff < 0 ? " messages: Python counts it from the end."
                          : " messages: the model sees the summary and nothing else.");
        finding.evidence = Value::map({{"cutoff_index", Value(cutoff)}, {"messages", Value(size)}});
        sink.see(std::move(finding), std::to_string(cutoff), CheckpointIndex(i));
    }
}

} // namespace

const Rule rules::cutoffOutOfRange{
    {"cutoff-out-of-range", Finding::Severity::Error, "An event's cutoff lies outside the log of its checkpoint.",
        "Look for what shortened the log (RemoveMessage, an Overwrite, a parent's event in a subagent) after the event "
        "was made.",
        "deepagents/middleware/summarization.py _apply_event_to_messages, 0.7.7"},
    &check};

} // namespace palimpsest
