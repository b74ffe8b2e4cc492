// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/blobview.h"
#include "core/thread/checkpoint.h"
#include "core/thread/reducers.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// Decodes each message body once: equal bytes are equal messages. A list that begins as the last one did shares that
/// one's structure.
class BodyPool {
public:
    /// Called for an element that is no message or cannot be decoded; the log gets a placeholder of kind Other for it.
    using OnBad = std::function<void(std::size_t index, const Error &)>;

    /// The log that a stored channel holds. Error Malformed or Invalid when it is no list at all.
    Result<MessageLog> log(const StoredChannel &channel, const OnBad &onBad);
    /// A write to the messages channel, as stored.
    Result<MessagesWrite> write(std::string_view type, std::string_view bytes);

    /// The number of bodies that were decoded.
    [[nodiscard]] std::size_t size() const { return m_bodies.size(); }

private:
    struct Key {
        std::uint64_t a = 0;
        std::uint64_t b = 0;
        bool operator==(const Key &) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key &key) const { return key.a; }
    };
    static Key keyOf(std::string_view bytes);
    Result<MessagePtr> body(std::string_view raw);

    std::unordered_map<Key, MessagePtr, KeyHash> m_bodies;
    // The last list that was read.
    std::string m_lastRaw;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_lastRanges;
    std::vector<Value> m_lastValues; ///< of a JSON list
    MessageLog m_lastLog;
};

/// What stands in a log for an element that is no message.
MessagePtr placeholderMessage(const std::string &reason);

} // namespace palimpsest
