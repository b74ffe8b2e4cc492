// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/compaction/pipeline.h"
#include "core/compaction/replayinput.h"
#include "core/compaction/stages/compacttool.h"
#include "core/values/finding.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

struct ReplayOptions {
    SummarySource summaries = SummarySource::Recorded;
    /// False: decisions and requests only, without archives, media and prompts. Summaries then come from the recording
    /// or the settings where these have them.
    bool texts = true;
    /// For `Model`; not owned, used from the calling thread.
    SummaryModel *model = nullptr;
};

/// A `compact_conversation` call, decided anew.
struct ReplayedCompaction {
    std::int64_t place = 0; ///< of the tool's answer, in the conversation
    CompactToolResult result;
    std::string recordedText; ///< what the recorded tool answered
};

/// One model call, decided anew.
struct ReplayedCall {
    std::int32_t index = 0; ///< place in the namespace's calls
    RequestBase base; ///< tokens of tools and system message
    PipelineResult result;
    EventPtr event; ///< stored by this call; null: none
    Certainty certainty = Certainty::DerivedAssumingSettings;
    std::vector<ReplayedCompaction> compactions; ///< between the call before and this one

    /// The last attempt that the provider took; null when there is none.
    [[nodiscard]] const PipelineAttempt *accepted() const;
};

/// How a replay compares with the recording.
struct ReplayVerification {
    struct Difference {
        std::int32_t call = -1;
        std::string what; ///< "the request", "the event", "the outcome"
        std::string why; ///< one sentence
    };
    std::int64_t calls = 0; ///< recorded calls that were answered
    std::int64_t agree = 0; ///< … whose request is the recorded one
    std::int64_t events = 0;
    std::int64_t eventsAgree = 0;
    std::optional<Difference> firstDifference;

    [[nodiscard]] bool faithful() const { return agree == calls && eventsAgree == events; }
};

struct Replay {
    ReplayInputPtr input;
    std::vector<ReplayedCall> calls; ///< in the order of the namespace's calls
    StoredArtifacts files; ///< what the run's backend holds at the end
    std::vector<MessageDecision>
        decisions; ///< about tool results and human messages; `index` is the place in the conversation
    ReplayVerification verification;
    std::vector<Finding> findings;
    std::vector<std::string> notices; ///< which rules were taken instead of others
    bool claimsFidelity = true; ///< false: the thread was made by rules that no dialect has
};

/// Replays one namespace under any settings. What a change of settings leaves as it was is kept between runs; safe to
/// use from one thread at a time.
class Replayer {
public:
    explicit Replayer(ReplayInputPtr input);
    ~Replayer();
    Replayer(Replayer &&) noexcept;
    Replayer &operator=(Replayer &&) noexcept;

    /// Error Invalid for a dialect that is none, Cancelled when the job stops.
    Result<Replay> run(const SettingsSet &settings, const ReplayOptions &options, const JobContext &job = {});

    [[nodiscard]] const ReplayInputPtr &input() const { return m_input; }

private:
    struct Cache;
    ReplayInputPtr m_input;
    std::unique_ptr<Cache> m_cache;
};

} // namespace palimpsest
