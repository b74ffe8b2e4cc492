// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/compaction/pipeline.h"
#include "core/compaction/replayinput.h"
#include "core/compaction/stages/compacttool.h"
#include "core/values/finding.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

struct ReplayOptions {
    SummarySource summaries = SummarySource::Recorded;
    /// False: decisions and requests only, without archives, media and prompts. Summaries then come from the recording
    /// or the settings where these have them.
    bool texts = true;
    /// totals() counts the prompts of summaries; false where only decisions are asked for.
    bool promptTokens = true;
    /// Also a decision about each tool result and human message that is left as it was.
    bool everyDecision = false;
    /// For `Model`; not owned, used from the calling thread.
    SummaryModel *model = nullptr;
    /// Puts a summarizer in front of the source's, for this run; may be empty.
    std::function<std::shared_ptr<Summarizer>(std::shared_ptr<Summarizer> source)> inFront;
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
    std::string dialect; ///< whose rules the first call had; empty without calls
    std::vector<std::string> notices; ///< which rules were taken instead of others
    bool claimsFidelity = true; ///< false: the thread was made by rules that no dialect has
};

/// What a run sums up to: a row of a sweep.
struct ReplayTotals {
    std::int64_t calls = 0; ///< model calls of the namespace
    std::int64_t attempts = 0; ///< requests that were sent to the provider, refused ones too
    std::int64_t events = 0; ///< stored, those of `compact_conversation` too
    std::int64_t summaries = 0; ///< made, also those that a failing call lost
    std::int64_t tokensSent = 0; ///< counted, with tools and system message, of all attempts that the provider took
    std::int64_t summaryTokens = 0; ///< counted, of all prompts for summaries
    std::int64_t peakTokens = 0; ///< the largest attempt that the provider took
    std::int64_t tokensKeptAtEnd = 0; ///< the last attempt that the provider took, without tools and system message
    std::optional<RequestView> lastRequest; ///< that attempt's messages; nothing when there is none

    void add(const ReplayedCall &call);
};

/// Replays one namespace under any settings. What a change of settings leaves as it was (the undone log, moved
/// originals, every count) is kept between runs. All of it may be called from many threads at once.
///
/// A sweep makes one Replayer and calls totals() with each setting, from as many threads as there are cores:
///
///     const Replayer replayer(ReplayInput::make(thread, ns, artifacts));
///     // in each worker, for each setting:
///     const Result<ReplayTotals> row = replayer.totals(settings, options, {}, job);
///
/// Settings that differ in trigger, keep, the trigger and keep of truncation, refusals, window, usage, tools or system
/// message share one prepared log; only other limits of eviction, another counter, truncation text or dialect prepare
/// anew (16 such sets are kept).
class Replayer {
public:
    /// Looks at a call while it lasts: its views are not to be kept.
    using CallSink = std::function<void(const ReplayedCall &)>;

    explicit Replayer(ReplayInputPtr input);
    ~Replayer();
    Replayer(Replayer &&) noexcept;
    Replayer &operator=(Replayer &&) noexcept;

    /// Every call with its requests. Error Invalid for a dialect that is none and for summaries that the settings have
    /// no text or endpoint for, Cancelled when the job stops.
    Result<Replay> run(const SettingsSet &settings, const ReplayOptions &options, const JobContext &job = {}) const;

    /// The same decisions without keeping requests or writing archives (`ReplayOptions::texts` does not count): about a
    /// millisecond for a thousand calls. `sink` may be empty. Errors as of run().
    Result<ReplayTotals> totals(const SettingsSet &settings, const ReplayOptions &options, const CallSink &sink = {},
        const JobContext &job = {}) const;

    [[nodiscard]] const ReplayInputPtr &input() const { return m_input; }

private:
    struct Cache;
    struct Plan;
    [[nodiscard]] Result<Plan> plan(const SettingsSet &settings, const ReplayOptions &options) const;

    ReplayInputPtr m_input;
    std::unique_ptr<Cache> m_cache;
};

} // namespace palimpsest
