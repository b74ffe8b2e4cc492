// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace palimpsest {

/// Python's repr() of a value (CPython 3.11, Unicode 14), as LangChain's counter and archives use it. Text is escaped
/// by Python's rules, a map is a dict (a key that is there twice keeps its first place and its last value), tagged
/// values look like the objects they stand for where this program knows the class (tuples, sets, dates, UUIDs, …), else
/// like `Class(field=value)`.
std::string pyrepr(const Value &value);
void appendPyrepr(std::string &out, const Value &value);

/// len(repr(value)) in code points, without building the text.
std::size_t pyreprLength(const Value &value);

/// Python's str() of a value: the text itself, repr() of anything else.
std::string pystr(const Value &value);

/// repr() of a float: shortest digits that read back, exponents below 1e-4 and from 1e16 on; nan, inf, -inf.
void appendPyFloat(std::string &out, double number);

/// What str.isprintable() says of one code point in Unicode 14.
bool isPythonPrintable(char32_t codePoint);

} // namespace palimpsest
