// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <cstddef>
#include <string_view>

namespace palimpsest {

/// Reads JSON as Python's json.loads does: NaN and Infinity, lone surrogates, integers of any size and duplicate keys survive. That is
/// why this is no use of nlohmann's parser, which refuses the first two and rounds the third. Bytes that are not UTF-8 become U+FFFD.
/// Nesting deeper than `maxDepth` is Error Limit; anything else wrong is Error Malformed with the byte offset in `where`.
Result<Value> parseJson(std::string_view bytes, std::size_t maxDepth = 1000);

/// Like parseJson for one document at `at` of a longer text (JSON lines); moves `at` behind it.
Result<Value> parseJsonAt(std::string_view bytes, std::size_t &at, std::size_t maxDepth = 1000);

} // namespace palimpsest
