// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/rules.h"

namespace palimpsest {

/// `_provider_matches` with its aliases (langchain/agents/middleware/summarization.py, 1.5.2).
bool providerMatches(std::string_view messageProvider, std::string_view modelProvider);

/// The tokens that the last AI message reports, when its provider is the model's; nothing otherwise
/// (`_should_summarize_based_on_reported_tokens`).
std::optional<std::int64_t> reportedTokens(const RequestView &view, const CompactionRules &rules);

struct TriggerDecision {
    bool fires = false;
    std::string clause; ///< the clause that fired: "messages 14 >= 14", "tokens 5210 >= 5200 and messages 9 >= 9"
};

/// `_should_summarize`: any clause whose sizes are all reached, by counted or by reported tokens.
TriggerDecision shouldSummarize(const RequestView &view, std::int64_t totalTokens, const CompactionRules &rules);

} // namespace palimpsest
