// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

struct LoadOptions {
    std::string messagesChannel = "messages"; ///< which channel is taken as the log
    /// Called on the worker's thread with what can be shown already (the newest part first); may be empty.
    std::function<void(ThreadPtr)> partial;
    /// Also the metadata of rows whose blob was not needed: in SQLite it lies behind the blob, so this walks all of a
    /// big row's pages.
    bool allMetadata = true;
    bool calls = true; ///< find the model calls and the subagents' tool calls
    /// Reads every stored snapshot, also where the writes say the state already. One that says something else than the
    /// writes becomes a finding `snapshot-differs`, and is what counts: a run goes on from it (langgraph/pregel
    /// _checkpoint.py, 1.2.24). Costs about the time of reading the whole file.
    bool readSnapshots = false;
    std::optional<std::string> onlyNamespace; ///< load this one alone
    /// Takes a write that looks like an Overwrite which lost its type as the reset point it may have been; the user's
    /// choice, and the finding says so.
    bool untypedOverwriteResets = false;
    /// Called when the rows of the first namespace are read, before its writes; may be empty.
    std::function<void()> rowsRead;
};

/// Reads a whole thread. What cannot be read becomes a finding beside everything that could; an Error only when nothing
/// can be shown.
Result<ThreadPtr> loadThread(
    CheckpointSource &source, const std::string &threadId, const LoadOptions &options, const JobContext &job);

/// One channel at one checkpoint, as the state pane and `dump --channels` show it.
struct ChannelState {
    std::string name;
    Value value; ///< nil when it cannot be read or is empty
    std::string version; ///< from channel_versions
    bool changed = false; ///< its version moved since the parent checkpoint
    bool delta = false; ///< stored as snapshots and writes
    bool rebuilt = false; ///< `value` was rebuilt by a known reducer (messages, files)
    std::string undecodable; ///< why it cannot be read; empty when it can
    std::vector<WriteRow> writes; ///< this checkpoint's own writes to it, as stored
};

/// Every channel of a checkpoint. A delta channel whose reducer is unknown shows its nearest snapshot and the writes
/// since, never a guess.
Result<std::vector<ChannelState>> readChannels(
    CheckpointSource &source, const Thread &thread, const std::string &ns, CheckpointIndex checkpoint);

} // namespace palimpsest
