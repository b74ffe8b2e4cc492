// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>

namespace palimpsest {

/// JSON with two spaces of indentation, as people read it; what JSON has no form for as `writeJson` writes it. Stops at
/// about `limit` bytes with an ellipsis.
std::string prettyJson(const Value &value, std::size_t limit = std::string::npos);

} // namespace palimpsest
