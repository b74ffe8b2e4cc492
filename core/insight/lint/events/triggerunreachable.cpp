// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/dialect.h"
#include "core/compaction/stages/inputbudget.h"
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// What the middleware does when the provider refuses for size.
std::string afterRefusal(const Dialect &dialect)
{
    if (dialect.rewritesState)
        return dialect.name + " has no answer to the provider's error: the run fails";
    return dialect.name
        + (dialect.recognisesOverflowByText
                ? " takes the provider's error for an overflow by class or by wording and summarizes then"
                : " summarizes only when the client raises ContextOverflowError; any other error ends the run");
}

/// The tokens of input that fit, and what bounds them; nothing when no window is known.
std::optional<std::int64_t> room(const CallSettings &call, const ReplayedCall &replayed)
{
    std::optional<std::int64_t> window = call.settings.window;
    if (call.rules.maxInputTokens)
        window = std::min(window.value_or(*call.rules.maxInputTokens), *call.rules.maxInputTokens);
    if (!window)
        return std::nullopt;
    std::int64_t left = *window - call.settings.model.maxOutputTokens.value_or(0);
    // Where tools and system prompt are no part of the count, they take their room beside it.
    if (!countsOverhead(call))
        left -= replayed.base.toolTokens + replayed.base.systemTokens;
    return left;
}

void check(const LintContext &context, FindingSink &sink)
{
    eachDecidedCall(context, [&](const DecidedCall &decided) {
        const auto &[call, recorded, found] = decided;
        const auto threshold = tokenThreshold(found.rules);
        if (!threshold)
            return;
        const auto left = room(found, call);
        // The provider itself said that the window ends below the trigger; an inferred trigger is too loose for that.
        const bool refused = context.settingsFrom.empty() && recorded.outcome == Call::Outcome::Error
            && call.result.counted < threshold->tokens
            && isContextOverflow(
                CallError{{recorded.error.substr(0, recorded.error.find('(')), recorded.error}, Value(400)},
                found.rules.dialect);
        if (!(left && threshold->tokens > *left) && !refused)
            return;
        Finding finding = callFinding("trigger-unreachable", Finding::Severity::Warning, context, call,
            "The trigger (" + threshold->words + ") lies above "
                + (left && threshold->tokens > *left
                        ? "what fits (window less output less overhead: " + std::to_string(*left) + " tokens)"
                        : "the size at which the provider refused (" + std::to_string(call.result.counted)
                            + " tokens counted)")
                + ": it is never reached; " + afterRefusal(found.rules.dialect) + ".",
            decisionEvidence(context, call, found.rules)
                .with("room", left ? Value(*left) : Value())
                .with("window",
                    found.settings.window            ? Value(*found.settings.window)
                        : found.rules.maxInputTokens ? Value(*found.rules.maxInputTokens)
                                                     : Value())
                .with("output_tokens",
                    found.settings.model.maxOutputTokens ? Value(*found.settings.model.maxOutputTokens) : Value())
                .with("provider_refused", Value(refused)));
        const std::size_t handle = sink.see(std::move(finding),
            triggerWords(found.rules.trigger) + (left ? std::to_string(*left) : ""), recorded.checkpoint);
        sink.extend(handle, recorded.checkpoint);
    });
}

} // namespace

const Rule rules::triggerUnreachable{
    {"trigger-unreachable", Finding::Severity::Warning,
        "The trigger lies above what the window leaves for input: the provider refuses before anything is compacted.",
        "Lower the trigger below window less output tokens less tools and system prompt; give the model a profile.",
        "langchain#34664; deepagents/middleware/summarization.py compute_summarization_defaults (170,000 without a "
        "profile), 0.7.7",
        true},
    &check};

} // namespace palimpsest
