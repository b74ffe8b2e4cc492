// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <QString>

#include <string>
#include <vector>

namespace palimpsest {

/// A well-known model: what the form takes from it in one step.
struct ModelPreset {
    std::string name;
    Value model; ///< the settings file's `model`
    Value prices; ///< the settings file's `prices`; nil: not known

    bool operator==(const ModelPreset &) const = default;
};

/// Presets of a JSON list `[{"name", "model": {…}, "prices": {…}}]`. Error Invalid or Malformed says which is wrong.
Result<std::vector<ModelPreset>> modelPresets(std::string_view json);
/// Those that are compiled in (":/tuning/models.json"), and over them those of the user's file, by name; a user's file
/// that is not there or cannot be read changes nothing.
std::vector<ModelPreset> allModelPresets(const QString &userFile);

} // namespace palimpsest
