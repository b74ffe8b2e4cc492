// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

Value readWords(const ArchiveFile *file)
{
    if (!file || file->where != ArchiveFile::Where::NotLoaded)
        return file && file->agentRead ? Value(*file->agentRead) : Value(false);
    return file->agentRead ? Value(*file->agentRead) : Value("unknown");
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || record.event->malformed || record.evictedCount() == 0)
            continue;
        const auto &path = record.event->filePath;
        const ArchiveFile *file = path ? &context.material.archive(*path) : nullptr;
        std::string why;
        std::string known;
        auto severity = Finding::Severity::Warning;
        if (!file && record.byUpdate) {
            known = "set-by-update";
            why = "the event was set by an update of the state, and nothing is offloaded for such a one";
            severity = Finding::Severity::Info;
        } else if (!file) {
            known = "not-written";
            why = "the event names no archive: its write failed";
        } else if (file->where == ArchiveFile::Where::Missing) {
            known = "missing";
            // An event names a file only when its write went well (_offload_to_backend gives None else).
            why = "the event names it, so it was written, but it is not among the agent's files that are known: it was "
                  "deleted or moved since, or is kept in a place that is not loaded";
        } else if (file->where == ArchiveFile::Where::NotLoaded) {
            known = "not-loaded";
            why = "the file is not loaded: no place is known where this agent keeps files (add its folder or store)";
            severity = file->agentRead && !*file->agentRead ? Finding::Severity::Warning : Finding::Severity::Info;
        } else if (file->where == ArchiveFile::Where::Deleted) {
            known = "deleted";
            why = "the file was in the state until checkpoint " + context.ns.checkpoints[file->lastSeen.at()].id
                + " and was deleted after it";
        } else {
            continue;
        }
        Finding finding = eventFinding("archive-missing", severity, record,
            (path ? "The archive " + *path + " of " : "There is no archive of ") + rangeWords(record.evicted)
                + (path ? " cannot be found: " : ": ") + why + "; the raw log still has them.",
            Value::map({{"why", Value(known)}, {"evicted_messages", Value(record.evictedCount())},
                {"raw_from", Value(record.evicted.first.value)}, {"raw_to", Value(record.evicted.end.value)},
                {"in_raw_log", Value(true)}, {"agent_could_read", readWords(file)}}));
        const std::string &key = context.ns.checkpoints[record.checkpoint.at()].id;
        if (known == "deleted") {
            finding.evidence =
                finding.evidence.with("last_seen", Value(context.ns.checkpoints[file->lastSeen.at()].id));
            seeFrom(context, sink, std::move(finding), key, firstWithout(context.ns, *file));
        } else {
            seeFromEvent(context, sink, std::move(finding), key, record);
        }
    }
}

} // namespace

const Rule rules::archiveMissing{
    {"archive-missing", Finding::Severity::Warning,
        "An event's archive cannot be found: it was never written, was deleted, or is kept in a place that is not "
        "loaded (then it is information, as for an event that update_state set).",
        "Read the messages from the raw log; add the agent's folder or store if it keeps files there; give the "
        "middleware a backend that stores what it writes.",
        "deepagentsjs#621, deepagents#2247; deepagents/middleware/summarization.py _offload_to_backend, 0.7.7"},
    &check};

} // namespace palimpsest
