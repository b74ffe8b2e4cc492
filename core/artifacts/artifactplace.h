// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/sources/sourceprobe.h"

namespace palimpsest {

/// Where a user says that files of an agent are kept outside of its thread.
struct ArtifactPlace {
    std::string route; ///< what the agent calls it: "/memories/"; empty: the root of its files
    /// A folder; or "store:NAMESPACE" for a namespace of the source's own store ("store:user.memories"), and
    /// "store:NAMESPACE@SOURCE" for one that lies elsewhere: in an SQLite file, behind a URI, in a development server's
    /// folder.
    std::string where;
    bool operator==(const ArtifactPlace &) const = default;
};

/// "[ROUTE=]WHERE". A route begins with a slash and ends where the first '=' stands.
ArtifactPlace artifactPlace(const std::string &text);

/// True for a namespace of a store, which takes reading.
bool isStorePlace(const ArtifactPlace &place);

/// `where` without the password that a source may have in it: to be shown and remembered.
std::string publicPlace(const std::string &where);

/// Opens the place; `own` is the thread's source. Errors: those of ArtifactFolder and of the other source.
Result<ArtifactFolder> openArtifactPlace(
    const ArtifactPlace &place, CheckpointSource &own, const SourceOptions &options = {});

} // namespace palimpsest
