// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <vector>

/// Branches of the checkpoint tree.
namespace palimpsest {

/// One event of a branch.
struct EventMark {
    int number = 0; ///< 1, 2, … on this branch
    CheckpointIndex checkpoint; ///< first checkpoint that carries it
    EventPtr event;

    bool operator==(const EventMark &) const = default;
};

/// Checkpoints from the root to `tip`, both included. A parent that is not in the file ends the walk; a cycle cannot
/// occur in checkpoint_id order but a damaged file may claim one.
std::vector<CheckpointIndex> branchTo(const ThreadNamespace &space, CheckpointIndex tip);
/// The newest checkpoint that descends from `index`.
CheckpointIndex newestBehind(const ThreadNamespace &space, CheckpointIndex index);
/// The events that came into force along a branch; one that was written again with the same content counts once.
std::vector<EventMark> eventsAlong(const ThreadNamespace &space, const std::vector<CheckpointIndex> &branch);

} // namespace palimpsest
