// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// A folder that could hold a file which an agent names and which is nowhere among its files.
struct FolderProposal {
    std::string file; ///< what was found, by its name
    std::string folder; ///< to be added …
    std::string route; ///< … under this path; empty: as the root of the agent's files
    bool operator==(const FolderProposal &) const = default;
};

/// Where files that a source's agent wrote are looked for: the database's own folder, and those around the folders
/// that the source names and that the user added. Empty for a source that is no file and has none.
std::vector<std::string> searchFolders(const SourceInfo &source, const std::vector<ArtifactFolder> &added = {});

/// Looks for a file of the same name as `path` in folders, three levels deep and at two thousand entries of each;
/// links are not followed. Of several the one that shares most of the path's end. Folder and route are such that adding
/// them makes `path` that file. Nothing for a path without a folder, which could be any file.
std::optional<FolderProposal> proposeFolder(const std::string &path, const std::vector<std::string> &folders);

/// The files that the newest states of a thread lead to and that are nowhere among the agent's files: archives of
/// events, offloaded results and messages, media (those that an archive names too), blobs. Each path once.
std::vector<std::string> missingFiles(const Thread &thread, const std::vector<ArtifactFolder> &folders);

/// What to add so that missing files are found, each folder and route once; `searched` as for `proposeFolder`.
std::vector<FolderProposal> proposeFolders(
    const std::vector<std::string> &missing, const std::vector<std::string> &searched);

} // namespace palimpsest
