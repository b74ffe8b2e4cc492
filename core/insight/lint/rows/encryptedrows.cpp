// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::encryptedRows{{"encrypted-rows", Finding::Severity::Info, "Rows are encrypted and no key was given.",
    "Set LANGGRAPH_AES_KEY.", "langgraph/checkpoint/serde/encrypted.py, 4.3.2"}};

} // namespace palimpsest
