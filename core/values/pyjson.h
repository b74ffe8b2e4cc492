// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <optional>
#include <string>

namespace palimpsest {

/// Keywords of Python's json.dumps (3.11).
struct PyJsonOptions {
    bool ensureAscii = true;
    std::optional<int> indent; ///< spaces a level; none: one line
    /// Both null: Python's own, ", " and ": ", with an indent "," and ": ".
    std::optional<std::string> itemSeparator;
    std::optional<std::string> keySeparator;
    bool sortKeys = false; ///< by code point; text keys only
    bool defaultStr = false; ///< default=str: what JSON has no form for is written as its str()

    bool operator==(const PyJsonOptions &) const = default;
};

/// json.dumps(value). Lists and tuples are arrays, keys may be text, numbers, booleans and None, as Python takes them.
/// Error Invalid with Python's words for what it would refuse ("Object of type bytes is not JSON serializable").
Result<std::string> pyjson(const Value &value, const PyJsonOptions &options = {});

} // namespace palimpsest
