// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace palimpsest {

/// How many pages an SQLite table takes whose rows are appended: cells packed into leaf pages in order, long rows
/// continued on overflow pages (sqlite.org/fileformat2.html, sections 1.5 and 1.6). Bytes throughout.
class PageModel {
public:
    enum class Tree { Table, Index };

    /// `usable`: the page's size without its reserved bytes.
    PageModel(std::int64_t pageSize, std::int64_t usable, Tree tree = Tree::Table)
        : m_pageSize(pageSize)
        , m_usable(usable)
        , m_tree(tree)
    {
    }

    /// Appends a row whose record has this many bytes; gives what it takes: its cell and its overflow pages.
    std::int64_t add(std::int64_t record);
    /// All pages, inner ones as well.
    [[nodiscard]] std::int64_t bytes() const;

private:
    std::int64_t m_pageSize;
    std::int64_t m_usable;
    Tree m_tree;
    std::int64_t m_leaves = 0;
    std::int64_t m_overflow = 0;
    std::int64_t m_free = 0; ///< on the last leaf
    std::int64_t m_cells = 0;
    std::int64_t m_cellBytes = 0;
};

/// Bytes of a record's header and of its values: `texts` and blobs by their sizes, one entry a column; a size below 0
/// is a null.
std::int64_t recordSize(const std::int64_t *sizes, int columns);

} // namespace palimpsest
