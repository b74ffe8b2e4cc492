// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

/// Seen while the rows are read (core/thread).
const Rule rules::untypedOverwrite{{"untyped-overwrite", Finding::Severity::Warning,
    "A write is the map {\"value\": […]}: an Overwrite that lost its type on a JSON route. LangGraph cannot apply it.",
    "Send Overwrite through a route that keeps types; it is never taken for a reset silently.",
    "deepagents#3788, #3789; langgraph/channels/binop.py _get_overwrite, 1.2.24"}};

} // namespace palimpsest
