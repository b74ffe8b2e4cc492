// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/byterange.h"
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
    /// `language` of the source: whose defaults members have that a stored message leaves out.
    explicit BodyPool(std::string language = "python")
        : m_language(std::move(language))
    {
    }

    /// Called for an element that is no message or cannot be decoded; the log gets a placeholder of kind Other for it.
    using OnBad = std::function<void(std::size_t index, const Error &)>;

    /// The log that a stored channel holds. Error Malformed or Invalid when it is no list at all.
    Result<MessageLog> log(const StoredChannel &channel, const OnBad &onBad);
    /// Whether `log` is the log that a stored channel holds. Bodies are decoded when they are first met and let go of:
    /// what is kept is by which bytes a message of `log` is known.
    bool holds(const StoredChannel &channel, const MessageLog &log);
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
    Result<MessagePtr> body(std::string_view type, std::string_view raw);
    [[nodiscard]] Result<MessagePtr> decodedBody(std::string_view type, std::string_view raw) const;
    /// The elements of a list of messages; nothing when there is no list.
    static Result<std::optional<std::vector<ByteRange>>> elements(std::string_view type, std::string_view raw);
    Result<MessagesWrite> writeOf(std::string_view type, std::string_view raw, const std::vector<ByteRange> &ranges);

    std::string m_language;
    std::unordered_map<Key, MessagePtr, KeyHash> m_bodies;
    // The last list that was read.
    std::string m_lastRaw;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_lastRanges;
    MessageLog m_lastLog;
};

/// What stands in a log for an element that is no message.
MessagePtr placeholderMessage(const std::string &reason);

} // namespace palimpsest
