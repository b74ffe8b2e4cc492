// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"
#include "core/thread/checkpoint.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// How a request is known (contract: `certainty`).
enum class Certainty { Recorded, Derived, DerivedAssumingSettings, Inferred, Uncertain };
std::string_view certaintyName(Certainty certainty);

/// One model call that the recording holds.
struct Call {
    enum class EventFrom { None, ThisCall, Checkpoint, Unknown };
    enum class Outcome { Ok, Error };

    CallNumber number; ///< 1, 2, … in its namespace
    std::string taskId; ///< as stored
    std::string taskPath;
    std::string node; ///< "model", "agent", … when the task path names it
    CheckpointIndex checkpoint; ///< the one the task started from
    int step = 0; ///< the superstep in which it ran: the checkpoint's step + 1
    MessageLog log; ///< raw log that the call saw (with the call's own overflow-clip rewrites applied)
    EventPtr event; ///< event in force
    EventFrom eventFrom = EventFrom::None;
    Outcome outcome = Outcome::Ok;
    std::string error; ///< `__error__` text of a failed call
    std::optional<MessageLog> request; ///< what the model received, where the source holds that itself (a trace)
    std::vector<MessagePtr> answers; ///< AI messages the call wrote
    std::vector<MessagePtr> rewrites; ///< tool messages that it wrote back with their old ids
    std::string model; ///< `model_name` of the answer's response_metadata
    std::string provider; ///< `model_provider`
    Value usage; ///< the answer's usage_metadata
    Certainty certainty = Certainty::Derived;
};

/// One body a message had; the log is not quite append-only (clip, eviction tags, RemoveMessage).
struct BodyVersion {
    MessagePtr body; ///< null: removed here (a tombstone)
    CheckpointIndex checkpoint; ///< first checkpoint whose state has it
    std::string taskId; ///< who wrote it; empty when unknown (snapshot)
};

/// A subagent namespace and the tool call that started it.
struct SubagentLink {
    std::string ns; ///< "tools:<task id>"
    std::string parentNs;
    std::string toolCallId; ///< the `task` call in the parent's log; empty when it cannot be told
    std::string agent; ///< `subagent_type`
    std::string description; ///< first words of the task
    bool hasCheckpoints = true;
};

/// One `checkpoint_ns` of a thread.
struct ThreadNamespace {
    std::string name; ///< "" is the root
    std::vector<Checkpoint> checkpoints; ///< in checkpoint_id order
    std::vector<Call> calls; ///< in call order; number is the place + 1
    std::vector<CheckpointIndex> heads; ///< leaves of the checkpoint tree, the newest last
    /// Versions of every message that was ever rewritten or removed, by message id.
    std::map<std::string, std::vector<BodyVersion>> versions;
    /// The order in which events came into force: checkpoint that first carries each.
    std::vector<CheckpointIndex> eventCheckpoints;
    bool hasWrites = true; ///< false: a saver that wrote no rows in `writes`, so no calls can be told
    std::string messagesChannel = "messages"; ///< the channel taken as the log
    bool partial = false; ///< still loading: only the newest part is here
};

/// A whole thread as read from a source. Made once by a worker, then shared as `std::shared_ptr<const Thread>`.
struct Thread {
    std::string id;
    std::vector<ThreadNamespace> namespaces; ///< root first, then in name order
    std::vector<SubagentLink> subagents;
    std::vector<Finding> findings; ///< those of the whole thread; a checkpoint's own are in it
    std::string language = "python"; ///< "python" or "js"
    /// Store items by namespace prefix and key, when the source has a store table.
    std::map<std::string, std::map<std::string, Value>> store;

    [[nodiscard]] const ThreadNamespace *find(std::string_view ns) const;
};
using ThreadPtr = std::shared_ptr<const Thread>;

} // namespace palimpsest
