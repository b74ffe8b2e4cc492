// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"
#include "core/transcript/exportorder.h"
#include "models/scene.h"

#include <QString>

#include <vector>

namespace palimpsest {

/// What there is to export: what the dialog can offer.
struct ExportOffer {
    /// Settings that a run can take, by their names: "as tuned now", "A: messages 14, keep messages 6".
    struct NamedSettings {
        QString name;
        SettingsSet settings;
    };

    ScenePtr scene; ///< of the place that is looked at
    std::vector<NamedSettings> settings;
    std::vector<std::string> selected; ///< keys of the messages chosen
    std::pair<std::string, std::string> sides; ///< that the difference pane compares; empty: none
    ExportOrder start; ///< what the dialog begins with
};

} // namespace palimpsest
