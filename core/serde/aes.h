// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace palimpsest {

/// Opens a row that LangGraph's EncryptedSerializer wrote (langgraph/checkpoint/serde/encrypted.py, 4.3.2): 16 bytes
/// nonce, 16 bytes tag, the rest AES-EAX ciphertext. `key` is the text of LANGGRAPH_AES_KEY: 16, 24 or 32 bytes. It is
/// used here and kept nowhere. Errors: Invalid (no key of a usable length), Malformed (too short, or key and row do not
/// belong together).
Result<std::string> decryptAesEax(std::string_view row, std::string_view key);

/// "msgpack" of "msgpack+aes"; empty for a tag of another cipher or none.
std::string_view typeInsideAes(std::string_view type);

} // namespace palimpsest
