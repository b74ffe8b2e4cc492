// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"
#include "core/thread/thread.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// Reads an artifact's bytes as they were at a checkpoint; nothing when it is gone.
using ArtifactReader = std::function<std::optional<std::string>(const std::string &path, CheckpointIndex at)>;

/// The `files` channel of the namespace, then the store's items.
ArtifactReader stateArtifacts(ThreadPtr thread, std::string ns);

/// A recorded namespace made ready for replays: what the middleware itself had changed in the log is undone, so that
/// other settings can decide anew. Made once, shared read-only by all runs.
class ReplayInput {
public:
    /// One message of the conversation.
    struct Original {
        MessagePtr message; ///< as it was before any middleware
        MessagePtr recorded; ///< as the recording has it last
        std::string recordedPath; ///< the file it was moved to in the recording; empty when it was not
        bool missing = false; ///< the original is gone; `message` is the stub
        std::int32_t firstCall = -1; ///< the first call that has it
        std::int32_t lastAtCall = -1; ///< the first answered call that has it as its last message; -1: none
    };
    /// A conversation that only grows. A fork gets one of its own.
    struct Track {
        std::vector<Original> messages;
    };
    struct CallInput {
        std::size_t track = 0;
        std::int64_t length = 0; ///< messages of the track that the call has
        std::int32_t parent = -1; ///< call whose state this one starts from; -1: none
        EventPtr recordedBefore; ///< event in force when the recorded call decided
        EventPtr recordedEvent; ///< event in force at its request
        bool madeEvent = false; ///< … which the recorded call itself made
        std::int64_t answerPlace = -1; ///< where its answer stands in the track
        std::vector<std::int64_t> compactions; ///< places of answers of `compact_conversation` since the parent call
        bool missing = false; ///< a message before it has lost its original
    };

    /// Reads the namespace's calls. `artifacts` empty: those of the state.
    static std::shared_ptr<const ReplayInput> make(
        ThreadPtr thread, const std::string &ns, const ArtifactReader &artifacts = {});

    [[nodiscard]] const Thread &thread() const { return *m_thread; }
    [[nodiscard]] const ThreadPtr &threadPtr() const { return m_thread; }
    [[nodiscard]] const ThreadNamespace &space() const { return *m_space; }
    [[nodiscard]] const std::vector<CallInput> &calls() const { return m_calls; }
    [[nodiscard]] const std::vector<Track> &tracks() const { return m_tracks; }
    [[nodiscard]] const Call &call(std::size_t index) const { return m_space->calls[index]; }
    /// Summaries that the recording holds, by task id of the model call or id of the tool call that made them.
    [[nodiscard]] const std::shared_ptr<const SummaryMaterial::Texts> &recordedSummaries() const { return m_summaries; }
    /// Session ids of the recording, oldest first.
    [[nodiscard]] const std::vector<std::string> &sessionIds() const { return m_sessionIds; }
    /// Archives are kept in the state, whose writes a failing call loses; else in a place of their own.
    [[nodiscard]] bool archivesInState() const { return m_archivesInState; }
    /// An archive or a moved result stands in the state's files: the backend keeps files there.
    [[nodiscard]] bool artifactsSeenInState() const { return m_artifactsSeenInState; }
    /// Place of the tool call (its AI message) that a `compact_conversation` answer at `place` belongs to; -1: none.
    [[nodiscard]] std::int64_t compactionCall(std::size_t track, std::int64_t place) const;

private:
    friend class ReplayInputBuilder;
    ReplayInput() = default;

    ThreadPtr m_thread;
    const ThreadNamespace *m_space = nullptr;
    std::vector<CallInput> m_calls;
    std::vector<Track> m_tracks;
    std::shared_ptr<const SummaryMaterial::Texts> m_summaries;
    std::vector<std::string> m_sessionIds;
    bool m_archivesInState = true;
    bool m_artifactsSeenInState = false;
};
using ReplayInputPtr = std::shared_ptr<const ReplayInput>;

/// The path that a tool result's stub names; empty when the message is no stub
/// (deepagents/middleware/_message_eviction.py TOO_LARGE_TOOL_MSG, 0.7.7 and 0.7.32).
std::string stubPath(const Message &message);

} // namespace palimpsest
