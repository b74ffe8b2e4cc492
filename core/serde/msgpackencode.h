// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>

/// Writes msgpack; shares nothing with the decoder, so that each is a test of the other.
namespace palimpsest {

/// The value as LangGraph's serializer stores it: tagged values as ext payloads, integers and lengths in their shortest
/// form.
std::string encodeMsgpack(const Value &value);
/// An ext of `code` around `payload`.
std::string msgpackExt(int code, const std::string &payload);

} // namespace palimpsest
