// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/rules.h"

#include <optional>

namespace palimpsest {

/// What a model call raised, as the middleware sees it.
struct CallError {
    Raised raised;
    Value statusCode; ///< `status_code` of the exception; nil when it has none

    bool operator==(const CallError &) const = default;
};

/// `_is_context_overflow`, and before it the exception's class alone (deepagents/middleware/summarization.py, 0.7.32
/// and 0.7.7).
bool isContextOverflow(const CallError &error, const Dialect &dialect);

/// The output tokens that a request reserves: the largest of three settings, each from the request or else from the
/// model
/// (`_input_budget`, 0.7.32). Both are maps.
std::int64_t reservedOutputTokens(const Value &modelAttributes, const Value &modelSettings);

/// `_input_budget`: the share of the window that input may fill, less the output tokens; nothing without a profile or
/// without such a rule.
std::optional<std::int64_t> inputBudget(const CompactionRules &rules);

/// `_over_budget`.
bool overBudget(const CompactionRules &rules, std::int64_t totalTokens);

} // namespace palimpsest
