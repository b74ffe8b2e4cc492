// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// A stretch that two sequences share (length in both), or that only one of them has.
struct DiffRun {
    enum class Kind { Same, Removed, Added };
    Kind kind = Kind::Same;
    std::size_t a = 0; ///< where it begins in the first sequence
    std::size_t b = 0; ///< … in the second
    std::size_t length = 0;

    bool operator==(const DiffRun &) const = default;
};

/// The shortest edit of sequence `a` into `b` (Myers 1986), in order. Sequences that differ in more than some thousand
/// places share only their common beginning and end.
std::vector<DiffRun> diffSequences(const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b);

/// A piece of text that both, the first or the second have.
struct TextPiece {
    DiffRun::Kind kind = DiffRun::Kind::Same;
    std::string text;

    bool operator==(const TextPiece &) const = default;
};

/// Two texts compared word by word; long ones line by line first. The pieces that are not Added make the first text,
/// those that are not Removed the second.
std::vector<TextPiece> diffTexts(std::string_view a, std::string_view b);

} // namespace palimpsest
