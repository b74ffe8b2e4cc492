// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/stages/decision.h"
#include "core/thread/message.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// SHA-256 digest → base64 payload, known in this run (`_blob_payloads`, deepagents/middleware/_blob_offload.py,
/// 0.7.32).
using BlobCache = std::map<std::string, std::string>;

struct BlobResult {
    std::vector<MessagePtr> messages;
    std::vector<MessageDecision> decisions;
};

/// `_offload_messages`: inline base64 payloads go to <root>/blobs/<sha256>, blocks keep a `deepagents_blob` reference.
/// What fails stays inline.
Attempt<BlobResult> offloadBlobs(const std::vector<MessagePtr> &messages, ArtifactBackend &backend, BlobCache &cache);

/// `_offload_history_messages`: the state's update: `pending` (what the call is about to write) plus replacements of
/// the human and read_file messages in `state` that held payloads.
Attempt<BlobResult> offloadHistoryBlobs(const std::vector<MessagePtr> &state, const std::vector<MessagePtr> &pending,
    ArtifactBackend &backend, BlobCache &cache);

/// `_hydrate_messages`: references get their content back; one that is gone, or whose file is not what its digest says,
/// becomes a notice.
Attempt<BlobResult> hydrateBlobs(const std::vector<MessagePtr> &messages, ArtifactBackend &backend, BlobCache &cache);

/// Whether a block of the message refers to a blob.
bool refersToBlobs(const Message &message);

/// The bytes of a blob by its digest; nothing when it is gone.
using BlobReader = std::function<std::optional<std::string>(const std::string &digest)>;

struct RestoredMessage {
    MessagePtr message; ///< the one given when it refers to nothing
    std::int64_t missing = 0; ///< references whose blob is gone or does not match its digest: notices now
};

/// One message as a request carries it (`_restore_payloads`).
RestoredMessage restoreBlobs(const MessagePtr &message, const BlobReader &blobs);

/// The digests that the messages refer to, each once, in order.
std::vector<std::string> referencedBlobs(const std::vector<MessagePtr> &messages);

} // namespace palimpsest
