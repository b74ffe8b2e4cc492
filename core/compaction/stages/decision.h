// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace palimpsest {

/// What a stage did about one message, or why it did nothing: for the window to show.
struct MessageDecision {
    enum class Outcome {
        Kept, ///< looked at and left as it was
        Excluded, ///< the tool is never offloaded
        Offloaded, ///< content moved to a file, a stub stays
        Failed, ///< the file could not be written; the message stays as it was
        Clipped, ///< cut, with a notice where the rest is
        Restubbed, ///< offloaded before; the stub was made anew
        Patched, ///< made up for a call that has no result
        Restored, ///< offloaded content put back in its place
        Missing, ///< offloaded content that could not be read again
    };

    std::string stage; ///< "large-tool-result", "human-message", "overflow-clip", "inline-media", "patch-tool-calls",
                       ///< "blob-offload"
    Outcome outcome = Outcome::Kept;
    std::optional<std::int64_t> index; ///< place in the list that the stage was given
    std::optional<std::string> messageId;
    std::optional<std::string> toolCallId;
    std::optional<std::int64_t> size; ///< what was held against the threshold
    std::optional<std::int64_t> threshold;
    std::string unit; ///< of size and threshold: "characters" or "tokens"
    std::string path; ///< file written, or meant to be
    std::string reason; ///< one sentence

    bool operator==(const MessageDecision &) const = default;
};

/// Where fresh names come from: random UUIDs in upstream's order of asking, so that recorded ones can be used again.
struct FreshNames {
    /// A UUID in its usual form, 36 characters.
    std::function<std::string()> uuid;
};

/// Random names (version 4).
FreshNames randomNames();

} // namespace palimpsest
