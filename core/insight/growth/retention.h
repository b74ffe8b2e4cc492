// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/growth/growth.h"
#include "core/insight/growth/namespacescan.h"

namespace palimpsest {

/// Adds what a plan would do to one namespace: what it frees, and which delta channels could not be rebuilt any more.
/// `freed` is in footprints.
void adviseRetention(const RetentionPlan &plan, const NamespaceScan &scan, RetentionAdvice &advice);

} // namespace palimpsest
