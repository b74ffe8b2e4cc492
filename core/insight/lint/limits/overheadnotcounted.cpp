// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/dialect.h"
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    if (!context.settingsFrom.empty())
        return; // inferred settings tell nothing of the counter
    eachDecidedCall(context, [&](const DecidedCall &decided) {
        const auto &[call, recorded, found] = decided;
        const bool tokens = tokenThreshold(found.rules).has_value();
        const bool given = std::holds_alternative<std::int64_t>(found.settings.tools)
            ? std::get<std::int64_t>(found.settings.tools) > 0
            : !std::get<Value>(found.settings.tools).asList().empty();
        if (!tokens || !given || countsOverhead(found))
            return;
        Finding finding = callFinding("overhead-not-counted", Finding::Severity::Info, context, call,
            "Tools are sent with every request and are no part of the count that the trigger is held against.",
            Value::map(
                {{"trigger", Value(triggerWords(found.rules.trigger))}, {"dialect", Value(found.rules.dialect.name)},
                    {"counter_accepts_tools",
                        found.settings.counterAcceptsTools ? Value(*found.settings.counterAcceptsTools) : Value()}}));
        const std::size_t handle = sink.see(std::move(finding), "overhead", recorded.checkpoint);
        sink.extend(handle, recorded.checkpoint);
    });
}

} // namespace

const Rule rules::overheadNotCounted{
    {"overhead-not-counted", Finding::Severity::Info,
        "The count that decides leaves tools and system prompt out: requests are larger than the trigger says.",
        "Set the trigger lower by their size, or use a counter that takes tools.",
        "deepagents/middleware/summarization.py _count_tokens, 0.7.7; langchain/agents/middleware/summarization.py, "
        "1.5.2",
        true},
    &check};

} // namespace palimpsest
