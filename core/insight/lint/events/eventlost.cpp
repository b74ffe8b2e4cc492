// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"
#include "core/sources/outputstate.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Someone chose to go back: a fork, or an update of the state by hand.
bool isDeliberate(const Checkpoint &checkpoint)
{
    return checkpoint.source == "fork" || checkpoint.source == "update";
}

void check(const LintContext &context, FindingSink &sink)
{
    // The states of a trace come and go with what its runs were given.
    if (std::ranges::any_of(
            context.thread.findings, [](const Finding &finding) { return finding.rule == "trace"; }))
        return;
    const auto &checkpoints = context.ns.checkpoints;
    std::size_t newest = checkpoints.size();
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = checkpoints[i];
        if (checkpoint.source == outputSource)
            continue; // an output never has the event
        // The event went away from one checkpoint to its child, or a branch began before the newest event.
        const bool dropped =
            !checkpoint.event && checkpoint.parent.isValid() && checkpoints[checkpoint.parent.at()].event;
        const bool branched = newest < i && !dropped && checkpoint.parent.isValid() && checkpoint.parent.at() < newest
            && !(checkpoint.event && *checkpoint.event == *checkpoints[newest].event);
        if (dropped || branched) {
            const Checkpoint &had = dropped ? checkpoints[checkpoint.parent.at()] : checkpoints[newest];
            const bool deliberate = branched || isDeliberate(checkpoint);
            Finding finding;
            finding.rule = "event-lost";
            finding.severity = deliberate ? Finding::Severity::Info : Finding::Severity::Warning;
            finding.path = had.event->filePath;
            finding.message = branched ? "This branch begins before the summarization event with cutoff "
                    + std::to_string(had.event->cutoffIndex)
                    + ": its model calls see the messages that the event had hidden."
                                       : "The summarization event with cutoff " + std::to_string(had.event->cutoffIndex)
                    + " is gone from here on: the model sees the whole log again.";
            finding.evidence = Value::map({{"cutoff_index", Value(had.event->cutoffIndex)},
                {"event_checkpoint_id", Value(had.id)}, {"source", Value(checkpoint.source)}});
            sink.see(std::move(finding), checkpoint.id, CheckpointIndex(i));
        }
        const bool isNew = checkpoint.event
            && !(checkpoint.parent.isValid() && checkpoints[checkpoint.parent.at()].event
                && *checkpoints[checkpoint.parent.at()].event == *checkpoint.event);
        if (isNew && !dropped)
            newest = i;
        if (branched)
            newest = checkpoints.size(); // said once a branch
    }
}

} // namespace

const Rule rules::eventLost{
    {"event-lost", Finding::Severity::Warning,
        "A summarization event that was in force is gone, because the state was rolled back before it or overwritten.",
        "After time travel this is what you asked for; otherwise look at who wrote the channel.",
        "langgraph time travel; deepagents/middleware/summarization.py, 0.7.7"},
    &check};

} // namespace palimpsest
