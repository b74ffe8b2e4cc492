// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>

/// A small msgpack writer, independent of the decoder under test.
namespace palimpsest::test {

/// The value as LangGraph's serializer stores it: tagged values as ext payloads, integers and lengths in their shortest
/// form.
std::string encodeMsgpack(const Value &value);
/// An ext of `code` around `payload`.
std::string msgpackExt(int code, const std::string &payload);

} // namespace palimpsest::test
