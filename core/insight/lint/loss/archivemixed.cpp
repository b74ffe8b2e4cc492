// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Namespaces before `ns` whose own events name the path.
std::vector<std::string> othersBefore(const Thread &thread, const ThreadNamespace &ns, const std::string &path)
{
    std::vector<std::string> names;
    for (const ThreadNamespace &other : thread.namespaces) {
        if (&other == &ns)
            break;
        const bool names_ =
            std::any_of(other.eventCheckpoints.begin(), other.eventCheckpoints.end(), [&](const CheckpointIndex &at) {
                const EventPtr &event = at.isValid() ? other.checkpoints[at.at()].event : nullptr;
                return event && event->filePath == path && (other.name.empty() || !eventOwner(thread, other, *event));
            });
        if (names_)
            names.push_back(other.name);
    }
    return names;
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || !record.event->filePath)
            continue;
        const std::string &path = *record.event->filePath;
        const std::vector<std::string> others = othersBefore(context.thread, context.ns, path);
        if (others.empty())
            continue;
        Value::List names;
        for (const std::string &name : others)
            names.emplace_back(name);
        names.emplace_back(context.ns.name);
        Finding finding = eventFinding("archive-mixed", Finding::Severity::Warning, record,
            "The archive " + path + " is shared by " + std::to_string(names.size())
                + " agents of this thread: each reads the other's history as its own.",
            Value::map({{"namespaces", Value(std::move(names))}, {"evicted_messages", Value(record.evictedCount())}}));
        seeFromEvent(context, sink, std::move(finding), path, record);
    }
}

} // namespace

const Rule rules::archiveMixed{
    {"archive-mixed", Finding::Severity::Warning, "Two agents of the thread write into one archive.",
        "Use deepagents 0.7.6 or newer, where each agent has an archive of its own; tell sections apart by their "
        "events.",
        "deepagentsjs#621; deepagents/middleware/summarization.py _get_session_id, 0.7.7"},
    &check};

} // namespace palimpsest
