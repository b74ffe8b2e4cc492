// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace palimpsest {

/// Keys of the messages of two lists, equal where two are the same message: what diffSequences() lines up.
struct MessageKeys {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    std::unordered_set<std::string> sharedIds; ///< that stand in both lists
};

/// What tells a message whose id only one list has.
enum class UnsharedIds {
    Differ, ///< the id: it is another message
    ByWords, ///< type, text and tool calls without their ids: another run may have given it another id
};
/// A summary is the other list's summary.
MessageKeys messageKeys(const std::vector<MessagePtr> &a, const std::vector<MessagePtr> &b, UnsharedIds unshared);

/// Equal but for ids, those of tool calls included, and for what a provider reports about itself.
bool sameButForIds(const Message &a, const Message &b);

} // namespace palimpsest
