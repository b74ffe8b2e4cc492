// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replay.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"
#include "core/insight/lint/tokencounts.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    TokenCounts counts;
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || record.event->malformed || !record.event->summaryMessage || record.evictedCount() <= 0)
            continue;
        const MessageLog &log = context.ns.checkpoints[record.checkpoint.at()].messages;
        const auto first = record.evicted.first.at();
        const auto end = record.evicted.end.at();
        const std::int64_t summary = counts.of(record.event->summaryMessage);
        const std::int64_t replaced =
            counts.of(log, first, end) + (record.prior ? counts.of(record.prior->summaryMessage) : 0);
        const std::int64_t kept = counts.of(log, end, log.size());
        std::int64_t overhead = 0;
        // Inferred numbers of tools and system prompt are too loose to hold a share against.
        if (context.replay && record.call && context.settingsFrom.empty()) {
            const auto place = static_cast<std::size_t>(record.call->number.value - 1);
            if (place < context.replay->calls.size())
                overhead =
                    context.replay->calls[place].base.toolTokens + context.replay->calls[place].base.systemTokens;
        }
        const std::int64_t before = overhead + replaced + kept;
        const std::int64_t freed = replaced - summary;
        const bool longer = summary >= replaced;
        if (!longer && freed * 10 >= before)
            continue;
        Finding finding = eventFinding("compaction-no-gain", Finding::Severity::Warning, record,
            longer ? "The summary (" + std::to_string(summary) + " tokens) is longer than what it replaced ("
                    + std::to_string(replaced) + ")."
                   : "The compaction freed " + std::to_string(freed) + " of " + std::to_string(before)
                    + " tokens, under 10 %.",
            Value::map({{"summary_tokens", Value(summary)}, {"replaced_tokens", Value(replaced)},
                {"kept_tokens", Value(kept)}, {"tools_and_system_tokens", Value(overhead)},
                {"freed_tokens", Value(freed)}, {"before_tokens", Value(before)}}));
        sink.see(std::move(finding), context.ns.checkpoints[record.checkpoint.at()].id, record.checkpoint);
    }
}

} // namespace

const Rule rules::compactionNoGain{
    {"compaction-no-gain", Finding::Severity::Warning,
        "A compaction freed under 10 % of the context, or its summary is longer than what it replaced.",
        "Keep less, compact later, or ask the summary prompt for fewer words.",
        "deepagents/middleware/summarization.py _determine_cutoff_index, 0.7.7"},
    &check};

} // namespace palimpsest
