// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::unknownDeltaForm{{"unknown-delta-form", Finding::Severity::Warning,
    "A channel is stored in a form of the beta DeltaChannel that this version does not know, such as a sentinel of "
    "another ext code; its state is rebuilt from the writes.",
    "Look for a newer version of this program.",
    "langgraph/channels/delta.py (beta), langgraph/checkpoint/serde/jsonplus.py EXT_DELTA_SNAPSHOT = 7, 4.3.2"}};

} // namespace palimpsest
