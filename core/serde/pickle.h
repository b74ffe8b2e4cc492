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

/// Reads the pickles that LangGraph's in-memory saver and store leave in `.langgraph_api` (langgraph-checkpoint
/// InMemorySaver and InMemoryStore with PersistentDict, protocol 2), and nothing else. It is a closed reader: the opcodes
/// of plain values up to protocol 5, and of globals only dict, bytes, collections.defaultdict, _codecs.encode, datetime's
/// classes and langgraph.store.base.Item, which are done here; nothing is imported or called. dict, defaultdict and Item
/// become maps, tuples Tagged builtins.tuple, a datetime ISO 8601 text. Error Unsupported names any other opcode or
/// global; Malformed and Limit as everywhere.
Result<Value> readClosedPickle(std::string_view bytes, const PickleLimits &limits = {});

} // namespace palimpsest
