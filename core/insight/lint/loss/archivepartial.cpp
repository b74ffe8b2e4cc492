// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <map>

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    std::map<std::string, std::vector<const EventRecord *>> byPath;
    for (const EventRecord &record : context.material.events())
        if (!record.inherited && record.event->filePath && record.evictedCount() > 0)
            byPath[*record.event->filePath].push_back(&record);
    for (const auto &[path, records] : byPath) {
        const ArchiveFile &file = context.material.archive(path);
        if (!file.found())
            continue;
        std::vector<const EventRecord *> without;
        for (const EventRecord *record : records)
            if (std::none_of(file.links.begin(), file.links.end(),
                    [&](const SectionLink &link) { return link.checkpoint == record->checkpoint; }))
                without.push_back(record);
        if (without.empty())
            continue;
        Value::List missing;
        std::int64_t messages = 0;
        for (const EventRecord *record : without) {
            messages += record->evictedCount();
            missing.push_back(Value::map({{"checkpoint_id", Value(context.ns.checkpoints[record->checkpoint.at()].id)},
                {"raw_from", Value(record->evicted.first.value)}, {"raw_to", Value(record->evicted.end.value)}}));
        }
        const auto sections = static_cast<std::int64_t>(file.archive.sections.size());
        Finding finding = eventFinding("archive-partial", Finding::Severity::Warning, *without.front(),
            "The archive " + file.foundAt + " has " + std::to_string(sections) + " of " + std::to_string(records.size())
                + " sections: " + std::to_string(messages) + " messages are in the raw log only.",
            Value::map({{"sections", Value(sections)}, {"events", Value(static_cast<std::int64_t>(records.size()))},
                {"events_without_section", Value(std::move(missing))}, {"missing_messages", Value(messages)},
                {"in_raw_log", Value(true)}, {"agent_could_read", Value(false)}}));
        seeFromEvent(context, sink, std::move(finding), path, *without.front());
    }
}

} // namespace

const Rule rules::archivePartial{
    {"archive-partial", Finding::Severity::Warning, "An archive lacks the sections of some of the thread's events.",
        "Read those messages from the raw log; look for what rewrote or truncated the file.",
        "deepagentsjs#621; deepagents/middleware/summarization.py _offload_to_backend, 0.7.7"},
    &check};

} // namespace palimpsest
