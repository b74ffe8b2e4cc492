// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::ambiguousFork{{"ambiguous-fork", Finding::Severity::Warning,
    "A checkpoint has several children without a snapshot of a delta channel, and the file does not say which of them "
    "its writes belong to; where versions settle it, it is information.",
    "Take what such a branch shows beyond its writes as a guess; LangGraph writes a snapshot at a fork since 1.2.10.",
    "langgraph#8443; langgraph/checkpoint/base get_delta_channel_history, 4.3.2"}};

} // namespace palimpsest
