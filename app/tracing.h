// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "models/tracemodel.h"

#include <functional>
#include <vector>

namespace palimpsest {

/// Traces for the window, in a job: the places at once, through `first`, then again under the settings that explain the
/// thread, with what would have kept the text.
Result<TracePtr> traceFor(const TraceQuestion &question, const std::vector<ArtifactFolder> &folders,
    const JobContext &job, const std::function<void(Result<TracePtr>)> &first);

} // namespace palimpsest
