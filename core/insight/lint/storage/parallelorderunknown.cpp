// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::parallelOrderUnknown{{"parallel-order-unknown", Finding::Severity::Info,
    "Parallel tasks wrote one delta channel, and a file without task_path does not say in which order they were "
    "applied.",
    "Take the order of those messages as a guess.", "langgraph/checkpoint/base writes_sort_key, 4.3.2"}};

} // namespace palimpsest
