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
        const std::string &path = *record.event->filePath;
        const ArchiveFile &file = context.material.archive(path);
        // In the state it is found with the thread; elsewhere only by a name that nothing outside of the state tells.
        if (path.find("/session_") == std::string::npos || file.origin == "state")
            continue;
        Finding finding = eventFinding("archive-id-private", Finding::Severity::Info, record,
            "The archive's name is a random session id that only the checkpoint holds: it cannot be found from the "
            "thread's id, and outputs of a run do not show it.",
            Value::map({{"session_id",
                context.ns.checkpoints[record.checkpoint.at()].sessionId
                    ? Value(*context.ns.checkpoints[record.checkpoint.at()].sessionId)
                    : Value()}}));
        seeFromEvent(context, sink, std::move(finding), path, record);
    }
}

} // namespace

const Rule rules::archiveIdPrivate{
    {"archive-id-private", Finding::Severity::Info,
        "An archive outside of the state can only be found by an id that is private to the checkpoint.",
        "Note the path that the event names before the checkpoints are deleted.",
        "deepagents/middleware/summarization.py _get_session_id (private state), since 0.7.6"},
    &check};

} // namespace palimpsest
