// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

#include <string>
#include <vector>

namespace palimpsest {

struct BundleOptions {
    bool scrub = false; ///< filler in place of all text (core/transcript/scrub.h)
    Value settings; ///< of a settings file; nil: none
    std::vector<ArtifactFolder> folders; ///< their files come along
};

/// Writes one thread with all its namespaces, rows, store items and artifacts to a new file that opens like any
/// database: for bug reports and colleagues. Rows are copied as they are stored; scrubbed ones are decoded and encoded
/// anew, and rows that cannot be decoded then lose their value. Errors: Io, Cancelled, what the source says. A file
/// that is not finished is removed.
Result<void> writeBundle(CheckpointSource &source, const Thread &thread, const std::string &path,
    const BundleOptions &options, const JobContext &job);

} // namespace palimpsest
