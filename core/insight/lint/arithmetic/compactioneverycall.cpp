// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"
#include "core/insight/lint/tokencounts.h"
#include "core/thread/requests.h"

#include <algorithm>

namespace palimpsest {
namespace {

constexpr std::size_t suspicious = 3; ///< calls in a row that each compacted

/// What the next request begins with after a compaction.
struct After {
    std::int64_t messages = 0;
    std::int64_t summaryTokens = 0;
    std::int64_t keptTokens = 0;
};

After afterCompaction(TokenCounts &counts, const Call &call)
{
    After after;
    const auto size = static_cast<std::int64_t>(call.log.size());
    const std::int64_t cutoff = std::clamp<std::int64_t>(call.event->cutoffIndex, 0, size);
    after.messages = 1 + size - cutoff;
    after.summaryTokens = counts.of(call.event->summaryMessage);
    after.keptTokens = counts.of(call.log, static_cast<std::size_t>(cutoff), call.log.size());
    return after;
}

/// The smallest trigger of its kind that none of the calls after the first reaches; words without a number where the
/// trigger is a mixed one.
std::string smallestChange(
    const LintContext &context, const CallSettings &rules, std::size_t from, std::size_t end, Value &evidence)
{
    if (rules.rules.trigger.size() != 1 || rules.rules.trigger.front().size() != 1)
        return "Raise the trigger or keep less.";
    const bool messages = rules.rules.trigger.front().front().kind == ContextSize::Kind::Messages;
    std::int64_t largest = 0;
    for (std::size_t i = from + 1; i < end && i < context.replay->calls.size(); ++i) {
        const Call &recorded = context.ns.calls[i];
        const PipelineResult &decision = context.replay->calls[i].result;
        const EventPtr before = eventBefore(context.ns, recorded);
        const auto size = static_cast<std::int64_t>(recorded.log.size());
        const std::int64_t count = messages ? (before ? 1 + size - before->cutoffIndex : size)
                                            : std::max(decision.counted, decision.reported.value_or(0));
        largest = std::max(largest, count);
    }
    const std::string kind = messages ? "messages" : "tokens";
    evidence = evidence.with("smallest_trigger", Value(largest + 1)).with("smallest_trigger_kind", Value(kind));
    return "A trigger of " + std::to_string(largest + 1) + " " + kind + " ends it.";
}

void report(const LintContext &context, FindingSink &sink, TokenCounts &counts, std::size_t from, std::size_t end)
{
    const auto &calls = context.ns.calls;
    const After after = afterCompaction(counts, calls[from]);
    Finding finding;
    finding.rule = "compaction-every-call";
    finding.severity = Finding::Severity::Warning;
    finding.taskId = calls[from].taskId;
    finding.evidence =
        Value::map({{"from_call", Value(calls[from].number.value)}, {"to_call", Value(calls[end - 1].number.value)},
            {"summaries", Value(static_cast<std::int64_t>(end - from))}, {"messages_after", Value(after.messages)},
            {"summary_tokens", Value(after.summaryTokens)}, {"kept_tokens", Value(after.keptTokens)}});
    std::string arithmetic = "summary " + std::to_string(after.summaryTokens) + " + kept "
        + std::to_string(after.keptTokens) + " tokens (" + std::to_string(after.messages) + " messages)";
    std::string change;
    if (context.replay && from < context.replay->calls.size()) {
        const ReplayedCall &call = context.replay->calls[from];
        if (const auto rules = rulesOf(context, call)) {
            const std::string trigger = triggerWords(rules->rules.trigger);
            arithmetic = "tools " + std::to_string(call.base.toolTokens) + " + system "
                + std::to_string(call.base.systemTokens) + " + " + arithmetic + " against the trigger " + trigger;
            finding.evidence = finding.evidence.with("tools", Value(call.base.toolTokens))
                                   .with("system", Value(call.base.systemTokens))
                                   .with("trigger", Value(trigger));
            change = " " + smallestChange(context, *rules, from, end, finding.evidence);
            if (!context.settingsFrom.empty())
                finding.evidence = finding.evidence.with("assumed", Value(context.settingsFrom));
        }
    }
    finding.message = "Calls " + std::to_string(calls[from].number.value) + " to "
        + std::to_string(calls[end - 1].number.value)
        + " each compacted: what is left after a compaction is over the trigger again at once: " + arithmetic + "."
        + change;
    const std::size_t handle = sink.see(std::move(finding), calls[from].taskId, calls[from].checkpoint);
    sink.extend(handle, calls[end - 1].checkpoint);
}

void check(const LintContext &context, FindingSink &sink)
{
    TokenCounts counts;
    const auto &calls = context.ns.calls;
    for (std::size_t i = 0; i < calls.size();) {
        std::size_t end = i;
        while (end < calls.size() && calls[end].eventFrom == Call::EventFrom::ThisCall && calls[end].event)
            ++end;
        if (end - i >= suspicious)
            report(context, sink, counts, i, end);
        i = end + 1;
    }
}

} // namespace

const Rule rules::compactionEveryCall{
    {"compaction-every-call", Finding::Severity::Warning,
        "Several model calls in a row each made a summary: tools, system prompt, summary and what is kept are over the "
        "trigger by themselves.",
        "Raise the trigger above tools + system prompt + summary + what is kept, or keep less; with settings the "
        "finding "
        "names the smallest trigger that ends it.",
        "deepagents/middleware/summarization.py wrap_model_call, 0.7.7"},
    &check};

} // namespace palimpsest
