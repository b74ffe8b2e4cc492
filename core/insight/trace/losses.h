// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/trace/tracer.h"

namespace palimpsest {

/// Fills `losses`, `lostAt`, `recovery`, `summaries`, `survival` and each event's `summarizerSaw` of a trace whose
/// places are known: which call, stage and setting took a text away, and which step of a summary.
void findLosses(Trace &trace, Tracer &tracer);

} // namespace palimpsest
