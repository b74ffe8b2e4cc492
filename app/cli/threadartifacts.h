// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/sourceargument.h"
#include "core/compaction/replayinput.h"

namespace palimpsest {

/// State files, the folder beside the database and the store, at the checkpoint asked for.
ArtifactReader artifactsOf(const OpenedThread &opened);

} // namespace palimpsest
