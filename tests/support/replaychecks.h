// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/recordings.h"

#include <functional>
#include <string>
#include <vector>

/// What a replay of a recording must give (tests/oracle/check_threads.py asks the same
/// questions).
namespace palimpsest::recordings {

/// The other one of a pair ("pair_1_a" and "pair_1_b"); an empty name when there is none.
Recording twin(const Recording &recording);

/// Runs one subcommand in this process and gives what it wrote. `status` and `messages` may be null.
using Cli = std::function<std::string(const std::vector<std::string> &args, int *status, std::string *messages)>;

/// Where a replay with the recorded settings differs from the recording; empty when nowhere.
std::string replayDifference(const Recording &recording, const Cli &cli);
/// Where a replay with the other settings of its pair differs from the other recording; empty when nowhere.
std::string whatIfDifference(const Recording &recording, const Recording &other, const Cli &cli);

/// LangChain's own middleware, replayed by its own rules.
std::string destructiveDifference(const Recording &recording, const Cli &cli);

} // namespace palimpsest::recordings
