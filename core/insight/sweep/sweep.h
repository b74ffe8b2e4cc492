// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/compaction/replay.h"
#include "core/insight/sweep/grid.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// What a run did, in figures (docs of `sweep --json`).
struct RunFigures {
    std::int64_t events = 0; ///< that were stored, those of `compact_conversation` included
    std::int64_t calls = 0; ///< recorded calls that were replayed
    std::int64_t tokensSent = 0; ///< over attempts that the provider took, with tools and system
    std::int64_t summaryTokens = 0; ///< counted tokens of the summary prompts
    std::int64_t peakTokens = 0; ///< the largest such attempt
    std::int64_t tokensKeptAtEnd = 0; ///< the last such attempt, without tools and system
    std::int64_t summaries = 0; ///< summaries that were made, those of refused or failing calls included
    std::optional<double> cost; ///< dollars, by the settings' prices; null without any
    std::vector<bool> needles; ///< in the grid's order: verbatim in the last such attempt

    bool operator==(const RunFigures &) const = default;
    [[nodiscard]] std::int64_t needlesLost() const;
};

/// Looks for texts in the last request of runs: verbatim in a text block, or in the JSON of a tool call's arguments.
/// Remembers what it found in each message. For one thread.
class NeedleSearch {
public:
    explicit NeedleSearch(std::vector<std::string> needles);
    [[nodiscard]] std::vector<bool> find(const RequestView &request);

private:
    [[nodiscard]] const std::vector<bool> &inMessage(const MessagePtr &message);

    std::vector<std::string> m_needles;
    std::unordered_map<MessagePtr, std::vector<bool>> m_known;
};

/// The figures of a replay.
RunFigures figuresOf(const Replay &replay, const SettingsSet &settings, const std::vector<std::string> &needles = {});
/// The same from a run that kept no requests.
Result<RunFigures> figuresOf(const Replayer &replayer, const SettingsSet &settings, SummarySource summaries,
    NeedleSearch &needles, const JobContext &job = {});
/// Why a clause of the trigger is reached again by what is kept, at every call; empty when the settings can work.
std::string unworkableReason(const Settings &settings);

/// One cell over one thread.
struct SweepRow {
    RunFigures figures;
    /// Tools, system and what is kept alone reach the trigger: it would summarize at every call. Why; empty: it works.
    std::string unworkable;
    std::string error; ///< the settings are refused: upstream's words; the figures mean nothing then

    bool operator==(const SweepRow &) const = default;
};

/// What is compared over many threads.
struct Spread {
    double median = 0;
    double p90 = 0;
    double worst = 0;
    std::size_t worstThread = 0; ///< place in the threads given

    bool operator==(const Spread &) const = default;
};

/// One cell over all threads.
struct SweepCell {
    std::vector<Value> values; ///< one an axis
    std::vector<SweepRow> threads; ///< in the order of the inputs
    bool onFront =
        false; ///< no other cell is better in one of cost (or tokens), events and needles lost and worse in none

    [[nodiscard]] Spread spread(const std::function<double(const RunFigures &)> &figure) const;
    /// Sums over the threads; needles kept in all; for one thread its figures.
    [[nodiscard]] RunFigures total() const;
    [[nodiscard]] std::string unworkable() const; ///< of the first thread where it is
    [[nodiscard]] std::string error() const;
};

struct SweepOptions {
    unsigned workers = 0; ///< 0: one a core
    SummarySource summaries = SummarySource::Recorded; ///< any but Model
    /// Cells that are known from an earlier run, by place; they are not done again.
    std::vector<std::optional<SweepCell>> known;
    /// Called once for each cell that was done, from any worker, one at a time.
    std::function<void(std::size_t cell, const SweepCell &)> finished;
};

struct SweepResult {
    SweepGrid grid;
    std::vector<std::string> labels; ///< of the threads
    std::vector<SweepCell> cells; ///< in grid order
};

/// One thread of a sweep.
struct SweepInput {
    std::string label; ///< source and thread
    ReplayInputPtr input;
};

/// Replays every cell over every input, on all cores. Error Cancelled when the job stops: what `finished` was told is
/// the answer so far.
Result<SweepResult> sweep(
    const SweepGrid &grid, const std::vector<SweepInput> &inputs, const SweepOptions &options, const JobContext &job);
/// Marks the cells that no other one beats.
void markFront(std::vector<SweepCell> &cells);

} // namespace palimpsest
