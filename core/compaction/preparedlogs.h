// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replayinput.h"
#include "core/compaction/requestview.h"
#include "core/compaction/rules.h"
#include "core/compaction/stages/decision.h"

#include "core/artifacts/backend.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

/// The settings in force at every call of a namespace, each distinct one once.
struct CallRules {
    const Settings *settings = nullptr;
    CompactionRules rules;
    RequestBase base;
};
using CallRulesPtr = std::shared_ptr<const CallRules>;

/// A conversation as requests carry it under given settings: large results and long human messages moved to files, and
/// everything counted.
struct PreparedTrack {
    using Logs = std::vector<std::shared_ptr<const CountedLog>>; ///< one for each way of counting
    Logs logs; ///< as requests carry it
    Logs recorded; ///< as recorded requests carry it; the same objects as `logs` when nothing differs
    std::vector<MessagePtr> state; ///< as the state holds it: human messages in full
};

struct PreparedLogs {
    /// Tokens of the summaries that the recorded call met.
    struct RecordedSummaries {
        std::int64_t tokens = 0; ///< of the event at its request
        std::int64_t tokensBefore = 0; ///< of the event when it decided
    };

    std::vector<PreparedTrack> tracks;
    std::vector<std::size_t> countingAt; ///< by call, place in a track's logs
    std::vector<RecordedSummaries> recordedSummaries; ///< by call
    /// By call: the stub that only this call had in place of its last message, because it failed in the recording.
    std::map<std::size_t, RequestView::Replacement> ownStubs;
    ArtifactBackend backend; ///< holds what was moved
    std::vector<MessageDecision> decisions;
    bool reportsUsage = false; ///< some answer reports its tokens

    [[nodiscard]] const std::shared_ptr<const CountedLog> &log(std::size_t track, std::size_t call) const
    {
        return tracks[track].logs[countingAt[call]];
    }
    [[nodiscard]] const std::shared_ptr<const CountedLog> &recordedLog(std::size_t track, std::size_t call) const
    {
        return tracks[track].recorded[countingAt[call]];
    }
    /// The owner of one of these logs; null for any other.
    [[nodiscard]] std::shared_ptr<const CountedLog> owned(const CountedLog *log) const;
};

/// Moves and counts. `at` has one entry a call.
PreparedLogs prepareLogs(const ReplayInput &input, const std::vector<CallRulesPtr> &at);

/// The decisions of prepareLogs() and one about each result and human message that is left as it was.
std::vector<MessageDecision> everyDecision(const ReplayInput &input, const std::vector<CallRulesPtr> &at);

/// Equal keys give equal prepared logs: everything of the settings that they depend on.
std::string preparedKey(const std::vector<CallRulesPtr> &at);

/// How the backend of a run under these settings behaves.
BackendOptions backendOptions(const Settings &settings);

/// The same UUID for the same text.
std::string uuidFrom(std::string_view text);

} // namespace palimpsest
