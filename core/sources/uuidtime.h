// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest {

/// What a UUIDv6 checkpoint id says by itself (langgraph/checkpoint/base/id.py uuid6, 4.3.2): its time, and in the
/// fourth group the step. JavaScript ids may have other variant bits (step -1 is `ffff`), so the text counts, not the
/// RFC.
struct IdParts {
    std::int64_t ticks = 0; ///< 100 ns since 1582-10-15
    int step = 0; ///< the 14 bits as a signed number: -1, 0, 1, …; true modulo 16,384
};
/// Nothing when the id has not the form of a version 6 UUID.
std::optional<IdParts> partsOfId(std::string_view id);

/// ISO 8601 with microseconds and +00:00, as LangGraph writes `ts`; empty when the id says no time.
std::string isoTimeOfId(std::string_view id);

} // namespace palimpsest
