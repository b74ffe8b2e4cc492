// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/growth/pagemodel.h"

#include <algorithm>

namespace palimpsest {
namespace {

std::int64_t varint(std::int64_t number)
{
    std::int64_t bytes = 1;
    while ((number >>= 7) > 0)
        ++bytes;
    return bytes;
}

} // namespace

std::int64_t PageModel::add(std::int64_t record)
{
    const std::int64_t most = m_tree == Tree::Table ? m_usable - 35 : (m_usable - 12) * 64 / 255 - 23;
    const std::int64_t least = (m_usable - 12) * 32 / 255 - 23;
    std::int64_t local = record;
    std::int64_t overflow = 0;
    if (record > most) {
        const std::int64_t part = least + (record - least) % (m_usable - 4);
        local = part <= most ? part : least;
        overflow = (record - local + m_usable - 5) / (m_usable - 4);
    }
    ++m_cells;
    const std::int64_t rowid = m_tree == Tree::Table ? varint(m_cells) : 0;
    const std::int64_t cell = std::max<std::int64_t>(4, varint(record) + rowid + local + (overflow > 0 ? 4 : 0)) + 2;
    if (m_leaves == 0 || cell > m_free) {
        ++m_leaves;
        m_free = m_usable - 8;
    }
    m_free -= cell;
    m_overflow += overflow;
    m_cellBytes += cell;
    return cell + overflow * m_pageSize;
}

std::int64_t PageModel::bytes() const
{
    std::int64_t pages = std::max<std::int64_t>(1, m_leaves) + m_overflow;
    // Inner pages hold a pointer and a key for each page below.
    const std::int64_t key = m_tree == Tree::Table ? 9 : 8 + (m_cells > 0 ? m_cellBytes / m_cells : 0);
    for (std::int64_t level = m_leaves; level > 1;) {
        level = (level * (key + 2) + m_usable - 13) / (m_usable - 12);
        pages += level;
    }
    return pages * m_pageSize;
}

std::int64_t recordSize(const std::int64_t *sizes, int columns)
{
    std::int64_t header = 1;
    std::int64_t body = 0;
    for (int i = 0; i < columns; ++i) {
        header += sizes[i] < 0 ? 1 : varint(2 * sizes[i] + 13);
        body += std::max<std::int64_t>(0, sizes[i]);
    }
    return header + body;
}

} // namespace palimpsest
