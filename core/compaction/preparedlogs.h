// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/replayinput.h"
#include "core/compaction/requestview.h"
#include "core/compaction/rules.h"
#include "core/compaction/stages/decision.h"

#include "core/artifacts/backend.h"

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
    std::shared_ptr<const CountedLog> log; ///< as requests carry it
    std::vector<MessagePtr> state; ///< as the state holds it: human messages in full
    std::shared_ptr<const CountedLog>
        recorded; ///< as recorded requests carry it; the same object as `log` when nothing differs
};

struct PreparedLogs {
    std::vector<PreparedTrack> tracks;
    ArtifactBackend backend; ///< holds what was moved
    std::vector<MessageDecision> decisions;
    bool reportsUsage = false; ///< some answer reports its tokens
};

/// Moves and counts. `at` has one entry a call.
PreparedLogs prepareLogs(const ReplayInput &input, const std::vector<CallRulesPtr> &at);

/// Equal keys give equal prepared logs: everything of the settings that they depend on.
std::string preparedKey(const std::vector<CallRulesPtr> &at);

/// The backend that a run under these settings writes to.
ArtifactBackend backendFor(const Settings &settings);

/// The same UUID for the same text.
std::string uuidFrom(std::string_view text);

} // namespace palimpsest
