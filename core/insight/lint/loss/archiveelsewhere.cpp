// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || !record.event->filePath)
            continue;
        const ArchiveFile &file = context.material.archive(*record.event->filePath);
        const bool renamed = file.where == ArchiveFile::Where::Renamed;
        if (!renamed && file.where != ArchiveFile::Where::Rerouted)
            continue;
        // A route hands a file on without its prefix: outside of the state that is how it should be.
        const bool route = !renamed && file.origin != "state";
        const Value could = file.agentRead ? Value(*file.agentRead) : route ? Value("through a route") : Value(false);
        Finding finding = eventFinding("archive-elsewhere",
            route ? Finding::Severity::Info : Finding::Severity::Warning, record,
            "The archive that the summary names, " + file.path + ", is kept as " + file.foundAt
                + (file.moved   ? ": it was moved after it was written, and the agent, who is told the old path, does "
                                  "not find it."
                        : route ? ": the agent reads it through a route of its backend."
                        : renamed ? ": the agent, who is told the other name, does not find it."
                                  : ": below another root than the agent is told."),
            Value::map({{"named", Value(file.path)}, {"found_at", Value(file.foundAt)}, {"kept_in", Value(file.origin)},
                {"agent_could_read", could}, {"evicted_messages", Value(record.evictedCount())}}));
        if (!file.moved) {
            seeFromEvent(context, sink, std::move(finding), file.path, record);
            continue;
        }
        finding.evidence = finding.evidence.with("last_seen", Value(context.ns.checkpoints[file.lastSeen.at()].id));
        seeFrom(context, sink, std::move(finding), file.path, firstWithout(context.ns, file));
    }
}

} // namespace

const Rule rules::archiveElsewhere{
    {"archive-elsewhere", Finding::Severity::Warning,
        "An event's archive is kept under another path than the one that the summary names.",
        "Look there; use one artifacts_root and one version of deepagents for a thread (up to 0.7.5 the file was named "
        "after the thread's id).",
        "deepagentsjs#621; deepagents/middleware/summarization.py _get_history_path, 0.7.7"},
    &check};

} // namespace palimpsest
