// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/infer/infer.h"

#include <cstdint>
#include <vector>

namespace palimpsest {

/// Families whose trigger or keep is a fraction of a window, made from one on tokens: for windows that make the
/// fractions plausible ones. deepagents' own fractions come first; `windows` are those that the thread's model is known
/// to have. A family without a size on tokens gives none.
std::vector<SettingsFamily> fractionFamilies(const SettingsFamily &onTokens, const std::vector<std::int64_t> &windows);

/// The fractions of a window whose thresholds lie in a range of tokens: int(window * fraction), at least 1.
SizeRange fractionsOf(std::int64_t window, const SizeRange &tokens);

} // namespace palimpsest
