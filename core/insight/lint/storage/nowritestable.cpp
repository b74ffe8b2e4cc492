// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/sources).
const Rule rules::noWritesTable{{"no-writes-table", Finding::Severity::Warning,
    "The database has no usable table writes: model calls and pending writes cannot be told.",
    "Open the whole database, not a copy of one table.", "langgraph/checkpoint/sqlite, 3.1.2"}};

} // namespace palimpsest
