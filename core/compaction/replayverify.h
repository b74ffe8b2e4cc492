// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/preparedlogs.h"
#include "core/compaction/replay.h"

namespace palimpsest {

/// Compares requests, events and outcomes of a replay with the recording. `at` and `logs` are those that the replay ran
/// with.
ReplayVerification verifyReplay(const Replay &replay, const std::vector<CallRulesPtr> &at, const PreparedLogs &logs);

} // namespace palimpsest
