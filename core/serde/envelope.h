// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

namespace palimpsest {

/// A JSON value with LangChain's envelopes turned into what they stand for, structurally. The rest stays, shared with
/// the input.
///
/// * `{"lc": 1, "type": "constructor", "id", "kwargs"}` (langchain_core/load, 1.8.3; JS the same): Tagged of
/// Form::LangChain,
///   module and class from `id`, `value` the keyword arguments.
/// * `{"lc": 2, "type": "constructor", "id", "method", "args", "kwargs"}` (langgraph-checkpoint before 2.1, JS now):
/// Tagged in
///   the form that msgpack has for the same call. JS Uint8Array and Python's bytes become bytes, a JS Map a Tagged Map
///   of a map.
/// * `{"lc": 2, "type": "undefined"}` (JS): nil. `{"lc": 2, "type": "delta_snapshot", "value"}`: Form::DeltaSnapshot.
/// * `{"__lc_escaped__": {…}}`: the map inside, which only looks like a record.
///
/// An envelope of another shape stays the map it is.
Value openEnvelopes(const Value &json);

} // namespace palimpsest
