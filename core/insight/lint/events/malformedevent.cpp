// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    for (std::size_t i = 0; i < context.ns.checkpoints.size(); ++i) {
        const EventPtr &event = context.ns.checkpoints[i].event;
        if (!event || !event->malformed)
            continue;
        Finding finding;
        finding.rule = "malformed-event";
        finding.severity = Finding::Severity::Error;
        finding.message = std::string("The stored _summarization_event is no well-formed event (")
            + (event->summaryMessage ? "its cutoff" : "its summary message")
            + " cannot be used): the middleware would show the whole log or fail.";
        finding.evidence = Value::map({{"stored", event->raw}});
        sink.see(std::move(finding), std::to_string(event->cutoffIndex) + (event->filePath ? *event->filePath : ""),
            CheckpointIndex(i));
    }
}

} // namespace

const Rule rules::malformedEvent{
    {"malformed-event", Finding::Severity::Error,
        "A stored summarization event lacks a member or has one of the wrong kind.",
        "Look for who wrote the channel beside the middleware (update_state, a JSON route); set it to null to start "
        "from the raw log.",
        "deepagents/middleware/summarization.py SummarizationEvent, _apply_event_to_messages, 0.7.7"},
    &check};

} // namespace palimpsest
