// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/byterange.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

/// Finds its way through msgpack bytes without decoding them: a checkpoint's blob is cut into slices, and equal slices
/// are equal values. All offsets are bytes from the start of the blob. Cost: linear in the number of values passed
/// over; text, binary and ext payloads (LangGraph nests whole messages in those) are jumped over.
namespace palimpsest {

/// What the bytes at one place begin.
struct MsgpackHead {
    enum class Kind { Nil, Bool, Int, UInt, Float, Text, Bytes, List, Map, Ext };
    Kind kind = Kind::Nil;
    std::uint32_t count = 0; ///< of elements of a list, of entries of a map
    std::int64_t number = 0; ///< value of Bool and Int, bits of UInt; code of an Ext
    ByteRange payload; ///< of Text, Bytes, Ext; else empty and behind the head
};

/// The head at byte `at`. Error Malformed when the bytes end before it, or before the payload it announces.
Result<MsgpackHead> msgpackHead(std::string_view bytes, std::size_t at);

/// The end of the value that begins at byte `at`. Error Malformed when the bytes end before it.
Result<std::size_t> msgpackSkip(std::string_view bytes, std::size_t at);

/// The range of the value under text `key` of the map at byte `at`: the last one when a key is there twice; none when
/// the map has no such key or there is no map at `at`.
Result<std::optional<ByteRange>> msgpackFind(std::string_view bytes, std::size_t at, std::string_view key);
/// The same along a path: {"channel_values", "messages"}.
Result<std::optional<ByteRange>> msgpackFind(std::string_view bytes, std::initializer_list<std::string_view> path);

/// The ranges of the elements of the list at byte `at`; empty when there is no list.
Result<std::vector<ByteRange>> msgpackElements(std::string_view bytes, std::size_t at);

struct MsgpackEntry {
    ByteRange key;
    ByteRange value;

    bool operator==(const MsgpackEntry &) const = default;
};
/// The ranges of the entries of the map at byte `at`; empty when there is no map.
Result<std::vector<MsgpackEntry>> msgpackEntries(std::string_view bytes, std::size_t at);

/// The text at byte `at`; none when something else is there.
std::optional<std::string_view> msgpackText(std::string_view bytes, std::size_t at);

} // namespace palimpsest
