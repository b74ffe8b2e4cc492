// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/sources).
const Rule rules::damagedFile{
    {"damaged-file", Finding::Severity::Error, "The database file is damaged; rows may be missing.",
        "Recover it with sqlite3 \".recover\" or from a backup.", "SQLite file format"}};

} // namespace palimpsest
