// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <cstddef>
#include <string_view>

namespace palimpsest {

struct MsgpackLimits {
    /// Containers and ext payloads inside each other; ormsgpack stops at 1024 too.
    std::size_t depth = 1024;
    /// Values in one row, all nested ones counted.
    std::size_t values = std::size_t(1) << 24;
};

/// Decodes one msgpack value with LangGraph's ext codes (langgraph/checkpoint/serde/jsonplus.py, 4.3.2), structurally:
///
/// | ext | Tagged::value |
/// |---|---|
/// | 0 constructor, one argument | the argument |
/// | 1 constructor, positional | list of arguments |
/// | 2 constructor, keywords | map of arguments |
/// | 3 method | the argument; `method` is its name |
/// | 4, 5 pydantic v1, v2 | map of fields; `method` as stored ("model_validate_json") |
/// | 6 numpy | list of dtype, shape, order, bytes; named numpy.ndarray |
/// | 7 delta snapshot | the channel's value |
///
/// An ext of another code, and one whose payload has not its code's shape, is kept as Form::UnknownExt: its bytes,
/// `method` the code in decimal. Text that is not WTF-8 comes as Tagged builtins.str of Form::Python whose value is the
/// bytes: no byte of it is lost. A map key may be of any kind; duplicates are kept in order.
///
/// Errors: Malformed with the byte offset (cut off, a length that cannot be true, bytes behind the value), Limit. Time
/// and memory are linear in the size of the input, whatever lengths it claims.
Result<Value> decodeMsgpack(std::string_view bytes, const MsgpackLimits &limits = {});

/// The bytes of text that was stored as msgpack text without being UTF-8 (see decodeMsgpack); null for any other value.
const std::string *brokenText(const Value &value);

} // namespace palimpsest
