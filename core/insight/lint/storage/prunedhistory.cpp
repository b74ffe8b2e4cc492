// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::prunedHistory{{"pruned-history", Finding::Severity::Warning,
    "Writes or snapshots that a delta channel needs are not in the file: the beginning of the log is unknown, only its "
    "known tail is shown.",
    "Restore the older checkpoints from a backup; keep a snapshot when pruning.",
    "langgraph/checkpoint/base get_delta_channel_history, 4.3.2"}};

} // namespace palimpsest
