// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"

#include <string>

namespace palimpsest {

/// Python that builds an agent with exactly these settings: `SummarizationMiddleware(…)`, `FilesystemMiddleware(…)` and
/// `create_deep_agent(…)` of the dialect's package, or `create_agent(…)` for LangChain's own middleware. What no
/// argument sets (prices, simulated refusals) is left out; what another place sets is a comment.
std::string pythonCode(const Settings &settings);

} // namespace palimpsest
