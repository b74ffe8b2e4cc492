// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palimpsest {

/// The `type` of a checkpoint whose channels are kept apart, each under a serializer tag of its own: PostgreSQL's table
/// checkpoint_blobs, the in-memory saver. A source hands it out as one blob of this type, `packSplit`.
inline constexpr std::string_view splitType = "split";

/// One channel's stored value.
struct ChannelPart {
    std::string name;
    std::string type; ///< serializer tag: "msgpack", "json", "null", "empty" (has a version and no value), …
    std::string_view bytes; ///< lives elsewhere: where it was read, or in the blob that was unpacked
    std::int64_t size = 0; ///< of the stored value; larger than `bytes` when only its beginning is here

    bool operator==(const ChannelPart &) const = default;
};

struct SplitCheckpoint {
    std::int64_t format = 0; ///< `v`
    std::string id;
    std::string ts;
    std::vector<ChannelPart> values;
    std::vector<std::pair<std::string, std::string>> versions; ///< channel and its version as text

    bool operator==(const SplitCheckpoint &) const = default;
};

std::string packSplit(const SplitCheckpoint &checkpoint);
/// What the views in it point into is `bytes`. Error Malformed when the bytes are no such blob.
Result<SplitCheckpoint> unpackSplit(std::string_view bytes);

} // namespace palimpsest
