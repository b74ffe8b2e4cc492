// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/compaction/settings.h"
#include "core/values/value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace palimpsest {

/// One parameter and the values it takes. The key is a settings file's; "model.max_input_tokens" reaches inside.
struct SweepAxis {
    std::string key;
    std::vector<Value> values;

    bool operator==(const SweepAxis &) const = default;
};

/// Base settings and the values that replace some of them: a cell a combination, the last axis varying fastest.
struct SweepGrid {
    Value base = Value(Value::Map{}); ///< a settings file
    std::vector<SweepAxis> axes;
    std::vector<std::string> needles; ///< texts that should be kept

    bool operator==(const SweepGrid &) const = default;
    [[nodiscard]] std::size_t size() const; ///< cells
    [[nodiscard]] std::vector<Value> values(std::size_t cell) const; ///< one an axis
    /// The settings file of a cell.
    [[nodiscard]] Value settingsFile(std::size_t cell) const;
    [[nodiscard]] Result<SettingsSet> settings(std::size_t cell) const;
};

/// {"base": {settings}, "axes": [{"key", "values"}], "needles": []}. Error Invalid names the member that makes no
/// sense; a cell whose settings are refused is none.
Result<SweepGrid> sweepGridFromJson(const Value &json);
Value sweepGridToJson(const SweepGrid &grid);

} // namespace palimpsest
