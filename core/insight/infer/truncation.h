// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/infer/evidence.h"

#include <vector>

namespace palimpsest {

/// Argument truncations under which the archives would read as they do: an archive holds the messages as the request
/// had them, so a shortened argument in it tells the text, the length and, over several events, trigger and keep. The
/// most usual first, few of many equal ones; empty when the archives show none. `assumption` tells how messages are
/// counted.
std::vector<TruncateArgsSettings> truncationCandidates(
    const ReplayInput &input, const ArtifactReader &artifacts, const CountingAssumption &assumption);

} // namespace palimpsest
