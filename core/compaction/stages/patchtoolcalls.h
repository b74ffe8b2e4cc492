// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/dialect.h"
#include "core/compaction/stages/decision.h"
#include "core/thread/message.h"

#include <optional>
#include <vector>

namespace palimpsest {

struct PatchResult {
    std::vector<MessagePtr> messages; ///< the whole list, made-up results in their places
    std::vector<MessageDecision> decisions; ///< one for each made-up result, `index` its place in `messages`
};

/// `PatchToolCallsMiddleware.before_agent` (deepagents/middleware/patch_tool_calls.py): every call without a result
/// gets one that says so. Null when nothing is dangling. The state update is REMOVE_ALL_MESSAGES followed by the list.
std::optional<PatchResult> patchToolCalls(const std::vector<MessagePtr> &messages, const Dialect &dialect);

/// A result that was made up, in the words of any version, as the dialect makes it; null for any other message. No tool
/// ran for it, so that nothing moves it to a file.
MessagePtr madeUpAgain(const MessagePtr &message, const Dialect &dialect);

/// Whether a result was made up in the words of 0.7.32 ("did not complete"), which 0.7.7 does not have.
bool isNewerMadeUp(const Message &message);

} // namespace palimpsest
