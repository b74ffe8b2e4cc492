// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/compaction/replayinput.h"

#include <cstdint>

namespace palimpsest {

/// A conversation `times` as long as the recorded one, made by repeating its own messages with fresh ids: how settings
/// behave later, marked as a simulation. It has no recorded events. Error Invalid when `times` is not from 1 to 1000
/// or nothing was recorded.
Result<ReplayInputPtr> projectedInput(const ReplayInput &recorded, double times);

} // namespace palimpsest
