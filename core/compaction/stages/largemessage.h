// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/dialect.h"
#include "core/compaction/stages/decision.h"
#include "core/thread/message.h"

#include <optional>
#include <string_view>
#include <vector>

namespace palimpsest {

/// Characters that count as a token when a message's size is held against a limit (`NUM_CHARS_PER_TOKEN`,
/// deepagents/middleware/filesystem.py).
inline constexpr std::int64_t evictionCharsPerToken = 4;

/// Why upstream never offloads this tool's results; empty when it does (`TOOLS_EXCLUDED_FROM_EVICTION`,
/// deepagents/middleware/filesystem.py).
std::string_view evictionExclusion(std::string_view toolName);

struct LargeMessageResult {
    MessagePtr message; ///< the one given, or its replacement with the same id
    MessageDecision decision;
};

/// `_offload_tool_message_content` (deepagents/middleware/_message_eviction.py): writes `content` to `prefix`/<id> and
/// returns the stub; a null message when the write failed, the path that was tried in either case.
struct OffloadedToolMessage {
    MessagePtr message;
    std::string path;
};
Attempt<OffloadedToolMessage> offloadToolMessage(const MessagePtr &message, const std::string &content,
    ArtifactBackend &backend, const std::string &prefix, const Dialect &dialect, const FreshNames &names);

/// `_process_large_message` (deepagents/middleware/filesystem.py): a tool result whose text is longer than four
/// characters for each token of the limit moves to a file. A limit of null or zero turns it off.
Attempt<LargeMessageResult> processLargeMessage(const MessagePtr &message, std::optional<std::int64_t> tokenLimit,
    ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names);

/// What `wrap_tool_call` (deepagents/middleware/filesystem.py) makes of the messages that a tool named `toolName`
/// returned: one result, or the messages of its Command. Only tool messages are looked at; the order stays.
struct LargeMessagesResult {
    std::vector<MessagePtr> messages;
    std::vector<MessageDecision> decisions;
};
Attempt<LargeMessagesResult> interceptToolResults(std::string_view toolName, const std::vector<MessagePtr> &messages,
    std::optional<std::int64_t> tokenLimit, ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names);

} // namespace palimpsest
