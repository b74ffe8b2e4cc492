// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

namespace palimpsest {

/// All threads of a source as `threads` and the thread list show them: `CheckpointSource::threads` with title,
/// messages, events, agent, model, waiting, error and metadata. Costs a few rows a thread; `full` also reads what the
/// source makes expensive.
Result<std::vector<ThreadRow>> listThreads(CheckpointSource &source, bool full, const JobContext &job);

/// Adds to a row of `CheckpointSource::threads` what `listThreads` adds.
void completeThread(CheckpointSource &source, ThreadRow &row, bool full, const JobContext &job);

/// As `listThreads` in parts, each as soon as it is there, for sources with many threads; in an order of the source's
/// own. The visitor returns false to stop.
Result<void> scanThreadList(CheckpointSource &source, bool full,
    const std::function<bool(std::vector<ThreadRow> &&)> &visit, const JobContext &job);

} // namespace palimpsest
