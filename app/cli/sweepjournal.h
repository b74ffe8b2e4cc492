// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/insight/sweep/sweep.h"

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The cells of a sweep that are done, in a file of JSON lines: the first names grid and threads, each other one is a
/// cell. An interrupted sweep goes on from it.
class SweepJournal {
public:
    /// Opens or makes the file. Error Invalid when it belongs to another grid or other threads, Io when it cannot be
    /// written.
    static Result<SweepJournal> open(
        const std::string &path, const SweepGrid &grid, const std::vector<SweepInput> &inputs);

    /// Cells of an earlier run, by place.
    [[nodiscard]] const std::vector<std::optional<SweepCell>> &known() const { return m_known; }
    void add(std::size_t place, const SweepCell &cell);

private:
    SweepJournal() = default;

    std::vector<std::optional<SweepCell>> m_known;
    std::ofstream m_file;
};

} // namespace palimpsest
