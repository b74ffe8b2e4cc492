// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/widgets/rowgeometry.h"

#include <functional>

namespace palimpsest {

/// One of two lists beside each other: its rows, where its first row stands in its viewport, and the viewport's height.
struct LevelSide {
    const RowGeometry *rows = nullptr;
    int origin = 0; ///< y of row 0 in the viewport
    int height = 0; ///< of the viewport
};

/// Where the follower's first row must stand so that a kept message is level in both lists. The first kept message in
/// the leader's view is the anchor, else the first kept one at all; the summary above it stays in view at the bottom as
/// long as the anchor is below. `followerRow` gives the follower's row of a leader's row, -1 when it has none;
/// `firstKept` is the leader's first row that has one.
int levelOrigin(
    const LevelSide &leader, const LevelSide &follower, int firstKept, const std::function<int(int)> &followerRow);

} // namespace palimpsest
