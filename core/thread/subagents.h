// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/requests.h"
#include "core/thread/thread.h"

#include <vector>

namespace palimpsest {

/// Links `task` tool calls with the namespaces in which their subagents ran (`tools:<task id>`, nested ones behind a
/// `|`): by the task that wrote the call's result, else by the parent checkpoint that the child's metadata names, else
/// by the task's words. `tasks` are the writes of each namespace of the thread, in the same order. A call whose
/// subagent left no checkpoints is there with `hasCheckpoints` false.
std::vector<SubagentLink> linkSubagents(const Thread &thread, const std::vector<std::vector<TaskWrites>> &tasks);

} // namespace palimpsest
