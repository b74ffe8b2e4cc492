// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace palimpsest::base64 {

/// Standard alphabet, padded.
std::string encode(std::string_view bytes);

/// As lenient as Python's base64.b64decode(text): characters outside the alphabet are skipped, what follows the padding
/// is ignored. Error Malformed with Python 3.11's message ("Incorrect padding") when the digits do not come out even.
Result<std::string> decode(std::string_view text);

/// As Python's base64.b64decode(text, validate=True): nothing is skipped.
Result<std::string> decodeStrict(std::string_view text);

} // namespace palimpsest::base64
