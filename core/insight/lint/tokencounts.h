// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <cstdint>
#include <unordered_map>

namespace palimpsest {

/// LangChain's approximate count of messages, each counted once.
class TokenCounts {
public:
    std::int64_t of(const MessagePtr &message);
    /// Raw messages [first, end) of a log.
    std::int64_t of(const MessageLog &log, std::size_t first, std::size_t end);

private:
    std::unordered_map<const Message *, std::int64_t> m_counts;
};

} // namespace palimpsest
