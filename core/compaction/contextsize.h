// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Reading and checking thresholds as upstream's constructor does
/// (langchain/agents/middleware/summarization.py SummarizationMiddleware, 1.5.2).
namespace palimpsest {

/// Which lists of a settings value are pairs.
enum class PairForm {
    Json, ///< a list whose first item is text is a pair: JSON has no tuples
    Python, ///< only tuples are pairs
};

/// `_validate_context_size`. Any two items are taken as a pair. The exception is upstream's ValueError or TypeError.
Attempt<ContextSize> readContextSize(const Value &pair, std::string_view parameterName);

/// A pair without the checks of range and kind: what `truncate_args` takes. A kind that is none gives nothing.
std::optional<ContextSize> readLooseContextSize(const Value &pair);

/// `_normalize_trigger`: a pair, an object (AND) or a list of both (OR); nil gives no clause.
Attempt<Trigger> readTrigger(const Value &value, PairForm form);

/// Whether the trigger or `keep` needs a profile (`requires_profile`).
bool needsProfile(const Trigger &trigger, const ContextSize &keep);
/// Upstream's words for a fraction without a profile.
std::string missingProfileText();

/// `profile["max_input_tokens"]` when it is a whole number (Python's bool counts), as `_get_profile_limits` reads it.
std::optional<std::int64_t> profileLimit(const Value &profile);

/// int(max_input_tokens * fraction), at least 1.
std::int64_t fractionThreshold(std::int64_t maxInputTokens, double fraction);

std::string_view kindName(ContextSize::Kind kind);
/// ["messages", 14]
Value contextSizeToValue(const ContextSize &size);
/// A pair for one clause of one size, an object for a clause of more, a list for more clauses.
Value triggerToValue(const Trigger &trigger);

} // namespace palimpsest
