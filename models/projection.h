// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/sweep/sweep.h"
#include "models/timelinedata.h"

#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

/// Settings over a conversation that goes on as it went: a simulation. Made by a worker, then immutable.
struct ProjectionStudy {
    struct Line {
        std::string name; ///< "now: messages 14, keep messages 6"
        TimelineSeries series; ///< by projected call
        RunFigures figures;
    };
    double times = 1;
    std::int64_t recordedCalls = 0; ///< where the recording ends
    std::int64_t calls = 0;
    std::vector<Line> lines; ///< in the order of the settings given
};
using ProjectionStudyPtr = std::shared_ptr<const ProjectionStudy>;

/// Settings with the name that they are shown by.
struct NamedSettings {
    std::string name;
    std::shared_ptr<const SettingsSet> settings;
};

/// Replays each of the settings over the conversation repeated `times` times. Errors as of projectedInput() and
/// Replayer::run.
Result<ProjectionStudyPtr> makeProjection(
    const ReplayInput &recorded, double times, const std::vector<NamedSettings> &settings, const JobContext &job);

} // namespace palimpsest
