// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <functional>
#include <string>
#include <vector>

/// Recordings of real threads, and what a replay of them must give (tests/oracle/check_threads.py asks the same
/// questions).
namespace palimpsest::replaychecks {

struct Recording {
    std::string name; ///< "0.7.7/plain"
    std::string database; ///< path of the SQLite file
    std::string truthFile; ///< path of the expected file

    [[nodiscard]] Value truth() const;
};

/// Every recording below PALIMPSEST_RECORDINGS or tests/data/recordings, by name.
std::vector<Recording> all();
/// The other one of a pair ("pair_1_a" and "pair_1_b"); an empty name when there is none.
Recording twin(const Recording &recording);

/// Runs one subcommand in this process and gives what it wrote. `status` and `messages` may be null.
using Cli = std::function<std::string(const std::vector<std::string> &args, int *status, std::string *messages)>;

/// The settings that the recording was made with, as a settings file's value. `taskIds` are those that the file stores.
Value settingsOf(const Value &truth, const std::vector<std::string> &taskIds);

/// Where a replay with the recorded settings differs from the recording; empty when nowhere.
std::string replayDifference(const Recording &recording, const Cli &cli);
/// Where a replay with the other settings of its pair differs from the other recording; empty when nowhere.
std::string whatIfDifference(const Recording &recording, const Recording &other, const Cli &cli);

/// LangChain's own middleware, replayed by its own rules.
std::string destructiveDifference(const Recording &recording, const Cli &cli);

} // namespace palimpsest::replaychecks
