// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/sweep/sweep.h"

#include <QString>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// What a heat map shows of a cell.
enum class SweepFigure { Events, TokensSent, PeakTokens, KeptAtEnd, SummaryTokens, Cost, NeedlesLost };
inline constexpr int sweepFigures = 7;

QString sweepFigureName(SweepFigure figure);
/// What is shown of a figure that many threads have.
enum class SweepStat { Total, Median, P90, Worst };
inline constexpr int sweepStats = 4;
QString sweepStatName(SweepStat stat);
/// Nothing where the cell was refused or has no such figure.
std::optional<double> sweepFigure(const SweepCell &cell, SweepFigure figure, SweepStat stat = SweepStat::Total);

/// One thread's figure in a cell.
struct SweepThread {
    std::size_t thread = 0; ///< place among the sweep's threads
    double value = 0;
    bool operator==(const SweepThread &) const = default;
};
/// The threads with the largest figures, the worst first; at most `count`.
std::vector<SweepThread> worstThreads(const SweepCell &cell, SweepFigure figure, std::size_t count);

/// A number that a sweep may vary: what it is called and how a value of it is written into settings.
struct SweepParameter {
    std::string key;
    QString name; ///< "trigger, messages"
    bool whole = true;
    double from = 1;
    double to = 100;
    std::function<Value(double)> write;
};
/// Sizes of trigger and keep in each unit, and every number among the parameters. `messages` and `tokens`: what the
/// thread reaches, for ranges to begin with.
std::vector<SweepParameter> sweepParameters(double messages, double tokens);
/// `steps` values from `from` to `to`, even, without repetition.
SweepAxis sweepAxis(const SweepParameter &parameter, double from, double to, int steps);
/// A value of an axis as a number, and as a few words: ["messages", 14] is 14 and "14".
double sweepNumber(const Value &value);
QString sweepWords(const Value &value);

/// A sweep as far as it is done. The first two axes are a map's columns and rows; of each axis behind them one value is
/// looked at.
struct SweepStudy {
    SweepGrid grid;
    std::vector<std::optional<SweepCell>> cells; ///< in grid order
    std::vector<std::string> threads; ///< labels of what it goes over
    std::vector<std::size_t> slice; ///< places of the values that are looked at, one for each axis behind the second

    explicit SweepStudy(SweepGrid of = {});
    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] std::size_t columns() const; ///< values of the first axis
    [[nodiscard]] std::size_t rows() const; ///< values of the second axis; 1 without
    [[nodiscard]] std::size_t cellAt(std::size_t column, std::size_t row) const;
    [[nodiscard]] const SweepCell *at(std::size_t column, std::size_t row) const;
    /// Which of the cells that are done no other one beats.
    void mark();
};

/// Every cell that is done, a line each, with a head.
std::string sweepCsv(const SweepStudy &study);

} // namespace palimpsest
