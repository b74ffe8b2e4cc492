// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/lint/rule.h"
#include "core/thread/projection.h"

#include <cstdint>

/// What the rules about known limits share: what a limit costs is told at the newest head.
namespace palimpsest {

/// The head whose checkpoint is the newest; invalid when there is none.
inline CheckpointIndex newestHead(const ThreadNamespace &ns)
{
    return ns.heads.empty() ? CheckpointIndex() : ns.heads.back();
}

/// The raw place from which messages of a checkpoint are in context.
inline std::size_t keptFrom(const Checkpoint &checkpoint)
{
    return projectionOf(checkpoint.messages.size(), checkpoint.event.get()).first.at();
}

} // namespace palimpsest
