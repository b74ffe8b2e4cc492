// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "core/sources/checkpointsource.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace CLI {
class App;
}

namespace palimpsest {

/// Which threads of a source a command works on, and on how many cores: the options --shard, --only, --resume, --jobs.
class FleetArgument {
public:
    void declare(CLI::App &app);

    /// Looks at what was given. Errors: Invalid (a shard that is none), Unreadable (no earlier answer, no list).
    Result<void> prepare();
    /// One of the options is there.
    [[nodiscard]] bool isGiven() const { return !m_shard.empty() || !m_resume.empty() || !m_only.empty(); }
    /// True for a thread of this shard and of the list that the earlier answer has not.
    [[nodiscard]] bool wants(const std::string &threadId) const;
    /// Workers; at least one.
    [[nodiscard]] std::size_t jobs() const;

private:
    std::string m_shard;
    std::string m_resume;
    std::string m_only;
    std::size_t m_jobs = 0; ///< 0: as many as there are cores
    std::size_t m_index = 0; ///< from 0
    std::size_t m_of = 1;
    std::set<std::string> m_finished;
    std::set<std::string> m_listed;
};

/// What a command says of one thread.
struct FleetAnswer {
    std::string text;
    int status = 0;
};

/// Works on `count` threads with `jobs` workers and writes each answer as soon as it and those before it are there, so
/// that the output is the same with any number of cores. Each worker has a source of its own from `open`; `work` gets
/// it and the place of the thread. `take` writes an answer, on the caller's thread. Gives the greatest status; an Error
/// of `work` ends the whole.
Result<int> runFleet(std::size_t count, std::size_t jobs,
    const std::function<Result<std::unique_ptr<CheckpointSource>>()> &open,
    const std::function<Result<FleetAnswer>(CheckpointSource &source, std::size_t place, const JobContext &job)> &work,
    const std::function<void(std::size_t place, const FleetAnswer &answer)> &take, Console &console);

} // namespace palimpsest
