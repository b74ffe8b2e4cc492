// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/compaction/preparedlogs.h"
#include "core/compaction/replay.h"
#include "core/compaction/replayviews.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

/// One namespace's run under one set of settings, call by call. Everything it is given must outlive it.
class ReplayRun {
public:
    /// What a run makes beside its decisions.
    struct Wants {
        bool texts = true; ///< archives, media and prompts
        bool promptTokens = false; ///< tokens of prompts even without texts
        bool keeps = true; ///< views outlive the run; false: they are valid inside the sink only, and cheaper
    };

    /// `at` has one entry a call, `logs` were prepared for it.
    ReplayRun(const ReplayInput &input, const std::vector<CallRulesPtr> &at, const PreparedLogs &logs,
        Summarizer &summarizer, Wants wants);

    /// Decides every call and hands it over. Error Cancelled when the job stops.
    Result<void> go(const std::function<void(ReplayedCall &&)> &sink, const JobContext &job);

    /// What the run's backend holds.
    [[nodiscard]] const StoredArtifacts &files() const { return m_backend.files(); }

private:
    /// What answers report in this run, by place in the track; -1: nothing.
    using Reported = std::vector<std::int64_t>;

    void scaleUsage();
    void setUsage(RequestView &view, std::size_t track, const CallRules &rules) const;
    [[nodiscard]] std::size_t stateBefore(std::size_t index);
    [[nodiscard]] std::shared_ptr<const CountedLog> logOf(std::size_t index) const;
    [[nodiscard]] FreshNames namesFor(std::size_t index);
    ReplayedCall runCall(std::size_t index);
    void fill(PipelineCall &call, std::size_t index, const ReplayState &state) const;
    void store(std::size_t index, std::size_t before, const ReplayedCall &out, bool failed);
    void runCompactions(std::size_t index, ReplayState &state, ReplayedCall &out);
    void scaleAnswer(std::size_t index, const ReplayedCall &out);

    const ReplayInput &m_input;
    const std::vector<CallRulesPtr> &m_at;
    const PreparedLogs &m_logs;
    Summarizer &m_summarizer;
    Wants m_wants;
    ArtifactBackend m_backend;
    const Settings *m_backendSettings = nullptr;
    std::deque<ReplayState> m_states; ///< the first is the empty one; most calls leave none of their own
    std::vector<std::size_t> m_stateAfter; ///< by call, place in m_states
    std::vector<std::shared_ptr<Reported>> m_scaled; ///< by track; null: as stored
    std::size_t m_sessionsUsed = 0;
    std::size_t m_names = 0;
};

} // namespace palimpsest
