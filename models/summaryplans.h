// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replay.h"
#include "core/summaries/given.h"
#include "core/thread/thread.h"

#include <QString>

#include <memory>
#include <vector>

namespace palimpsest {

/// One summary that a run under the settings makes, and what a model would be asked for it.
struct SummaryPlan {
    enum class Origin { Recorded, Extractive, Given };
    SummaryQuestion question; ///< with the text in force
    CallNumber call; ///< at which it is made; of `compact_conversation`, the call that follows
    bool byTool = false; ///< by `compact_conversation`
    Origin origin = Origin::Extractive;
};
using SummaryPlansPtr = std::shared_ptr<const std::vector<SummaryPlan>>;

/// Runs the settings and tells every summary of the run, in its order. Error as of Replayer::run.
Result<SummaryPlansPtr> makeSummaryPlans(const ReplayInputPtr &input, const SettingsSet &settings,
    const std::shared_ptr<const GivenSummaries> &given, const JobContext &job);

/// "recorded", "made of the messages' own sentences", "from a model".
QString originName(SummaryPlan::Origin origin);

} // namespace palimpsest
