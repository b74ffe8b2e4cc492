// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"
#include "core/thread/events.h"

namespace palimpsest {
namespace {

std::string kindWords(const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Nil:
        return "null";
    case Value::Kind::Bool:
        return "a truth value";
    case Value::Kind::Int:
    case Value::Kind::BigInt:
    case Value::Kind::Float:
        return "a number";
    case Value::Kind::Text:
        return "a text";
    case Value::Kind::Bytes:
        return "bytes";
    case Value::Kind::List:
        return "a list";
    case Value::Kind::Map:
        return "a map";
    case Value::Kind::Tagged:
        break;
    }
    return "a " + value.asTagged()->name;
}

/// What is wrong with the first member that is: "it is a list and no map", "cutoff_index is missing".
std::string whatIsWrong(const SummarizationEvent &event)
{
    const Value &stored = event.raw;
    if (!stored.isMap())
        return "it is " + kindWords(stored) + " and no map";
    const auto member = [&](std::string_view name, std::string_view inCamelCase) {
        const Value *found = stored.find(name);
        return found ? found : stored.find(inCamelCase);
    };
    if (!cutoffOf(event)) {
        const Value *cutoff = member("cutoff_index", "cutoffIndex");
        return cutoff ? "cutoff_index is " + kindWords(*cutoff) + " and no whole number"
                      : std::string("cutoff_index is missing");
    }
    if (!event.summaryMessage) {
        const Value *summary = member("summary_message", "summaryMessage");
        return summary ? "summary_message is " + kindWords(*summary) + " and no message"
                       : std::string("summary_message is missing");
    }
    const Value *path = member("file_path", "filePath");
    return "file_path is " + kindWords(path ? *path : Value()) + " and neither a text nor null";
}

void check(const LintContext &context, FindingSink &sink)
{
    for (std::size_t i = 0; i < context.ns.checkpoints.size(); ++i) {
        const EventPtr &event = context.ns.checkpoints[i].event;
        if (!event || !event->malformed)
            continue;
        Finding finding;
        finding.rule = "malformed-event";
        finding.severity = Finding::Severity::Error;
        finding.message = "The stored _summarization_event is no well-formed event (" + whatIsWrong(*event)
            + "): the middleware would show the whole log or fail.";
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
