// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/thread/thread.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// What rows, strips and ribbons need to know of one message body without reading it again.
struct MessageFacts {
    std::int64_t tokens = 0; ///< LangChain's approximate count of this message alone
    CheckpointIndex bornAt; ///< first checkpoint that has this body; invalid when unknown
    std::string offloadedTo; ///< file that holds its original text; empty: none
    bool argumentsTruncated = false; ///< carries the marker of argument truncation
    bool resultEvicted = false; ///< a tool result that is only a stub with a preview
    bool clipped = false; ///< shortened after a context overflow
    bool hasMedia = false; ///< an image, audio, video or file block
    bool remoteMedia = false; ///< a media block that points elsewhere (URL, provider file id)

    bool operator==(const MessageFacts &) const = default;
};

/// Facts of every message body in a thread, made once by a worker.
struct LogFacts {
    std::unordered_map<const Message *, MessageFacts> bodies;
    ThreadPtr thread; ///< keeps the bodies alive

    /// Facts of a body; those of a body not met are made on the spot.
    [[nodiscard]] MessageFacts of(const Message &message) const;
};
using LogFactsPtr = std::shared_ptr<const LogFacts>;

/// The facts of one body, `bornAt` excepted.
MessageFacts factsOf(const Message &message);
/// The facts of all bodies. Error Cancelled when the job is stopped.
Result<LogFactsPtr> makeLogFacts(const ThreadPtr &thread, const JobContext &job);

} // namespace palimpsest
