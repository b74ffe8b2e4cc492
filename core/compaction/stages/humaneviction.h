// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/dialect.h"
#include "core/compaction/stages/decision.h"
#include "core/thread/message.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The file that a human message was moved to (`additional_kwargs["lc_evicted_to"]`); empty when it was not.
std::string evictedTo(const Message &message);

/// The message as a request carries it: a stub made anew from the full content (`_build_truncated_human_message`,
/// deepagents/middleware/filesystem.py). Same id.
Attempt<MessagePtr> truncatedHumanMessage(const Message &message, const std::string &path, const Dialect &dialect);

/// `_check_eviction_needed` (deepagents/middleware/filesystem.py, 0.7.7).
struct HumanEvictionCheck {
    bool hasTagged = false; ///< a message was moved before
    bool newEvictionNeeded = false; ///< the last message is human, not moved yet and too long
};
Attempt<HumanEvictionCheck> checkHumanEviction(
    const std::vector<MessagePtr> &messages, std::optional<std::int64_t> tokenLimit);

struct HumanEvictionResult {
    std::vector<MessagePtr> messages; ///< as the request carries them
    MessagePtr tagged; ///< what goes into the state: the last message with its tag, full content, same id; null when
                       ///< nothing is new
    bool changed = false; ///< false: upstream's None, the request goes on as it is
    std::vector<MessageDecision> decisions;
};

/// `_evict_and_truncate_messages` (deepagents/middleware/filesystem.py): only the last message can be moved; those
/// moved before are stubbed again. A limit of null or zero turns it off.
Attempt<HumanEvictionResult> evictHumanMessages(const std::vector<MessagePtr> &messages,
    std::optional<std::int64_t> tokenLimit, ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names);

/// `_move_media_results_after_tool_results` (deepagents/middleware/filesystem.py, 0.7.7 and 0.7.32): media that
/// read_file put into a human message goes behind the tool results of its batch. Null when nothing moves.
std::optional<std::vector<MessagePtr>> moveMediaResults(const std::vector<MessagePtr> &messages);

} // namespace palimpsest
