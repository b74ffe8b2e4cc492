// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// Qualified names of the classes in a stored value that belong neither to LangGraph, LangChain or deepagents nor to
/// Python's standard library; each once, in the order met. An ext of an unknown code is "ext 9".
std::vector<std::string> foreignTypes(const Value &value);

/// False when msgpack bytes cannot hold an object of any class: a quick look for the tags of ext types.
bool mayHoldTypes(std::string_view msgpack);

} // namespace palimpsest
