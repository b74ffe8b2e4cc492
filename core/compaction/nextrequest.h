// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/recordedrequest.h"

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// What running on from a head would send to the model.
struct NextRequest {
    enum class Resume {
        Message, ///< invoked with a new human message
        None, ///< invoked with None
        UpdateState, ///< a message added with update_state, then invoked with None
    };
    /// What happens before the model is asked.
    enum class First {
        Model, ///< nothing: the model is next
        Tools, ///< unanswered tool calls run first; the request then also holds their results
        Interrupt, ///< the graph waits for a decision (Command with resume); None alone sends nothing
        Nothing, ///< the run is over; nothing is sent
    };
    CheckpointIndex head;
    Resume resume = Resume::Message;
    First first = First::Model;
    bool patcherRuns = false; ///< the run begins anew, so PatchToolCallsMiddleware looks for unanswered calls
    std::int64_t patched = 0; ///< results that it makes up
    std::vector<std::string> unanswered; ///< ids of tool calls without a result in what would be sent
    RecordedRequest request; ///< empty when nothing is sent

    static constexpr std::string_view placeholder = "(the new message)";
};

/// Every way to go on from every head of the namespace: a leaf of the checkpoint tree.
std::vector<NextRequest> nextRequests(
    RecordedRequests &requests, const Thread &thread, const ThreadNamespace &space, const std::string &dialect);

std::string_view resumeName(NextRequest::Resume resume);
std::string_view firstName(NextRequest::First first);

} // namespace palimpsest
