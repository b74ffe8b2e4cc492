// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/thread/thread.h"

#include <optional>
#include <string>
#include <string_view>

/// What in a thread a provider's error speaks of.
namespace palimpsest {

struct Explanation {
    std::string cause; ///< what is wrong, one sentence; says so when the text is not recognised
    std::string rule; ///< id of the lint rule broken, "context-overflow", or empty
    std::string provider; ///< whose wording it is; empty when it cannot be told
    std::string checkpointNs;
    std::optional<std::int64_t> call; ///< number of the model call whose request it is; nothing: none was recorded
    std::optional<std::int64_t> requestIndex; ///< place in that request, without the system message
    std::optional<std::string> messageId;
    std::string toolCallId; ///< that the finding is about; may be empty
    std::string checkpointId; ///< where it first holds
    std::string madeBy; ///< the step that made it, one sentence
    std::string fix;

    bool operator==(const Explanation &) const = default;
};

/// Finds what an error text speaks of, by call id, request index and wording. `error` may come from the recording
/// itself. Never empty-handed: a text that nothing fits gives an Explanation without a rule. Error Cancelled.
Result<Explanation> explainError(const Thread &thread, std::string_view error, const JobContext &job);

/// The newest error that the recording holds.
struct RecordedError {
    std::string text;
    std::string checkpointNs;
    std::string checkpointId;
    std::string taskId;
    std::optional<std::int64_t> call;
};
std::optional<RecordedError> recordedError(const Thread &thread);

} // namespace palimpsest
