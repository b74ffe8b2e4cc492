// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replayinput.h"
#include "core/insight/trace/trace.h"

namespace palimpsest {

/// The smallest change of each single setting under which the calls from `lostAt` on would have had the text in their
/// requests, by replaying the thread. Calls that no such change helps are in no entry. Error Cancelled.
Result<std::vector<KeepsIt>> findKeepsIt(const ReplayInputPtr &input, const SettingsSet &settings, const Trace &trace,
    const TraceQuery &query, const JobContext &job);

} // namespace palimpsest
