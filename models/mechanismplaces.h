// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/scene.h"

#include <QString>
#include <QStringView>

#include <vector>

namespace palimpsest {

/// Where a mechanism of compaction was at work in a thread.
struct MechanismPlace {
    QString text; ///< "event 2", "read_file, message 14"
    Place place;
};

/// The places of a mechanism in the thread that is looked at, as the help names it: "event", "archive", "truncated",
/// "stub", "human", "clip", "compact", "subagent". At most `most`; none for a name that is none.
std::vector<MechanismPlace> mechanismPlaces(const Scene &scene, QStringView mechanism, std::size_t most = 4);

} // namespace palimpsest
