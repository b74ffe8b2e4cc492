// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    if (context.ns.name.empty())
        return;
    EventPtr known;
    const ThreadNamespace *owner = nullptr;
    for (std::size_t i = 0; i < context.ns.checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = context.ns.checkpoints[i];
        if (!checkpoint.event)
            continue;
        if (!known || !(*known == *checkpoint.event)) {
            known = checkpoint.event;
            owner = eventOwner(context.thread, context.ns, *known);
        }
        if (!owner)
            continue;
        Finding finding;
        finding.rule = "inherited-event";
        finding.severity = Finding::Severity::Error;
        finding.path = known->filePath;
        finding.message = "This subagent carries its parent's summarization event (cutoff "
            + std::to_string(known->cutoffIndex) + ") over its own log of " + std::to_string(checkpoint.messages.size())
            + " messages: it sees the parent's summary instead of its task.";
        finding.evidence = Value::map({{"parent_ns", Value(owner->name)}, {"cutoff_index", Value(known->cutoffIndex)},
            {"messages", Value(static_cast<std::int64_t>(checkpoint.messages.size()))}});
        sink.see(std::move(finding), std::to_string(known->cutoffIndex), CheckpointIndex(i));
    }
}

} // namespace

const Rule rules::inheritedEvent{
    {"inherited-event", Finding::Severity::Error,
        "A subagent runs with the summarization event of its parent and never saw its task.",
        "Exclude the private state keys from what a subagent is given (deepagents does since it passes no "
        "_summarization_event on).",
        "deepagents/middleware/subagents.py _EXCLUDED_STATE_KEYS, 0.7.7"},
    &check};

} // namespace palimpsest
