// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

namespace palimpsest {

/// What the user adds to a location.
struct SourceOptions {
    std::string aesKey; ///< opens encrypted rows; empty: they stay opaque
};

/// Opens a source, recognised by its content and never by its name. `location` is a file, a folder that holds one
/// database, or a `sqlite:///` URI. The error says what was looked for.
Result<std::unique_ptr<CheckpointSource>> openSource(const std::string &location, const SourceOptions &options = {});

} // namespace palimpsest
