// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/preparedlogs.h"
#include "core/compaction/replayinput.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// What a recorded call says about the settings: the state that it decided on and what it did. Independent of the
/// settings that are looked for, given how messages are counted.
struct CallFact {
    std::int32_t call = -1; ///< place in the namespace's calls
    RequestView view; ///< the messages that the triggers saw, arguments shortened as assumed
    std::int64_t messages = 0;
    std::int64_t counted = 0; ///< as the decision counts, with tools and system
    std::optional<std::int64_t> reported; ///< of the last answer, when its provider is the model's
    std::int64_t tokens = 0; ///< the larger of both: what a trigger on tokens is held against
    std::int64_t requested = 0; ///< unscaled tokens of the messages that were sent
    std::int64_t cutoff = 0; ///< effective cutoff of the event that the call made; 0: it made none
    bool refused = false; ///< it is known that the provider refused the first attempt: the trigger had not fired
    bool clipped = false; ///< its tail was clipped: an attempt was refused, or was over the input budget

    [[nodiscard]] bool event() const { return cutoff > 0; }
};

/// A call that says nothing, and why.
struct SilentCall {
    std::int32_t call = -1;
    std::string why;
};

struct Evidence {
    std::vector<CallFact> facts; ///< in call order
    std::vector<SilentCall> silent;
    std::int64_t events = 0; ///< among the facts
};

/// How messages are counted and what counts beside them: what must be assumed before a trigger can be looked for.
struct CountingAssumption {
    std::string dialect;
    ModelProfile model;
    std::optional<double> charsPerToken;
    std::optional<TruncateArgsSettings> truncateArgs;
    std::int64_t toolsTokens = 0;
    std::int64_t systemTokens = 0;

    bool operator==(const CountingAssumption &) const = default;
    [[nodiscard]] Settings settings() const;
};

/// The conversation counted under one assumption; evidence under other overheads is cheap from here.
class EvidenceSource {
public:
    /// `assumption.dialect` must be a known name.
    EvidenceSource(const ReplayInput &input, const CountingAssumption &assumption);

    /// Under these overheads, with arguments shortened as assumed.
    [[nodiscard]] Evidence evidence(std::int64_t toolsTokens, std::int64_t systemTokens) const;
    /// The same with another trigger and keep of the truncation: length and text stay those assumed.
    [[nodiscard]] Evidence evidence(std::int64_t toolsTokens, std::int64_t systemTokens,
        const std::optional<TruncateArgsSettings> &truncation) const;
    [[nodiscard]] const ReplayInput &input() const { return m_input; }
    [[nodiscard]] const CompactionRules &rules() const { return m_rules->rules; }

private:
    [[nodiscard]] std::optional<CallFact> fact(
        std::size_t call, const RequestBase &base, const CompactionRules &rules, std::string &why) const;
    /// Clipped results as they were before the call that clipped them.
    [[nodiscard]] std::shared_ptr<const std::vector<RequestView::Replacement>> unclipped(std::size_t call) const;

    struct Clip {
        std::size_t track = 0;
        std::int64_t place = 0;
        std::int32_t byCall = -1;
        MessagePtr before;
    };

    const ReplayInput &m_input;
    Settings m_settings;
    std::shared_ptr<CallRules> m_rules;
    PreparedLogs m_logs;
    std::vector<Clip> m_clips;
};

/// The cutoff in the effective list that an event's raw cutoff stands for; nothing when either is malformed.
std::optional<std::int64_t> effectiveCutoff(const SummarizationEvent &event, const SummarizationEvent *prior);

} // namespace palimpsest
