// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/reducers.h"
#include "core/thread/thread.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which model calls a recording holds and what each of them saw: the one place where calls are found and numbered.
namespace palimpsest {

/// What one task wrote from one checkpoint, as far as calls need it.
struct TaskWrites {
    CheckpointIndex checkpoint; ///< the one that the writes are stored on
    std::string taskId;
    std::string taskPath; ///< empty when unknown
    std::vector<MessagesWrite> messages; ///< writes to the messages channel, in the order of idx
    bool hasEvent = false; ///< a write to the event channel is there, even of null
    EventPtr event; ///< the last of them
    bool hasError = false; ///< an `__error__` write is there
    std::string error; ///< its text (`errorText`)
    std::optional<MessageLog> request; ///< what the model received, where the source holds that itself
};

struct CallInputs {
    /// Every task that wrote messages, an event or an error, in the order of the rows: checkpoint, task path, task id.
    std::vector<TaskWrites> tasks;
    bool hasTaskPath = true; ///< false where the writes table has no such column: older savers and JavaScript
};

/// Where a stored task stands in the graph's run.
struct TaskPlace {
    std::string node; ///< name of a pulled node; empty for a pushed task and where the path does not tell
    bool pushed = false; ///< started by a Send: a tool call, as a rule
    /// Superstep of a write that exit durability stored on the run's first checkpoint, told by the synthetic task id
    /// (langgraph/pregel/_checkpoint.py `exit_delta_task_id` and `exit_delta_late_task_id`, 1.2.24); nothing for any
    /// other.
    std::optional<int> exitStep;

    bool operator==(const TaskPlace &) const = default;
};

/// Reads a task's place from its stored path and id; `anchorStep` is the step of the checkpoint that holds the writes.
TaskPlace taskPlace(std::string_view taskPath, std::string_view taskId, int anchorStep);

/// Fills `space.calls` from the checkpoints' states and the tasks' writes, in checkpoint order and step order, numbered
/// from 1. A call is a task of a model node (`model`, `model_request`, `agent`), or of an unknown node that wrote a new
/// AI message; a task with only an error is a failed call. Costs one pass over the tasks; logs share the checkpoints'
/// structure.
void deriveCalls(ThreadNamespace &space, const CallInputs &inputs);

/// What the call received as far as the recording alone tells: its event over its log. Stubs of evicted messages and
/// shortened arguments come on top of it (core/compaction/recordedrequest).
MessageLog requestMessages(const Call &call);

/// The event that was in force before the call, on whose effective list it decided.
EventPtr eventBefore(const ThreadNamespace &space, const Call &call);

/// The contract's word: "this call", "checkpoint", "unknown"; empty for none.
std::string_view eventFromName(Call::EventFrom from);

/// The text of a stored `__error__`: Python stores the exception's repr, JavaScript an object.
std::string errorText(const Value &stored);

} // namespace palimpsest
