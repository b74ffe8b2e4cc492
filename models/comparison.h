// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/compare.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The recording and two settings over the same namespace, side by side. Made by a worker, then immutable.
struct Comparison {
    enum Column { Recorded, A, B };
    static constexpr std::size_t columnCount = 3;

    std::array<std::optional<RunSummary>, columnCount> columns; ///< empty where no settings are kept
    std::array<std::shared_ptr<const Replay>, columnCount> runs;
    std::array<std::string, columnCount> names; ///< "recorded", "A: messages 14, keep messages 6"
    Column left = Recorded; ///< the two that `calls` compares
    Column right = A;
    std::vector<CallDifference> calls;
    std::vector<std::string> rules; ///< what the two dialects do differently
    bool leavesRecording = false;
};
using ComparisonPtr = std::shared_ptr<const Comparison>;

/// Runs A and B with archives and prompts, and the recording counted under A's settings. Null settings leave a column
/// out; with A and B both there they are compared call by call, else the one with the recording. Error as of
/// Replayer::run.
Result<ComparisonPtr> makeComparison(const ReplayInputPtr &input, const std::shared_ptr<const SettingsSet> &a,
    const std::shared_ptr<const SettingsSet> &b, const JobContext &job);

/// The messages of a column's request at a call; empty where there is none.
std::vector<MessagePtr> requestAt(const Comparison &comparison, Comparison::Column column, std::int32_t call);

} // namespace palimpsest
