// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/byterange.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Finds its way through JSON text without decoding it: a document is cut into slices, and equal slices are equal
/// values. What is passed over is only looked at for its quotes and brackets; whether it is JSON shows when it is
/// decoded (`parseJson`). All offsets are bytes from the start of the text.
namespace palimpsest {

/// Deeper nesting is Error Limit, as in `parseJson`.
inline constexpr std::size_t jsonDepth = 1000;

/// The first byte at or behind `at` that is no white space; the text's end when there is none.
std::size_t jsonSpace(std::string_view text, std::size_t at);

/// The end of the value that begins at or behind byte `at`. Error Malformed when the text ends before it, Limit.
Result<std::size_t> jsonSkip(std::string_view text, std::size_t at);

struct JsonEntry {
    ByteRange key; ///< with its quotes
    ByteRange value;

    bool operator==(const JsonEntry &) const = default;
};
/// The entries of the object at or behind byte `at`, in stored order; empty when something else is there.
Result<std::vector<JsonEntry>> jsonEntries(std::string_view text, std::size_t at = 0);

/// The elements of the array at or behind byte `at`; empty when something else is there.
Result<std::vector<ByteRange>> jsonElements(std::string_view text, std::size_t at = 0);

/// The decoded text at or behind byte `at`; nothing when something else is there or it is damaged.
std::optional<std::string> jsonText(std::string_view text, std::size_t at = 0);

/// The value under `key` of entries, the last one when a key is there twice; an empty text when there is none.
std::string_view jsonFind(std::string_view text, const std::vector<JsonEntry> &entries, std::string_view key);
/// The same of the object that `object` is.
std::string_view jsonFind(std::string_view object, std::string_view key);

} // namespace palimpsest
