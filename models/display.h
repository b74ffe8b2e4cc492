// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/prettyjson.h"
#include "core/values/value.h"

#include <QString>

#include <string>
#include <string_view>

namespace palimpsest {

/// WTF-8 as QString: lone surrogates stay lone surrogates, stray bytes become U+FFFD.
QString toQString(std::string_view wtf8);
/// QString as WTF-8.
std::string fromQString(const QString &text);

/// One line that says what a value is: `"text"`, `42`, `null`, `[3 items]`, `module.Class{…}`, `12 bytes 89 50 4e …`.
QString summaryOf(const Value &value, qsizetype length = 200);
/// "412 B", "1.4 MB".
QString sizeText(std::int64_t bytes);
/// "89 50 4e 47 …", at most `count` bytes.
QString hexText(std::string_view bytes, std::size_t count = 16);

} // namespace palimpsest
