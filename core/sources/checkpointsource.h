// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/values/finding.h"
#include "core/values/value.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// A stored value before decoding: its serializer tag ("msgpack", "json", "null", "bytes", "msgpack+aes", …) and its bytes.
struct TypedBytes {
    std::string type;
    std::string bytes;
    bool operator==(const TypedBytes &) const = default;
};

/// A row of `checkpoints` without its blob.
struct CheckpointRow {
    std::string id;
    std::optional<std::string> parentId;
    std::string type;
    std::int64_t blobSize = 0;
    std::string metadata; ///< JSON text as stored; may be empty when a source makes it expensive
};

/// A row of `writes`.
struct WriteRow {
    std::string checkpointId;
    std::string taskId;
    std::string taskPath; ///< empty when the table has no such column
    std::int64_t idx = 0; ///< negative for special writes
    std::string channel;
    TypedBytes value;
};

/// What a thread list shows without reading blobs; a number that would need them is null where the source makes them expensive.
struct ThreadRow {
    struct Space {
        std::string name;
        std::int64_t checkpoints = 0;
        std::optional<std::int64_t> events;
    };
    std::string id;
    std::vector<Space> namespaces;
    std::int64_t checkpoints = 0;
    std::optional<std::int64_t> messages;
    std::optional<std::int64_t> events;
    std::optional<std::int64_t> bytes; ///< payload
    std::string first; ///< ISO 8601 of the oldest checkpoint
    std::string last;
    std::string title; ///< first human words
    std::optional<std::string> agent;
    std::optional<std::string> model;
    std::optional<std::string> waiting; ///< last interrupt, as text
    std::optional<std::string> error; ///< last `__error__`
    Value metadata = Value(Value::Map{}); ///< of the newest root checkpoint
};

/// What a source says of itself: `dump`'s "source" member and the status bar.
struct SourceInfo {
    std::string kind; ///< "sqlite", "postgres", …
    std::string location; ///< path or URI without password
    std::string language = "python";
    std::string journal; ///< how it was opened: "immutable", "wal", "copy"
    bool hasTaskPath = true;
    bool hasStore = false;
    std::vector<Finding> findings; ///< of the whole source
};

/// Where threads are kept. One object per open source; used by one thread at a time; never changes what it reads.
class CheckpointSource {
public:
    virtual ~CheckpointSource() = default;

    [[nodiscard]] virtual SourceInfo info() const = 0;
    /// All threads; `full` asks for the numbers that need blobs.
    virtual Result<std::vector<ThreadRow>> threads(bool full, const JobContext &job) = 0;
    /// Namespaces of a thread, root first.
    virtual Result<std::vector<std::string>> namespaces(const std::string &threadId) = 0;
    /// Rows in checkpoint_id order, without blobs.
    virtual Result<std::vector<CheckpointRow>> checkpoints(const std::string &threadId, const std::string &ns, const JobContext &job) = 0;
    /// One checkpoint's blob.
    virtual Result<TypedBytes> checkpointBlob(const std::string &threadId, const std::string &ns, const std::string &checkpointId) = 0;
    /// Streams the rows of `writes` ordered by checkpoint_id, task_path, task_id, idx; all channels, or only those named (special
    /// channels included by name). The visitor returns false to stop.
    virtual Result<void> writes(const std::string &threadId, const std::string &ns, const std::vector<std::string> &channels,
        const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
        = 0;
    /// The writes of one checkpoint, all channels.
    virtual Result<std::vector<WriteRow>> writesAt(const std::string &threadId, const std::string &ns, const std::string &checkpointId) = 0;
    /// Items of a store table by namespace prefix and key; empty when there is none.
    virtual Result<std::map<std::string, std::map<std::string, Value>>> store() = 0;
};

} // namespace palimpsest
