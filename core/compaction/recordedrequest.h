// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"
#include "core/compaction/stages/bloboffload.h"
#include "core/thread/requests.h"
#include "core/thread/thread.h"

#include <memory>
#include <optional>
#include <string>

namespace palimpsest {

/// What the model saw at a recorded call, as completely as it can be told.
struct RecordedRequest {
    MessageLog messages; ///< without the system message
    Certainty certainty = Certainty::Derived;
    std::int64_t truncated = 0; ///< messages whose arguments are shown shortened
    std::int64_t stubs = 0; ///< human messages that are shown as the stub the request carried
    std::int64_t missingBlobs = 0; ///< references whose content is gone

    bool operator==(const RecordedRequest &) const = default;
};

/// Puts together the requests of a namespace: the call's event over its log (core/thread/requests), stubs of evicted
/// human messages as the middleware rendered them, media results behind their batch, and, with settings, shortened
/// arguments as the settings say: that was decided on the effective messages before the call's own event, and the kept
/// part carries it. Only a request that other settings would have changed is "derived assuming settings"; the others
/// stay derived. The same message gives the same object in every request. Not for use from two threads at once.
class RecordedRequests {
public:
    /// Without settings no argument is shortened, and stubs are worded as the recording's own version words them
    /// (`recordedDialect`).
    RecordedRequests(
        ThreadPtr thread, const ThreadNamespace &space, std::optional<SettingsSet> settings = std::nullopt);
    ~RecordedRequests();
    RecordedRequests(const RecordedRequests &) = delete;
    RecordedRequests &operator=(const RecordedRequests &) = delete;

    /// Where blobs are read from: requests carry binary content in place of its references, as the middleware puts it
    /// back (deepagents/middleware/_blob_offload.py, 0.7.32). A blob that is gone now becomes upstream's notice and
    /// makes the request uncertain. Without a reader references stay.
    void setBlobs(BlobReader blobs);

    /// The request that the source holds itself, without its system messages, else what `derived` says.
    [[nodiscard]] RecordedRequest at(const Call &call);
    /// What the recording's state and events say, also where the source holds the request itself.
    [[nodiscard]] RecordedRequest derived(const Call &call);
    /// What a call would see of a log with an event in force, under the settings of call `number`.
    [[nodiscard]] RecordedRequest of(const MessageLog &log, const EventPtr &event, std::int64_t number);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Place of the first message in which two requests differ as a model sees them (kind, content, tool calls and their
/// ids), system messages left out; nothing when they agree.
std::optional<std::size_t> firstDifference(const MessageLog &a, const MessageLog &b);

/// The dialect whose marks a recording bears: `created_at_index` in an event or the newer wording of a stub or of a
/// result that was made up for deepagents-0.7.32, else deepagents-0.7.7. A thread that LangChain's own middleware made bears no such mark.
std::string recordedDialect(const Thread &thread);

} // namespace palimpsest
