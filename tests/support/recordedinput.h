// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replayinput.h"

#include <string>

namespace palimpsest {

/// The root namespace of a database's first thread, ready for replays, with the artifacts of its state, its store and
/// the folder beside it. Null when it cannot be read. `artifacts` may be null.
ReplayInputPtr recordedInput(const std::string &database, ArtifactReader *artifacts = nullptr);

} // namespace palimpsest
