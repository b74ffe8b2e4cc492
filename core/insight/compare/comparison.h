// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/compare.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The recording and two settings over the same namespace side by side, or two recorded threads. Made by a worker, then
/// immutable.
struct Comparison {
    enum Column { Recorded, A, B };
    static constexpr std::size_t columnCount = 3;

    std::array<std::optional<RunSummary>, columnCount> columns; ///< empty where no settings are kept
    std::array<std::shared_ptr<const Replay>, columnCount> runs;
    std::array<std::string, columnCount> names; ///< "recorded", "A: messages 14, keep messages 6"
    std::array<std::string, columnCount> shortNames{"recorded", "A", "B"};
    CallAlignment alignment = CallAlignment::ByCall;
    bool twoThreads = false; ///< the second thread's column is A
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

/// One recorded thread and another, perhaps of another file, both counted under `settings`: call by call, or by what
/// was answered where their ids differ. Error Invalid for a dialect that is none.
Result<ComparisonPtr> makeThreadComparison(const ReplayInputPtr &input, const ReplayInputPtr &other,
    const std::string &otherName, const std::shared_ptr<const SettingsSet> &settings, const JobContext &job);

/// One figure of all columns.
struct ComparedFigure {
    std::string name;
    std::string meaning;
    std::array<std::optional<double>, Comparison::columnCount> values;
    int decimals = 0;
    bool lessIsBetter = false;
};
/// What the runs sum up to, figure by figure.
std::vector<ComparedFigure> comparedFigures(const Comparison &comparison);

/// The messages of a column's request at a call; empty where there is none.
std::vector<MessagePtr> requestAt(const Comparison &comparison, Comparison::Column column, std::int32_t call);

} // namespace palimpsest
