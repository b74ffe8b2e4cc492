// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTypes>
#include <vector>

namespace palimpsest {

/// Where the rows of a long list are, in pixels: all equally high except the few that are unfolded. Every question
/// costs the logarithm of the unfolded rows at most, so a list of 100,000 rows is never walked.
class RowGeometry {
public:
    void reset(int rows, int base);
    [[nodiscard]] int rows() const { return m_rows; }
    [[nodiscard]] int base() const { return m_base; }

    /// What a row is higher than the others; 0 folds it again.
    void setExtra(int row, int extra);
    void clearExtras() { m_extras.clear(); }
    [[nodiscard]] int extra(int row) const;

    [[nodiscard]] int top(int row) const;
    [[nodiscard]] int height(int row) const { return m_base + extra(row); }
    [[nodiscard]] int total() const { return top(m_rows); }
    /// The row at a height, the first or last one beyond the ends; -1 in an empty list.
    [[nodiscard]] int rowAt(int y) const;

private:
    struct Extra {
        int row = 0;
        int extra = 0;
        int before = 0; ///< sum of the extras above
    };
    void sum();

    int m_rows = 0;
    int m_base = 1;
    std::vector<Extra> m_extras; ///< sorted by row
};

} // namespace palimpsest
