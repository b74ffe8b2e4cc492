// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/rowgeometry.h"

#include <algorithm>

namespace palimpsest {

void RowGeometry::reset(int rows, int base)
{
    m_rows = std::max(rows, 0);
    m_base = std::max(base, 1);
    m_extras.clear();
}

void RowGeometry::setExtra(int row, int extra)
{
    if (row < 0 || row >= m_rows)
        return;
    const auto at = std::ranges::lower_bound(m_extras, row, {}, &Extra::row);
    const bool there = at != m_extras.end() && at->row == row;
    if (extra <= 0) {
        if (there)
            m_extras.erase(at);
    } else if (there) {
        at->extra = extra;
    } else {
        m_extras.insert(at, Extra{row, extra, 0});
    }
    sum();
}

void RowGeometry::sum()
{
    int before = 0;
    for (Extra &one : m_extras) {
        one.before = before;
        before += one.extra;
    }
}

int RowGeometry::extra(int row) const
{
    const auto at = std::ranges::lower_bound(m_extras, row, {}, &Extra::row);
    return at != m_extras.end() && at->row == row ? at->extra : 0;
}

int RowGeometry::top(int row) const
{
    row = std::clamp(row, 0, m_rows);
    const auto at = std::ranges::lower_bound(m_extras, row, {}, &Extra::row);
    const int before = m_extras.empty() ? 0
        : at == m_extras.end()          ? m_extras.back().before + m_extras.back().extra
                                        : at->before;
    return row * m_base + before;
}

int RowGeometry::rowAt(int y) const
{
    if (m_rows == 0)
        return -1;
    // The last unfolded row that begins at or above y decides how much is to be taken off.
    const auto after =
        std::ranges::upper_bound(m_extras, y, {}, [this](const Extra &one) { return one.row * m_base + one.before; });
    if (after == m_extras.begin())
        return std::clamp(y < 0 ? 0 : y / m_base, 0, m_rows - 1);
    const Extra &last = *(after - 1);
    const int lastTop = last.row * m_base + last.before;
    const int lastBottom = lastTop + m_base + last.extra;
    if (y < lastBottom)
        return last.row;
    return std::clamp(last.row + 1 + (y - lastBottom) / m_base, 0, m_rows - 1);
}

} // namespace palimpsest
