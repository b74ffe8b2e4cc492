// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "models/place.h"

#include <string>
#include <vector>

namespace palimpsest {

/// `[SOURCE] [--thread T] [--ns NS] [--checkpoint C | --call N | --message ID]`.
struct WindowArguments {
    std::string source; ///< empty: the start page
    Place place;

    bool operator==(const WindowArguments &) const = default;
};

/// Error Invalid names the argument and says what to do.
Result<WindowArguments> parseWindowArguments(const std::vector<std::string> &args);

} // namespace palimpsest
