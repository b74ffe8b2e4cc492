// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

namespace palimpsest {

/// The states of a namespace in numbers, and what they cost: the answer of `states`.
struct StatesReport {
    std::int64_t checkpoints = 0;
    std::int64_t messagesAtHead = 0; ///< at the newest checkpoint
    std::int64_t messagesInAll = 0; ///< summed over the checkpoints
    std::int64_t filesAtHead = 0;
    std::string lastIdsSha256; ///< of the lines `<checkpoint id> <messages> <id of the last message or ->`
    double openMs = 0; ///< the caller's
    double timelineMs = 0; ///< until everything that the timeline's first picture needs was there
    double allStatesMs = 0;
    double peakRssMb = 0; ///< of the whole process so far
};

/// The largest resident size of this process so far, in MiB.
double peakRssMb();

/// The numbers of a namespace that was loaded.
StatesReport statesOf(const ThreadNamespace &space);

/// Loads a thread and measures it. Error NotFound when it has no such namespace.
Result<StatesReport> rebuildStates(CheckpointSource &source, const std::string &threadId, const std::string &ns,
    const JobContext &job, const std::string &messagesChannel = "messages");

/// {"format": "palimpsest.states/1", …}
Value statesToValue(const StatesReport &report);

} // namespace palimpsest
