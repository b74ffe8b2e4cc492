// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::rowIdMismatch{
    {"row-id-mismatch", Finding::Severity::Warning, "A row's id is not the id of the checkpoint inside it.",
        "Look for what copied or edited rows.", "langgraph/checkpoint/sqlite put, 3.1.2"}};

} // namespace palimpsest
