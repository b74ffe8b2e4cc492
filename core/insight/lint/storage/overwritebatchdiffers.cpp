// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::overwriteBatchDiffers{{"overwrite-batch-differs", Finding::Severity::Warning,
    "One superstep wrote an Overwrite and other values to a delta channel: the live run and the replay of its writes "
    "give different values, by version.",
    "Write an Overwrite alone in its superstep.",
    "langgraph/channels/delta.py update and replay_writes, 1.2.0 to 1.2.24"}};

} // namespace palimpsest
