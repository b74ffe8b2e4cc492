// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    if (!context.ns.eventCheckpoints.empty())
        return;
    const ReplayedCall *first = nullptr;
    const ReplayedCall *last = nullptr;
    std::int64_t fired = 0;
    for (const ReplayedCall &call : context.replay->calls) {
        if (call.event)
            return;
        if (!call.result.summarize || call.result.details().cutoffIndex.value_or(1) > 0)
            continue;
        first = first ? first : &call;
        last = &call;
        ++fired;
    }
    if (!first)
        return;
    const auto rules = rulesOf(context, *first);
    if (!rules)
        return;
    const auto threshold = tokenThreshold(rules->rules);
    const std::int64_t overhead = first->base.toolTokens + first->base.systemTokens;
    const bool alone = threshold && overhead >= threshold->tokens;
    // One big message at the start is over the trigger until others come.
    if (!alone && fired < 2)
        return;
    Finding finding = callFinding("never-compacts", Finding::Severity::Warning, context, *first,
        std::to_string(fired) + " of " + std::to_string(context.replay->calls.size())
            + " calls are over the trigger and none compacts: "
            + (alone ? "tools and system prompt alone (" + std::to_string(overhead) + " tokens) are over it, and "
                     : std::string())
            + "what is to be kept reaches over the whole conversation (cutoff 0).",
        decisionEvidence(context, *first, rules->rules)
            .with("calls_over_trigger", Value(fired))
            .with("last_call", Value(recordedCall(context, *last).number.value))
            .with("tools_and_system_alone", Value(alone)));
    const std::size_t handle = sink.see(std::move(finding), "never", recordedCall(context, *first).checkpoint);
    sink.extend(handle, recordedCall(context, *last).checkpoint);
}

} // namespace

const Rule rules::neverCompacts{
    {"never-compacts", Finding::Severity::Warning,
        "Calls are over the trigger, and no event is ever made: there is nothing before what is to be kept.",
        "Raise the trigger above tools and system prompt, or keep less.",
        "langchain#34664, deepagentsjs#467; deepagents/middleware/summarization.py wrap_model_call (cutoff_index <= "
        "0), "
        "0.7.7",
        true},
    &check};

} // namespace palimpsest
