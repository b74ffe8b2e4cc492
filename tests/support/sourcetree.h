// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::testing {

/// A text file of the project, as the tests about the sources themselves see it.
struct SourceFile {
    std::string path; ///< from the project's root, with slashes
    std::string text;

    bool operator==(const SourceFile &) const = default;
    /// The text without line ends, line by line.
    std::vector<std::string_view> lines() const;
    /// File name without folders and from the first dot on: `mainwindow` for app/mainwindow.cpp.
    std::string_view stem() const;
    bool endsWith(std::string_view suffix) const { return std::string_view(path).ends_with(suffix); }
};

/// Every file that people write: all of the tree without build folders, hidden folders (`.ci` excepted), test data,
/// corpora, sample threads, pictures and the licence's text. Sorted by path.
std::vector<SourceFile> sourceTree(const std::string &root);

/// The names in `#include "…"` and `#include <…>` of a file, with the line they stand in (from 1).
struct Include {
    std::string_view name;
    bool quoted = false;
    std::size_t line = 0;
};
std::vector<Include> includesOf(const SourceFile &file);

} // namespace palimpsest::testing
