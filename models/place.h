// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <QtTypes>
#include <string>

namespace palimpsest {

/// A piece of a message's text, in UTF-16 units of its displayed text; empty when `length` is 0.
struct TextRange {
    qsizetype start = 0;
    qsizetype length = 0;

    bool operator==(const TextRange &) const = default;
};

/// Where the window looks: all of it are names that survive a reload, no pointer and no row number.
struct Place {
    std::string thread; ///< thread id
    std::string ns; ///< checkpoint_ns; "" is the root
    std::string checkpoint; ///< checkpoint id; empty: the newest head
    CallNumber call; ///< valid: at the request of this call, `checkpoint` is then the one it started from
    std::string message; ///< `messageKey` of the chosen message; empty: none
    int version = -1; ///< body of the message: 0 as first written, 1, …; -1: the one in force
    TextRange text; ///< chosen text in that message
    std::string artifact; ///< path of the chosen file; empty: none
    int section = -1; ///< section of the archive `artifact`, from 0; -1: the whole file

    bool operator==(const Place &) const = default;
};

} // namespace palimpsest
