// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replay.h"
#include "core/compaction/rules.h"
#include "core/insight/lint/rule.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

/// What rules about triggers ask of a replayed call.
namespace palimpsest {

/// One size of a trigger in tokens, as the call's settings have it.
struct TokenThreshold {
    std::int64_t tokens = 0;
    std::string words; ///< "tokens 4000", "fraction 0.85 of 10000"
};

/// The settings of a replayed call with every default filled in.
struct CallSettings {
    Settings settings;
    CompactionRules rules;
};
/// Whether the count that decides has tools and system message in it.
bool countsOverhead(const CallSettings &call);
std::optional<CallSettings> rulesOf(const LintContext &context, const ReplayedCall &call);

/// A call decided anew, beside the recorded one.
struct DecidedCall {
    const ReplayedCall &replayed;
    const Call &recorded;
    const CallSettings &settings;
};
/// Calls `look` for every decided call whose settings name a known dialect.
void eachDecidedCall(const LintContext &context, const std::function<void(const DecidedCall &)> &look);

/// The lowest number of tokens that a clause of the trigger demands; nothing when no clause is about tokens alone.
std::optional<TokenThreshold> tokenThreshold(const CompactionRules &rules);
/// The trigger as a person writes it; "never" when it is empty.
std::string triggerWords(const Trigger &trigger);

/// Counted, reported, tools and system share, threshold and clause of a decision, for evidence.
Value decisionEvidence(const LintContext &context, const ReplayedCall &call, const CompactionRules &rules);

/// A finding at a replayed call.
Finding callFinding(std::string_view rule, Finding::Severity severity, const LintContext &context,
    const ReplayedCall &call, std::string message, Value evidence);
[[nodiscard]] const Call &recordedCall(const LintContext &context, const ReplayedCall &call);

} // namespace palimpsest
