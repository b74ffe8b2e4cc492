// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"
#include "core/values/finding.h"
#include "core/thread/message.h"

#include <immer/flex_vector.hpp>
#include <immer/map.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The raw log at a checkpoint, or an effective list: shares structure with its neighbours, so that ten thousand checkpoints cost
/// ten thousand small nodes. Dropping a prefix and prepending a summary are logarithmic.
using MessageLog = immer::flex_vector<MessagePtr>;

/// One entry of the `files` channel (deepagents/backends/protocol.py FileData, 0.7.7).
struct FileEntry {
    Value content; ///< text, bytes, or (v1) a list of lines
    std::string encoding = "utf-8"; ///< "utf-8" or "base64"
    std::string createdAt;
    std::string modifiedAt;
    Value raw; ///< the entry as stored

    bool operator==(const FileEntry &) const = default;
};
using FileEntryPtr = std::shared_ptr<const FileEntry>;
using FileMap = immer::map<std::string, FileEntryPtr>;

/// One `_summarization_event` (deepagents/middleware/summarization.py SummarizationEvent, 0.7.7 and 0.7.32).
struct SummarizationEvent {
    std::int64_t cutoffIndex = 0; ///< absolute index in the raw log of the first message that is kept; may be out of range
    MessagePtr summaryMessage; ///< null when the stored event has none that can be read
    std::optional<std::string> filePath; ///< archive, null when its write failed
    std::optional<std::int64_t> createdAtIndex; ///< since 0.7.32: raw log length when the event was made
    Value raw; ///< as stored
    bool malformed = false; ///< the stored value is no well-formed event

    friend bool operator==(const SummarizationEvent &a, const SummarizationEvent &b)
    {
        return a.cutoffIndex == b.cutoffIndex && a.filePath == b.filePath && a.createdAtIndex == b.createdAtIndex && a.malformed == b.malformed
            && (a.summaryMessage == b.summaryMessage || (a.summaryMessage && b.summaryMessage && *a.summaryMessage == *b.summaryMessage));
    }
};
using EventPtr = std::shared_ptr<const SummarizationEvent>;

/// An `__interrupt__` or `__error__` write that a checkpoint waits with.
struct Waiting {
    enum class Kind { Interrupt, Error };
    Kind kind = Kind::Interrupt;
    std::string taskId;
    std::string taskPath;
    Value value;
};

/// A saved state of one namespace, with what the panes need of it; other channels are read on demand (ThreadReader).
struct Checkpoint {
    std::string id;
    std::optional<std::string> parentId;
    CheckpointIndex parent; ///< invalid for a root or when the parent is not in the file
    std::vector<CheckpointIndex> children; ///< more than one: a fork
    int step = 0;
    std::string source; ///< "input", "loop", "update", "fork"
    std::string createdAt; ///< ISO 8601
    Value metadata; ///< all of it, as stored
    bool incomplete = false; ///< the state cannot be known in full
    MessageLog messages; ///< raw log
    EventPtr event; ///< null when there is none
    std::optional<std::string> sessionId;
    FileMap files;
    std::vector<Waiting> waiting;
    std::vector<Finding> findings;
};

} // namespace palimpsest
