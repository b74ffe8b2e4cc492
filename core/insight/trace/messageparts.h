// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace palimpsest {

/// One text that a message gives to the model.
struct MessagePart {
    enum class Kind {
        Text, ///< the content, or a text block
        Block, ///< a text inside another block (reasoning, a provider's own)
        Arguments, ///< of a tool call: a text inside them, or their JSON
    };
    Kind kind = Kind::Text;
    std::optional<std::int64_t> block; ///< 0-based place in a content of blocks
    std::string_view toolCallId; ///< of arguments
    std::string_view text; ///< lives until the visitor returns
};

/// Gives every text of a message to `visit`, content first, until it returns false. Binary content (base64, data URLs)
/// is passed over. Arguments are given as the texts they hold, then as `json.dumps(args, ensure_ascii=False)` writes
/// them.
void visitParts(const Message &message, const std::function<bool(const MessagePart &)> &visit);

/// Every text inside a value, keys of maps too; false when `visit` did.
bool visitTexts(const Value &value, const std::function<bool(std::string_view)> &visit);

} // namespace palimpsest
