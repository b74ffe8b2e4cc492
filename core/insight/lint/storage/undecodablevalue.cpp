// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::undecodableValue{{"undecodable-value", Finding::Severity::Warning,
    "A stored value cannot be read: damaged bytes, a pickle, an unknown serializer, a wrong key or cipher.",
    "The value stays closed; everything beside it is shown.",
    "langgraph#6970, #7695, #6718, #9021, #8673; langgraph/checkpoint/serde/jsonplus.py, 4.3.2"}};

} // namespace palimpsest
