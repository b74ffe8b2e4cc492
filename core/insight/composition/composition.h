// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a request is made of, in tokens.
namespace palimpsest {

struct Settings;

/// A part of a request and the messages that it comes from.
struct CompositionItem {
    enum class Group {
        Role, ///< "human", "ai", "tool", "summary", "system", "tools"
        Tool, ///< results and calls, by the tool's name
        Block, ///< "text", "tool arguments", "reasoning", "image", …
        Message, ///< one message
    };
    Group group = Group::Role;
    std::string name;
    double tokens = 0;
    std::int64_t messages = 0;
    std::int64_t place = -1; ///< in the request, of the largest message that it comes from
    std::optional<std::string> messageId; ///< of that message

    bool operator==(const CompositionItem &) const = default;
};

struct Composition {
    double total = 0; ///< with tools and system message, where these are known
    std::vector<CompositionItem> roles; ///< largest first, as the others; they sum up to `total`
    std::vector<CompositionItem> tools;
    std::vector<CompositionItem> blocks; ///< of the messages
    std::vector<CompositionItem> largest; ///< messages, at most 50
    std::optional<std::int64_t> reported; ///< input tokens that the provider reported
};

/// Counts a request as LangChain's approximate counter does. Tools and system message are those of the settings;
/// without settings, what the provider reported beyond the count is given as "tools and system".
Composition composition(
    const MessageLog &request, const Settings *settings, const std::optional<std::int64_t> &reportedInput);

} // namespace palimpsest
