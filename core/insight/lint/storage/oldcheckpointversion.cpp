// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::oldCheckpointVersion{{"old-checkpoint-version", Finding::Severity::Info,
    "The checkpoint has an older format than 4: channels, versions or pending sends are kept in another way.",
    "Nothing is wrong; the current library migrates it when it is loaded.",
    "langgraph/pregel/_checkpoint.py LATEST_VERSION, 1.2.24"}};

} // namespace palimpsest
