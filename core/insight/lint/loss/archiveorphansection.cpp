// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <set>

namespace palimpsest {
namespace {

std::string nameOf(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

/// File names of the archives that events of any agent of the thread name: below another root it is still theirs.
std::set<std::string> namedFiles(const Thread &thread)
{
    std::set<std::string> paths;
    for (const ThreadNamespace &ns : thread.namespaces)
        for (const CheckpointIndex at : ns.eventCheckpoints)
            if (at.isValid() && ns.checkpoints[at.at()].event && ns.checkpoints[at.at()].event->filePath)
                paths.insert(nameOf(*ns.checkpoints[at.at()].event->filePath));
    return paths;
}

bool otherNamespaceNames(const Thread &thread, const ThreadNamespace &ns, const std::string &path)
{
    return std::any_of(thread.namespaces.begin(), thread.namespaces.end(), [&](const ThreadNamespace &other) {
        return &other != &ns
            && std::any_of(
                other.eventCheckpoints.begin(), other.eventCheckpoints.end(), [&](const CheckpointIndex &at) {
                    return at.isValid() && other.checkpoints[at.at()].event
                        && other.checkpoints[at.at()].event->filePath == path;
                });
    });
}

void checkSections(const LintContext &context, FindingSink &sink)
{
    std::set<std::string> done;
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || !record.event->filePath || !done.insert(*record.event->filePath).second)
            continue;
        const std::string &path = *record.event->filePath;
        if (otherNamespaceNames(context.thread, context.ns, path))
            continue; // whose sections these are cannot be told
        const ArchiveFile &file = context.material.archive(path);
        // Under another name it may be anybody's file.
        if (!file.found() || file.where == ArchiveFile::Where::Renamed)
            continue;
        for (const SectionLink &link : file.links) {
            if (link.checkpoint.isValid())
                continue;
            const ArchiveSection &section = file.archive.sections[link.section];
            Finding finding = eventFinding("archive-orphan-section", Finding::Severity::Info, record,
                "Section " + std::to_string(link.section + 1) + " of the archive " + file.foundAt + ", made at "
                    + section.timestamp + ", belongs to no event: the call that wrote it failed afterwards.",
                Value::map({{"section", Value(static_cast<std::int64_t>(link.section))},
                    {"timestamp", Value(section.timestamp)},
                    {"messages", Value(static_cast<std::int64_t>(section.messages.size()))}}));
            seeFromEvent(context, sink, std::move(finding), path + "/" + std::to_string(link.section), record);
        }
    }
}

void checkFiles(const LintContext &context, FindingSink &sink)
{
    // A subagent without checkpoints may have written any of them.
    if (std::any_of(context.thread.subagents.begin(), context.thread.subagents.end(),
            [](const SubagentLink &link) { return !link.hasCheckpoints; }))
        return;
    const std::set<std::string> named = namedFiles(context.thread);
    FileMap before;
    for (std::size_t i = 0; i < context.ns.checkpoints.size(); ++i) {
        const FileMap &files = context.ns.checkpoints[i].files;
        if (files.identity() == before.identity())
            continue;
        before = files;
        for (const auto &[path, entry] : files) {
            const std::size_t folder = path.find("/conversation_history/session_");
            if (folder == std::string::npos || !path.ends_with(".md") || named.contains(nameOf(path)))
                continue;
            Finding finding;
            finding.rule = "archive-orphan-section";
            finding.severity = Finding::Severity::Info;
            finding.path = path;
            finding.message = "The archive " + path
                + " belongs to no event of this thread: the call that wrote it failed afterwards, or another agent "
                  "did.";
            finding.evidence = Value::map({{"sections",
                Value(static_cast<std::int64_t>(parseArchive(entryBytes(*entry).bytes).sections.size()))}});
            sink.see(std::move(finding), path, CheckpointIndex(i));
        }
    }
}

void check(const LintContext &context, FindingSink &sink)
{
    // A section may belong to an event that the source does not hold.
    if (!context.material.holdsEveryEvent())
        return;
    checkSections(context, sink);
    checkFiles(context, sink);
}

} // namespace

const Rule rules::archiveOrphanSection{
    {"archive-orphan-section", Finding::Severity::Info,
        "An archive or a section of one belongs to no event: the model call failed after the archive was written.",
        "Nothing is lost: the raw log has the messages, and a later section has them again.",
        "deepagents/middleware/summarization.py wrap_model_call, 0.7.7 and 0.7.32: the archive is written before the "
        "call"},
    &check};

} // namespace palimpsest
