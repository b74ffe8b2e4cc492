// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/cost.h"
#include "core/insight/sweep/sweep.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace palimpsest {

/// One column of a comparison.
struct RunSummary {
    std::string name; ///< "recorded", "A", "B"
    RunFigures figures;
    std::map<std::string, std::int64_t> keptByRole; ///< tokens of the last request, by message type; "summary" apart
    std::int64_t archiveBytes = 0;
    std::int64_t outOfContextAtEnd = 0; ///< messages of the log that the last request does not hold
    RunCost cost;
};

/// The recording as a run: each answered call's request and event as recorded, counted under these settings. Error
/// Invalid for a dialect that is none.
Result<Replay> recordedRun(const ReplayInputPtr &input, const SettingsSet &settings);

/// Figures of a run. `texts` of the replay decides whether archives and prompts count.
RunSummary summarizeRun(const Replay &replay, const SettingsSet &settings, std::string name);

/// One line of a request, or of two requests side by side.
struct RequestLine {
    enum class Kind { Same, Changed, OnlyA, OnlyB };
    Kind kind = Kind::Same;
    std::int64_t a = -1; ///< place in A's request; -1: not there
    std::int64_t b = -1;
};
/// Lines the messages of two requests up: by object, id, then by equal text.
std::vector<RequestLine> diffRequests(const std::vector<MessagePtr> &a, const std::vector<MessagePtr> &b);

/// How one call differs between two runs.
struct CallDifference {
    std::int32_t callA = -1; ///< place in A's calls; -1: B's alone
    std::int32_t callB = -1;
    bool differs = false; ///< request, event or outcome
    std::int64_t onlyA = 0; ///< messages
    std::int64_t onlyB = 0;
    std::int64_t changed = 0;
    std::string why; ///< one sentence: which decision differs; between dialects, the rule that changed
};

struct RunComparison {
    RunSummary a;
    RunSummary b;
    std::vector<CallDifference> calls;
    std::int64_t differing = 0;
};

enum class CallAlignment {
    ByCall, ///< same number
    ByText, ///< the longest common course of answers, for threads whose ids differ
};

/// By call where some answer has the same id in both threads, else by text.
CallAlignment alignmentFor(const ReplayInput &a, const ReplayInput &b);

/// Compares two replays call by call: of the same thread under two settings, or of two threads.
RunComparison compareRuns(const Replay &a, const SettingsSet &settingsA, const Replay &b, const SettingsSet &settingsB,
    CallAlignment alignment = CallAlignment::ByCall, const JobContext &job = {});

/// Which rules differ between two dialects, one sentence each.
std::vector<std::string> changedRules(const Dialect &a, const Dialect &b);

} // namespace palimpsest
