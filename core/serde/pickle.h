// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <cstddef>
#include <string_view>

namespace palimpsest {

struct PickleLimits {
    std::size_t depth = 200; ///< containers inside each other
    std::size_t values = std::size_t(1) << 24; ///< values of the result, shared ones counted each time they are met
};

/// Reads the pickles that LangGraph's in-memory saver leaves in `.langgraph_api` (langgraph-checkpoint InMemorySaver
/// with PersistentDict, protocol 2), and nothing else. It is a closed reader: a few opcodes, and of globals only dict,
/// bytes, collections.defaultdict and _codecs.encode, which are done here; nothing is imported or called. dict and
/// defaultdict become maps, tuples Tagged builtins.tuple. Error Unsupported names any other opcode or global; Malformed
/// and Limit as everywhere.
Result<Value> readClosedPickle(std::string_view bytes, const PickleLimits &limits = {});

} // namespace palimpsest
