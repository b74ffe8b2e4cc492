// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::orphanWrites{{"orphan-writes", Finding::Severity::Info,
    "Rows of the table writes belong to checkpoints that are not in the file.",
    "They are left over from deleted checkpoints; growth counts them.", "langgraph/checkpoint/sqlite, 3.1.2"}};

} // namespace palimpsest
