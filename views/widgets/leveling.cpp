// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/leveling.h"

#include <algorithm>

namespace palimpsest {

int levelOrigin(
    const LevelSide &leader, const LevelSide &follower, int firstKept, const std::function<int(int)> &followerRow)
{
    const int rows = leader.rows->rows();
    if (rows == 0 || follower.rows->rows() == 0)
        return 0;
    const int top = leader.rows->rowAt(-leader.origin);
    const int bottom = leader.rows->rowAt(leader.height - leader.origin - 1);
    int anchor = -1;
    int partner = -1;
    for (int row = top; row <= bottom && partner < 0; ++row) {
        anchor = row;
        partner = followerRow(row);
    }
    if (partner < 0 && firstKept >= 0 && firstKept < rows && firstKept > bottom) {
        anchor = firstKept;
        partner = followerRow(firstKept);
    }
    if (partner < 0) // Nothing is kept from here on: the lists have nothing in common, the summary goes to the top.
        return firstKept < 0 ? 0 : std::min(0, follower.height - follower.rows->total());
    const int level = leader.origin + leader.rows->top(anchor) - follower.rows->top(partner);
    // The rows above the first kept one (the summary) are not to leave the view at the bottom.
    const int lead = firstKept >= 0 ? follower.rows->top(std::max(followerRow(firstKept), 0)) : 0;
    const int pinned =
        lead > 0 ? follower.height - lead - follower.rows->base() / 3 : follower.height - follower.rows->base();
    return std::min(level, std::max(pinned, 0));
}

} // namespace palimpsest
