// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace palimpsest {

/// A part of a longer text, in bytes from its start.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const ByteRange &) const = default;
    [[nodiscard]] std::size_t size() const { return end - begin; }
    [[nodiscard]] std::string_view of(std::string_view bytes) const { return bytes.substr(begin, end - begin); }
};

} // namespace palimpsest
