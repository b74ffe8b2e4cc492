// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <string>
#include <vector>

namespace palimpsest {

/// What a recorded namespace shows that no known dialect would have made: the language, the channel of the log, members
/// of an event, the wording of a summary. One sentence each; empty when some dialect fits, as far as can be told.
std::vector<std::string> foreignTraits(const Thread &thread, const ThreadNamespace &space);

} // namespace palimpsest
