// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

namespace palimpsest {

/// A thread that holds a text.
struct ThreadHit {
    std::string threadId;
    std::string ns;
    std::string checkpointId; ///< the one whose writes, or whose log, hold it
    std::string messageId; ///< empty when the message has none
    std::string excerpt; ///< the sentence around it

    bool operator==(const ThreadHit &) const = default;
};

/// Looks for a text in the messages of all threads of a source, regardless of case, and gives the first place in each
/// thread that has it. Error Invalid for an empty text. A
/// thread is read write by write, and no state is rebuilt; where a saver kept no writes, the newest log is read. What
/// cannot be decoded is passed over. The visitor returns false to stop.
Result<void> searchThreads(CheckpointSource &source, const std::string &text,
    const std::function<bool(ThreadHit &&)> &visit, const JobContext &job);

} // namespace palimpsest
