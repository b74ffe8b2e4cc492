// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace palimpsest {

/// A table's or column's name as SQL takes it whatever is in it: in double quotes, those inside doubled. SQLite and
/// PostgreSQL alike.
inline std::string sqlIdentifier(std::string_view name)
{
    std::string out = "\"";
    for (const char c : name) {
        out += c;
        if (c == '"')
            out += c;
    }
    return out + "\"";
}

} // namespace palimpsest
