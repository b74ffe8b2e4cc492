// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarymessage.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

#include <unordered_set>

namespace palimpsest {
namespace {

constexpr std::size_t named = 20; ///< ids that the evidence lists

void check(const LintContext &context, FindingSink &sink)
{
    const auto &checkpoints = context.ns.checkpoints;
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        const MessageLog &log = checkpoints[i].messages;
        if (log.empty() || !checkpoints[i].parent.isValid() || !isSummaryMessage(*log.front()))
            continue;
        const Checkpoint &before = checkpoints[checkpoints[i].parent.at()];
        if (!before.messages.empty()
            && (before.messages.front() == log.front() || before.messages.front()->id == log.front()->id))
            continue;
        std::unordered_set<std::string_view> kept;
        for (const MessagePtr &message : log)
            if (message->id)
                kept.insert(*message->id);
        Value::List lost;
        std::int64_t count = 0;
        for (const MessagePtr &message : before.messages) {
            if (message->id && kept.contains(*message->id))
                continue;
            ++count;
            if (lost.size() < named && message->id)
                lost.emplace_back(*message->id);
        }
        if (count == 0)
            continue;
        Finding finding;
        finding.rule = "destructive-summarization";
        finding.severity = Finding::Severity::Warning;
        finding.messageId = log.front()->id;
        finding.message = "A summary replaced " + std::to_string(count)
            + " messages in the state itself: from here on only earlier checkpoints hold them.";
        finding.evidence = Value::map({{"removed_messages", Value(count)}, {"removed_ids", Value(std::move(lost))},
            {"kept_messages", Value(static_cast<std::int64_t>(log.size() - 1))},
            {"restored_from_checkpoint_id", Value(before.id)}, {"restorable", Value(!before.incomplete)}});
        const std::size_t handle =
            sink.see(std::move(finding), log.front()->id.value_or(checkpoints[i].id), CheckpointIndex(i));
        sink.extend(handle, context.material.lastDescendant(CheckpointIndex(i)));
    }
}

} // namespace

const Rule rules::destructiveSummarization{
    {"destructive-summarization", Finding::Severity::Warning,
        "LangChain's middleware took the summarized messages out of the state; they are in earlier checkpoints alone.",
        "Keep those checkpoints (a retention plan would lose the messages), or use deepagents' middleware, which "
        "leaves "
        "the log whole.",
        "langchain/agents/middleware/summarization.py before_model: RemoveMessage(REMOVE_ALL_MESSAGES), 1.5.2"},
    &check};

} // namespace palimpsest
