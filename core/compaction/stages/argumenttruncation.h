// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/rules.h"

namespace palimpsest {

/// The message with the long arguments of its `write_file` and `edit_file` calls cut to 20 characters and the
/// truncation text; null when nothing changes (deepagents/middleware/summarization.py `_truncate_tool_call`, 0.7.7 and
/// 0.7.32).
MessagePtr truncateToolCalls(const MessagePtr &message, const TruncateArgsSettings &settings);

/// `_should_truncate_args`: a fraction never fires without a profile.
bool shouldTruncateArgs(std::int64_t messageCount, std::int64_t totalTokens, const CompactionRules &rules);

/// `_determine_truncate_cutoff_index`: messages before it may be shortened.
std::int64_t truncateCutoff(const RequestView &view, const CompactionRules &rules);

struct ArgumentTruncation {
    bool due = false; ///< the trigger fired
    std::int64_t cutoff = 0; ///< effective index; meaningful when due
    std::int64_t changed = 0; ///< messages whose arguments were shortened
    RequestView view; ///< the messages after the stage
};

/// `_truncate_args`. O(log n).
ArgumentTruncation truncateArgs(const RequestView &view, std::int64_t totalTokens, const CompactionRules &rules);

} // namespace palimpsest
