// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <string_view>

namespace palimpsest {

/// Decodes a stored value by its serializer's tag (langgraph/checkpoint/serde/jsonplus.py `loads_typed`, 4.3.2):
/// "msgpack", "json" (with LangChain's envelopes opened), this program's own "json-lc" (the same in a document that no
/// saver wrote) and "json-flat" (as it is), "null", "bytes", "bytearray" (Tagged builtins.bytearray), and
/// any of these followed by "+aes" when `aesKey`, the text of LANGGRAPH_AES_KEY, is given. Error Unsupported for
/// "pickle", other ciphers, encrypted rows without a key and tags this program does not know: such rows stay opaque;
/// Malformed and Limit as the decoders say.
Result<Value> decodeTyped(std::string_view type, std::string_view bytes, std::string_view aesKey = {});

/// Tags of the rows that a source makes of a JSON document.
inline constexpr std::string_view jsonFlat = "json-flat";
inline constexpr std::string_view jsonLangChain = "json-lc";

/// Whether a tag stands for JSON text.
bool isJsonType(std::string_view type);

} // namespace palimpsest
