// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/dialect.h"
#include "core/compaction/settings.h"
#include "core/compaction/stages/decision.h"
#include "core/thread/message.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace palimpsest {

/// Counts tokens of messages, without tools.
using MessageCounter = std::function<std::int64_t(std::span<const MessagePtr>)>;

/// `_derive_overflow_clip_threshold_tokens` (deepagents/middleware/_overflow_clip.py, 0.7.7).
std::int64_t overflowClipThreshold(const ContextSize &keep, std::optional<std::int64_t> maxInputTokens);

/// Where the trailing tool messages begin; null when the last message is none (`_find_tail_tool_message_batch`).
std::optional<std::size_t> tailToolBatch(const std::vector<MessagePtr> &messages);

struct OverflowClipResult {
    std::vector<MessagePtr> messages; ///< the list given, its tail replaced
    std::vector<MessagePtr>
        replacements; ///< the whole tail as it goes into the state, by id; empty when nothing was clipped
    std::vector<MessageDecision> decisions;
};

/// `_clip_overflow_tail` (deepagents/middleware/_overflow_clip.py, 0.7.7 and 0.7.32): when the trailing batch of tool
/// results reaches the threshold, read_file results are cut to 4,000 characters and all others move to files under
/// `prefix`.
Attempt<OverflowClipResult> clipOverflowTail(const std::vector<MessagePtr> &messages, const ContextSize &keep,
    std::optional<std::int64_t> maxInputTokens, const MessageCounter &counter, const std::string &prefix,
    ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names);

} // namespace palimpsest
