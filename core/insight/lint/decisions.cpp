// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/decisions.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/dialect.h"
#include "core/compaction/stages/inputbudget.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace palimpsest {
namespace {

std::string number(double value)
{
    std::ostringstream out;
    if (value == std::floor(value))
        out << static_cast<std::int64_t>(value);
    else
        out << value;
    return out.str();
}

std::optional<TokenThreshold> thresholdOf(const ContextSize &size, const CompactionRules &rules)
{
    if (size.kind == ContextSize::Kind::Tokens)
        return TokenThreshold{static_cast<std::int64_t>(size.value), "tokens " + number(size.value)};
    if (size.kind == ContextSize::Kind::Fraction && rules.maxInputTokens)
        return TokenThreshold{fractionThreshold(*rules.maxInputTokens, size.value),
            "fraction " + number(size.value) + " of " + std::to_string(*rules.maxInputTokens)};
    return std::nullopt;
}

} // namespace

bool countsOverhead(const CallSettings &call)
{
    return call.rules.dialect.countsToolsAndSystem() && call.settings.counterAcceptsTools.value_or(false);
}

std::optional<CallSettings> rulesOf(const LintContext &context, const ReplayedCall &call)
{
    if (!context.settings)
        return std::nullopt;
    CallSettings found;
    found.settings = settingsFor(*context.settings, context.ns.name, call.index + 1);
    const Result<DialectChoice> dialect = dialectFor(found.settings.dialect);
    if (!dialect)
        return std::nullopt;
    found.rules = rulesFor(found.settings, dialect->dialect);
    return found;
}

void eachDecidedCall(const LintContext &context, const std::function<void(const DecidedCall &)> &look)
{
    if (!context.settings || !context.replay)
        return;
    const std::vector<SettingsSet::Segment> &segments = segmentsFor(*context.settings, context.ns.name);
    std::size_t segment = 0;
    std::optional<CallSettings> settings;
    for (const ReplayedCall &call : context.replay->calls) {
        // Most threads have one segment, whose rules are made once.
        bool next = !settings;
        while (segment + 1 < segments.size() && segments[segment + 1].fromCall <= call.index + 1)
            ++segment, next = true;
        if (next)
            settings = rulesOf(context, call);
        if (settings)
            look({call, recordedCall(context, call), *settings});
    }
}

std::optional<TokenThreshold> tokenThreshold(const CompactionRules &rules)
{
    std::optional<TokenThreshold> lowest;
    for (const TriggerClause &clause : rules.trigger) {
        // All sizes of a clause must be reached: the largest of them counts.
        std::optional<TokenThreshold> needed;
        for (const ContextSize &size : clause)
            if (const auto threshold = thresholdOf(size, rules);
                threshold && (!needed || threshold->tokens > needed->tokens))
                needed = threshold;
        if (!needed)
            return std::nullopt; // a clause of messages can always be reached
        if (!lowest || needed->tokens < lowest->tokens)
            lowest = needed;
    }
    return lowest;
}

std::string triggerWords(const Trigger &trigger)
{
    std::string words;
    for (const TriggerClause &clause : trigger) {
        words += words.empty() ? "" : " or ";
        for (std::size_t i = 0; i < clause.size(); ++i)
            words += (i ? " and " : "") + std::string(kindName(clause[i].kind)) + " " + number(clause[i].value);
    }
    return words.empty() ? "never" : words;
}

Value decisionEvidence(const LintContext &context, const ReplayedCall &call, const CompactionRules &rules)
{
    const auto threshold = tokenThreshold(rules);
    const auto budget = inputBudget(rules);
    return Value::map({{"call", Value(recordedCall(context, call).number.value)},
        {"clause", Value(call.result.details().clause)}, {"counted", Value(call.result.counted)},
        {"reported", call.result.reported ? Value(*call.result.reported) : Value()},
        {"tools", Value(call.base.toolTokens)}, {"system", Value(call.base.systemTokens)},
        {"trigger", Value(triggerWords(rules.trigger))}, {"threshold", threshold ? Value(threshold->tokens) : Value()},
        {"budget", budget ? Value(*budget) : Value()},
        {"cutoff_index", call.result.details().cutoffIndex ? Value(*call.result.details().cutoffIndex) : Value()}});
}

const Call &recordedCall(const LintContext &context, const ReplayedCall &call)
{
    return context.ns.calls[static_cast<std::size_t>(call.index)];
}

Finding callFinding(std::string_view rule, Finding::Severity severity, const LintContext &context,
    const ReplayedCall &call, std::string message, Value evidence)
{
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(message);
    finding.taskId = recordedCall(context, call).taskId;
    finding.evidence = std::move(evidence);
    return finding;
}

} // namespace palimpsest
