// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/branch.h"

#include <algorithm>

namespace palimpsest {

std::vector<CheckpointIndex> branchTo(const ThreadNamespace &space, CheckpointIndex tip)
{
    std::vector<CheckpointIndex> path;
    while (tip.isValid() && tip.at() < space.checkpoints.size() && path.size() <= space.checkpoints.size()) {
        path.push_back(tip);
        tip = space.checkpoints[tip.at()].parent;
    }
    std::ranges::reverse(path);
    return path;
}

CheckpointIndex newestBehind(const ThreadNamespace &space, CheckpointIndex index)
{
    std::size_t steps = 0;
    while (steps++ < space.checkpoints.size()) {
        const auto &children = space.checkpoints[index.at()].children;
        const auto newest = std::ranges::max_element(children);
        if (newest == children.end() || !newest->isValid() || newest->at() >= space.checkpoints.size())
            break;
        index = *newest;
    }
    return index;
}

std::vector<EventMark> eventsAlong(const ThreadNamespace &space, const std::vector<CheckpointIndex> &path)
{
    std::vector<EventMark> marks;
    const SummarizationEvent *last = nullptr;
    for (const CheckpointIndex index : path) {
        const EventPtr &event = space.checkpoints[index.at()].event;
        if (event.get() == last)
            continue;
        const bool same = event && last && *event == *last;
        last = event.get();
        if (event && !same)
            marks.push_back({static_cast<int>(marks.size()) + 1, index, event});
    }
    return marks;
}

} // namespace palimpsest
