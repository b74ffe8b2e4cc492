// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/sources/sourceprobe.h"

namespace palimpsest {

/// What the environment adds to a location: the key of encrypted rows (LANGGRAPH_AES_KEY), and running servers with
/// theirs. `job` must outlive the opening.
SourceOptions sourceOptions(const JobContext &job);

} // namespace palimpsest
