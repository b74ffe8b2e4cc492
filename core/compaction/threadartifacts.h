// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/replayinput.h"

#include <string>
#include <vector>

namespace palimpsest {

/// Reads what a thread's agent could read at a checkpoint: state files, these folders (`foldersOf` a source) and the
/// store.
ArtifactReader threadArtifacts(ThreadPtr thread, const std::string &ns, std::vector<ArtifactFolder> folders);

/// Blobs among the files of the namespace's last checkpoint, of these folders and of the store.
BlobReader threadBlobs(const Thread &thread, const ThreadNamespace &space, const std::vector<ArtifactFolder> &folders);

} // namespace palimpsest
