// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest {

/// A place in a source, as the command line names it.
struct CommandPlace {
    std::string source;
    std::string thread;
    std::string ns; ///< empty: the root
    std::string checkpoint; ///< used when there is neither message nor call
    std::optional<std::int64_t> call; ///< used when there is no message
    std::string message;
};

/// The command line that opens the window at a place. Arguments are quoted for a POSIX shell where they need it.
std::string placeCommand(const CommandPlace &place);

} // namespace palimpsest
