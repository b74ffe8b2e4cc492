// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::mixedEncryption{
    {"mixed-encryption", Finding::Severity::Warning, "Some rows of a thread are encrypted and others are not.",
        "Encrypt the older rows, or delete them: what they hold lies open.",
        "langgraph/checkpoint/serde/encrypted.py, 4.3.2"}};

} // namespace palimpsest
