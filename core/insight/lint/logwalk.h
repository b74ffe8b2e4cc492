// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/thread/thread.h"

#include <functional>

namespace palimpsest {

/// Calls `look(checkpoint, raw place, message)` once for every body that the raw logs of a namespace hold, at the first
/// checkpoint that has it. Costs what was added where a log grows, and the log where it was changed otherwise.
void eachNewMessage(const ThreadNamespace &ns, const JobContext &job,
    const std::function<void(CheckpointIndex, std::size_t, const MessagePtr &)> &look);

} // namespace palimpsest
