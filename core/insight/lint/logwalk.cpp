// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/logwalk.h"

#include <algorithm>
#include <unordered_set>

namespace palimpsest {

void eachNewMessage(const ThreadNamespace &ns, const JobContext &job,
    const std::function<void(CheckpointIndex, std::size_t, const MessagePtr &)> &look)
{
    std::unordered_set<const Message *> seen;
    for (std::size_t i = 0; i < ns.checkpoints.size() && !job.stopped(); ++i) {
        const Checkpoint &checkpoint = ns.checkpoints[i];
        const MessageLog &log = checkpoint.messages;
        std::size_t from = 0;
        if (checkpoint.parent.isValid() && checkpoint.parent.at() < i) {
            const MessageLog &before = ns.checkpoints[checkpoint.parent.at()].messages;
            if (log.identity() == before.identity())
                continue;
            if (log.size() >= before.size() && log.take(before.size()) == before)
                from = before.size();
        }
        for (std::size_t k = from; k < log.size(); ++k)
            if (seen.insert(log[k].get()).second)
                look(CheckpointIndex(i), k, log[k]);
    }
}

} // namespace palimpsest
