// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <string_view>

namespace palimpsest {

/// Decodes a stored value by its serializer's tag (langgraph/checkpoint/serde/jsonplus.py `loads_typed`, 4.3.2):
/// "msgpack", "json" (with LangChain's envelopes opened), "null", "bytes", "bytearray" (Tagged builtins.bytearray), and
/// any of these followed by "+aes" when `aesKey`, the text of LANGGRAPH_AES_KEY, is given. Error Unsupported for
/// "pickle", other ciphers, encrypted rows without a key and tags this program does not know: such rows stay opaque;
/// Malformed and Limit as the decoders say.
Result<Value> decodeTyped(std::string_view type, std::string_view bytes, std::string_view aesKey = {});

} // namespace palimpsest
