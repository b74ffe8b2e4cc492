// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/rules.h"

#include <cstdint>
#include <optional>

namespace palimpsest {

/// The first index whose suffix has no more than `target` unscaled tokens; the list's size when not even the last
/// message fits. O(log n).
std::int64_t suffixWithin(const RequestView &view, std::int64_t target);

/// `_find_safe_cutoff_point`: a cutoff on a tool result moves back to the call it answers, or, when there is none, past
/// all results (langchain/agents/middleware/summarization.py, 1.5.2).
std::int64_t safeCutoffPoint(const RequestView &view, std::int64_t cutoff);

/// The cutoff that `keep` asks for, before it is made safe; nothing when all is kept.
std::optional<std::int64_t> wantedCutoff(const RequestView &view, const CompactionRules &rules);

/// `_find_safe_cutoff` and `_find_token_based_cutoff` behind `_determine_cutoff_index`. 0: nothing to summarize. O(log
/// n) beside the search for a call.
std::int64_t determineCutoffIndex(const RequestView &view, const CompactionRules &rules);

} // namespace palimpsest
