// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/insight/diff/textdiff.h"
#include "core/thread/thread.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Two places of one or two threads, held against each other.
namespace palimpsest {

/// What is compared: a list of messages and what the state held beside it.
struct DiffSide {
    enum class Kind {
        Checkpoint, ///< its raw log
        Call, ///< the request that the model received
        Event, ///< what the event leaves of the log
        Thread, ///< the raw log at its newest head
    };
    Kind kind = Kind::Checkpoint;
    ThreadPtr thread; ///< keeps `messages` and `files` alive
    std::string ns;
    CheckpointIndex checkpoint;
    CallNumber call; ///< of a call
    std::string name; ///< as a person says it: "call 8"
    MessageLog messages;
    FileMap files;
    std::map<std::string, Value> channels; ///< beside messages and files; filled by whoever can read them
};
std::string_view sideKindName(DiffSide::Kind kind);

/// Finds what words mean in a namespace: a checkpoint id or a unique beginning of one, "call:N", "event:N" (from 1),
/// "head", "head:N" (branches, the newest is 1). Errors NotFound, Invalid.
Result<DiffSide> diffSide(const ThreadPtr &thread, const std::string &ns, std::string_view words);
DiffSide checkpointSide(const ThreadPtr &thread, const std::string &ns, CheckpointIndex checkpoint);
DiffSide callSide(const ThreadPtr &thread, const std::string &ns, CallNumber call);

enum class DiffChange { Same, Changed, Added, Removed, Moved };
std::string_view changeName(DiffChange change);

struct MessageDiff {
    DiffChange change = DiffChange::Same;
    std::int64_t a = -1; ///< places in the lists; -1: not there
    std::int64_t b = -1;
    MessagePtr before; ///< null when added
    MessagePtr after; ///< null when removed
    std::vector<TextPiece> text; ///< of a changed one
    std::vector<std::string> members; ///< of a changed one: "content", "tool_calls", … that differ
    std::vector<TextPiece> arguments; ///< tool calls as JSON, when they differ
};

struct ChannelDiff {
    std::string name;
    DiffChange change = DiffChange::Changed;
    Value before;
    Value after;
};

struct FileDiff {
    std::string path;
    DiffChange change = DiffChange::Changed;
    std::vector<TextPiece> text; ///< of changed text files
    std::int64_t before = 0; ///< bytes
    std::int64_t after = 0;
};

struct Diff {
    std::vector<MessageDiff> messages; ///< in the order of both lists
    std::vector<ChannelDiff> channels; ///< those that differ, in name order
    std::vector<FileDiff> files; ///< those that differ, in path order

    [[nodiscard]] std::int64_t count(DiffChange change) const; ///< of messages
    [[nodiscard]] bool isEmpty() const; ///< nothing differs
};

/// Aligns messages by id, else by their text; a summary is held against the other side's summary.
Diff compare(const DiffSide &a, const DiffSide &b);

} // namespace palimpsest
