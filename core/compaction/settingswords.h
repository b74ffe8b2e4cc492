// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"

#include <string>

namespace palimpsest {

/// "messages 20, keep messages 6": trigger and keep in a few words; empty for a dialect that is none.
std::string settingsWords(const Settings &settings);

} // namespace palimpsest
