// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replay.h"
#include "core/summaries/given.h"
#include "models/scene.h"
#include "models/timelinedata.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// One run of a namespace under settings, beside the recording. Made by a worker, then immutable.
struct WhatIf {
    std::shared_ptr<const SettingsSet> settings;
    Replay replay; ///< decisions and requests, without texts
    TimelineSeries series; ///< its line in the timeline
    std::vector<bool> differs; ///< by call: another request or another event than recorded
    std::int64_t differing = 0; ///< how many calls
    std::int64_t events = 0;
    std::int64_t recordedEvents = 0;

    /// Some call differs: what follows assumes that the agent would have acted the same.
    [[nodiscard]] bool leavesRecording() const { return differing > 0; }
};
using WhatIfPtr = std::shared_ptr<const WhatIf>;

/// Said wherever a what-if leaves the recording.
inline constexpr const char *whatIfAssumption = "assumes the agent would have acted the same";

/// Runs the settings. `given` are summaries that take the place of recorded ones; null: none. Error as of
/// Replayer::run.
Result<WhatIfPtr> makeWhatIf(Replayer &replayer, const std::shared_ptr<const SettingsSet> &settings,
    const JobContext &job, const std::shared_ptr<const GivenSummaries> &given = {});

/// Why one call was compacted or not, as one line tells it.
struct CallDecision {
    CallNumber call;
    std::int64_t counted = 0; ///< the count that decided
    std::optional<std::int64_t> reported;
    std::int64_t tools = 0;
    std::int64_t system = 0;
    std::int64_t messages = -1; ///< effective messages before it; -1: not known
    std::string thresholds; ///< each clause with what it was held against: "messages 12 of 14 or tokens 800 of 5000"
    std::optional<std::int64_t> budget; ///< input budget, where the dialect has one
    bool summarized = false;
    std::string decision; ///< "summarized", "no", "would, but nothing lies before the cutoff", "failed"
    std::string why;
    std::optional<std::int64_t> wantedCutoff; ///< effective, as keep asks
    std::optional<std::int64_t> cutoff; ///< effective, made safe
    std::optional<std::int64_t> stateCutoff; ///< in the raw log
    // Tokens that each stage took off this call.
    std::int64_t savedByOffloading = 0; ///< of messages new at this call
    std::int64_t savedByTruncation = 0;
    std::int64_t savedBySummary = 0;
    std::int64_t savedByClip = 0;
    std::optional<std::int64_t> sent; ///< tokens of the attempt that the provider took
    std::size_t attempts = 0;
    std::string recorded; ///< "event, cutoff 9", "no event", "failed"
    bool differs = false;

    bool operator==(const CallDecision &) const = default;
};
CallDecision decisionOf(const WhatIf &run, std::size_t call);

/// What the call would have received: the request that the provider took, else the last that was tried.
MessageLog requestOf(const WhatIf &run, std::size_t call);
/// Where the raw messages went at a call, by the run's own events; their number is 0, since no archive has them.
FateMap fatesOf(const WhatIf &run, std::size_t call);
/// The event in force at the call's request; null: none.
EventPtr eventAt(const WhatIf &run, std::size_t call);
/// Puts the run's request in the place of the recorded one, when the scene is at a call of the run's namespace.
void showWhatIf(Scene &scene, const WhatIf &run);

} // namespace palimpsest
