// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/tokencounts.h"

#include "core/tokens/approximate.h"

namespace palimpsest {

std::int64_t TokenCounts::of(const MessagePtr &message)
{
    if (!message)
        return 0;
    const auto [place, fresh] = m_counts.try_emplace(message.get(), 0);
    if (fresh)
        place->second = static_cast<std::int64_t>(approximateMessageTokensOrBest(*message));
    return place->second;
}

std::int64_t TokenCounts::of(const MessageLog &log, std::size_t first, std::size_t end)
{
    std::int64_t sum = 0;
    for (std::size_t i = first; i < end && i < log.size(); ++i)
        sum += of(log[i]);
    return sum;
}

} // namespace palimpsest
