// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/sources).
const Rule rules::unknownMigration{{"unknown-migration", Finding::Severity::Warning,
    "The database was migrated to a version that this program does not know.",
    "Look for a newer version of this program; what is read may be incomplete.",
    "langgraph/checkpoint/postgres/base.py MIGRATIONS, 3.2.0"}};

} // namespace palimpsest
