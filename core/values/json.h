// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>
#include <string_view>

namespace palimpsest {

/// Appends `value` as JSON. What JSON has no form for is written as the command line documents it: bytes {"$bytes_base64"},
/// NaN and infinities {"$float"}, integers outside int64 {"$int"}, tagged objects {"$class", "$value"}, maps with other keys than
/// text or with a key twice {"$map": [[key, value]]}, lone surrogates as \udXXX. Order is kept; the result is one line of UTF-8.
void writeJson(std::string &out, const Value &value);
/// Appends a quoted JSON string of WTF-8 text.
void writeJsonText(std::string &out, std::string_view wtf8);
/// Appends a finite number as Python's json does: shortest form that reads back, never without a point or an exponent.
void writeJsonFloat(std::string &out, double number);

std::string toJson(const Value &value);

} // namespace palimpsest
