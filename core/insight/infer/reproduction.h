// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replay.h"
#include "core/insight/infer/infer.h"

namespace palimpsest {

/// Whether a replay under these settings makes the recorded events, each at its call and with its cutoff, and no other.
/// False too when the job is stopped.
bool reproducesEvents(const Replayer &replayer, Settings settings, const JobContext &job = {});

/// Holds a family whose sizes are fractions against replays: false when its lower ends do not make the events (the
/// window that fractions are of is also the one that 0.7.32 holds its input budget against:
/// deepagents/middleware/summarization.py, 0.7.32). Takes in upper ends that do not. A handful of replays.
bool settleFractions(const Replayer &replayer, SettingsFamily &family, const JobContext &job = {});

/// Whether replays with every size at one of its ends make the recorded events, and those a step outside a finite bound
/// do not. What it says of a stopped job means nothing.
bool isConfirmed(const Replayer &replayer, const SettingsFamily &family, const JobContext &job = {});

} // namespace palimpsest
