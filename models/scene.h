// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/branch.h"
#include "models/fate.h"
#include "models/logfacts.h"
#include "models/place.h"

#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

/// A message that was taken out of the log.
struct Tombstone {
    MessagePtr body; ///< the last it had
    MessageIndex before; ///< it stood before this place of the log
    CheckpointIndex removedAt; ///< first checkpoint without it
};

/// A place looked up in a thread: everything the panes show. Immutable, so a worker may read it too.
struct Scene {
    ThreadPtr thread; ///< keeps the pointers below alive; null when nothing is open
    const ThreadNamespace *space = nullptr;
    CheckpointIndex checkpointIndex;
    const Checkpoint *checkpoint = nullptr;
    const Call *call = nullptr; ///< set when the place is a call
    /// On the branch from the root through the place to the newest head behind it, also those to come.
    std::vector<EventMark> events;
    int inForce = 0; ///< number of the event in force at the place, 0: none
    EventPtr event; ///< the event in force; null: none
    MessageLog log; ///< raw log at the place
    MessageLog effective; ///< what the event in force leaves of `log`; at a call the request that it sent
    std::vector<Tombstone> tombstones; ///< messages removed on the way here, in order of their places
    Certainty certainty = Certainty::Derived; ///< of `effective`
    FateMap fates; ///< what became of every message of `log`
    LogFactsPtr facts; ///< null while they are being made
    bool whatIf = false; ///< event, effective messages and fates are those of a what-if, not of the recording
};
using ScenePtr = std::shared_ptr<const Scene>;

class RecordedRequests;

/// Looks `place` up. A checkpoint or call that is not there falls back to the newest head, to no call.
/// `requests` of the place's namespace gives what a call received as its stubs were rendered; null: without stubs.
Scene makeScene(
    const ThreadPtr &thread, const Place &place, const LogFactsPtr &facts, RecordedRequests *requests = nullptr);

/// The key of a summary without an id: it is in no log.
inline constexpr std::string_view summaryKey = "summary";

/// The name by which a message is chosen: its id, or "#12" by its place when it has none.
std::string messageKey(const Message &message, MessageIndex index);
/// The checkpoint before or after this one on the branch that is looked at; invalid at its end.
CheckpointIndex neighbour(const Scene &scene, int direction);
/// The row of `key` in `log`; invalid when it is not there.
MessageIndex findMessage(const MessageLog &log, const std::string &key);

/// A body that a message had: 0 as first written, 1, …; null when it had no such one.
MessagePtr bodyVersion(const ThreadNamespace &space, const std::string &messageId, int version);
/// The message that a place chooses, in the version that it chooses; of one that was removed the last body. Null when
/// none is chosen or it is nowhere.
MessagePtr chosenMessage(const Scene &scene, const Place &place);

} // namespace palimpsest
