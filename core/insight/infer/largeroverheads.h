// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/infer/infer.h"

#include <vector>

namespace palimpsest {

/// Adds to families whose overhead is a lower estimate the same ones under larger overheads, up to some hundred tokens
/// more: every call counts as much more, so a trigger on tokens lies as much higher and all else stays. What lies in a
/// family already is not added.
void addLargerOverheads(std::vector<SettingsFamily> &families);

} // namespace palimpsest
