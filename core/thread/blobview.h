// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// One entry of `channel_values`, not decoded yet where the blob is msgpack or JSON.
struct StoredChannel {
    std::string name;
    bool snapshot = false; ///< a `_DeltaSnapshot`; `raw` or `value` is what is inside it
    std::string_view raw; ///< its bytes inside the blob; empty when `value` holds the content
    std::string type = "msgpack"; ///< serializer's tag of `raw`
    Value value;
    bool cut = false; ///< only the beginning of a long value came along: neither `raw` nor `value` is there
    std::optional<std::uint64_t> cutCount; ///< of the list or map in a snapshot that is cut

    [[nodiscard]] bool isMsgpack() const { return type == "msgpack"; }
    /// Elements or entries of a list or map, told without decoding them; nothing for anything else.
    [[nodiscard]] std::optional<std::uint64_t> count() const;
    /// The decoded content. Error Unsupported when it is cut, else as `decodeTyped`.
    [[nodiscard]] Result<Value> decode() const;
    /// False: `decode` gives the reason.
    [[nodiscard]] bool readable() const;
};

struct StoredVersion {
    std::string name;
    std::string version; ///< as text: Python's "0000…12.0.7", JavaScript's 12
};

/// What a checkpoint's blob holds, found without decoding its values (langgraph/checkpoint/base `Checkpoint`, 4.3.2).
/// The views point into the blob that was given.
struct BlobView {
    std::string id;
    std::string ts;
    std::int64_t format = 0; ///< `v`
    std::vector<StoredChannel> channels;
    std::vector<StoredVersion> versions;

    [[nodiscard]] const StoredChannel *channel(std::string_view name) const;
    [[nodiscard]] const std::string *version(std::string_view name) const;
};

/// The ext code of a channel that is stored in no form known: DeltaChannel is beta, and another version may store a
/// sentinel or a snapshot of its own. Nothing for any other channel.
std::optional<std::int64_t> unknownForm(const StoredChannel &channel);

/// `type` may be that of a checkpoint whose channels are kept apart (core/sources/splitcheckpoint.h); a channel that
/// stays opaque is then no error. Errors: Unsupported for a row that stays opaque (pickle, encrypted), Malformed.
Result<BlobView> viewBlob(std::string_view type, std::string_view bytes);

/// What the beginning of a big msgpack blob says.
struct BlobPrefix {
    std::string id;
    std::string ts;
    /// A channel whose value begins within the prefix.
    struct Head {
        std::string name;
        bool snapshot = false;
        std::optional<std::uint64_t> count; ///< of the list or map that it holds
    };
    std::vector<Head> channels; ///< in stored order; the last one may reach beyond the prefix
};

/// Nothing when the prefix is no beginning of a checkpoint.
std::optional<BlobPrefix> viewPrefix(std::string_view prefix);

} // namespace palimpsest
