// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::sourceChanging{{"source-changing", Finding::Severity::Warning,
    "Another process wrote the file while it was read; what is shown may mix two states.",
    "Read again when the writer is done.", "SQLite WAL mode"}};

} // namespace palimpsest
