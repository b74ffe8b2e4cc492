// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <string>
#include <vector>

namespace palimpsest {

/// One row of `writes`, decoded as far as a thread needs it.
struct StoredWrite {
    CheckpointIndex checkpoint; ///< the checkpoint that it was written from: its task started there
    std::string taskId;
    std::string taskPath; ///< empty when the table has none
    std::int64_t idx = 0; ///< negative for special writes
    std::string channel;
    /// Decoded for events, session ids, files and special channels; nil for others. Of the messages channel `messages`
    /// holds the content.
    Value value;
    bool decoded = false; ///< false: not looked at, or not readable
    bool overwrite = false; ///< messages channel: an Overwrite, `messages` is the whole new log
    std::vector<MessagePtr> messages; ///< messages channel: the very bodies that the logs share
};

/// All writes of a namespace, by checkpoint, then task path, task id and idx: the order in which LangGraph applies
/// them.
using WriteLog = std::vector<StoredWrite>;

} // namespace palimpsest
