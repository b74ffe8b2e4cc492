// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/sourceargument.h"
#include "core/artifacts/artifactview.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/settings.h"

#include <optional>
#include <string>
#include <vector>

/// What subcommands take from a thread that is open.
namespace palimpsest {

/// The settings of a run, and where they come from.
struct RunSettings {
    std::optional<SettingsSet> set; ///< nothing: they are not known
    std::string from; ///< "given", "inferred: …"; empty when they are not known
};

/// Reads the file, or, without one, infers what explains the recorded events.
Result<RunSettings> runSettings(const std::string &file, const OpenedThread &opened, const JobContext &job);

/// Blobs among the files of the last checkpoint, of the source's folders and of the store.
BlobReader blobsOf(const OpenedThread &opened);

} // namespace palimpsest
