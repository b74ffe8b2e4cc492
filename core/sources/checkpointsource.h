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

/// A stored value before decoding: its serializer tag ("msgpack", "json", "null", "bytes", "msgpack+aes", …) and its
/// bytes.
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
    std::string metadata; ///< JSON text as stored; empty when not asked for or when a source makes it expensive
    std::optional<std::string> blob; ///< only when a scan asked for it
    std::string damage; ///< why a part of the row cannot be read; empty when all of it can
};

/// Which rows of `checkpoints` a scan gives, and what of them.
struct CheckpointScan {
    bool metadata = true; ///< in SQLite the metadata lies behind the blob: reading it walks all pages of a big row
    std::int64_t metadataBelow = -1; ///< metadata of rows with larger blobs is left out; -1: no bound
    std::int64_t blobsUpTo = -1; ///< blobs up to this size come along
    bool newestFirst = false;
    std::int64_t limit = -1; ///< -1: all
    std::optional<std::string> after; ///< rows with later ids only
};

/// Under this name a source gives what the model received at a call, where it holds that itself: the list of messages,
/// as a write of the call's task. No channel of LangGraph is called so.
inline constexpr std::string_view requestChannel = "(request)";

/// A row of `writes`.
struct WriteRow {
    std::string checkpointId;
    std::string taskId;
    std::string taskPath; ///< empty when the table has no such column
    std::int64_t idx = 0; ///< negative for special writes
    std::string channel;
    TypedBytes value;
    std::int64_t valueSize = 0; ///< also when the value was not asked for
    bool hasValue = true; ///< false: a scan left the value out
    std::string damage; ///< why a part of the row cannot be read; empty when all of it can
};

/// Which rows of `writes` a scan gives, and what of them. Empty lists mean all.
struct WriteScan {
    std::vector<std::string> channels; ///< rows of these channels only
    std::vector<std::string> values; ///< values of these channels only
    bool noValues = false;
    bool oddTypes =
        false; ///< with `channels`: also rows of other channels that are stored in no form this program reads
    std::optional<std::string> checkpointId; ///< rows of this checkpoint only
    std::optional<std::string> from; ///< rows of checkpoints with this id or a later one
};

/// What a thread list shows without reading blobs; a number that would need them is null where the source makes them
/// expensive.
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

/// What a source hands over beside a ThreadRow so that title, waiting and error can be told without asking it again.
struct ThreadHints {
    TypedBytes input; ///< value of `__start__` in the first checkpoint; its type is empty when there is none
    std::vector<WriteRow> waiting; ///< rows of `__interrupt__` and `__error__` on the newest checkpoint
};

struct ThreadPage {
    std::vector<ThreadRow> rows;
    std::vector<ThreadHints> hints; ///< one a row, or none at all
};

/// A folder of files that belongs to a source.
struct SourceFolder {
    std::string folder;
    std::string route; ///< what the agent calls it: "/memories/"; empty: the folder is the root of its files
    bool operator==(const SourceFolder &) const = default;
};

/// What a source says of itself: `dump`'s "source" member and the status bar.
struct SourceInfo {
    std::string kind; ///< "sqlite", "postgres", "json", …
    std::string what; ///< what its content was recognised as, in words
    std::string location; ///< path or URI without password
    std::string language = "python";
    std::string journal; ///< how it was opened: "immutable", "wal", "copy"
    bool hasTaskPath = true;
    bool hasStore = false;
    bool expensiveBlobs = false; ///< a thread list leaves out what only blobs tell, unless it is asked for
    std::vector<SourceFolder> folders; ///< where its agent keeps files outside of it
    std::vector<Finding> findings; ///< of the whole source
};

/// Where threads are kept. One object per open source; used by one thread at a time; never changes what it reads.
class CheckpointSource {
public:
    virtual ~CheckpointSource() = default;

    [[nodiscard]] virtual SourceInfo info() const = 0;
    /// All threads, with what the rows say without decoding a value: ids, counts, bytes, times. `listThreads`
    /// (core/thread/threadlist.h) adds title, messages, events, model, waiting and metadata.
    virtual Result<std::vector<ThreadRow>> threads(bool full, const JobContext &job) = 0;
    Result<std::vector<ThreadRow>> threads(const JobContext &job) { return threads(false, job); }
    using VisitThreads = std::function<bool(ThreadPage &&)>;
    /// The same page by page, as soon as each is there; in an order of the source's own. The visitor returns false to
    /// stop.
    virtual Result<void> scanThreads(bool full, const VisitThreads &visit, const JobContext &job);
    /// Ids of all threads, sorted; cheaper than `threads` where a source can.
    virtual Result<std::vector<std::string>> threadIds(const JobContext &job);
    /// Namespaces of a thread, root first.
    virtual Result<std::vector<std::string>> namespaces(const std::string &threadId) = 0;
    /// Rows in checkpoint_id order, without blobs.
    virtual Result<std::vector<CheckpointRow>> checkpoints(
        const std::string &threadId, const std::string &ns, const JobContext &job);
    /// Streams rows of `checkpoints` in checkpoint_id order. The visitor returns false to stop.
    virtual Result<void> scanCheckpoints(const std::string &threadId, const std::string &ns, const CheckpointScan &scan,
        const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job);
    /// One checkpoint's blob.
    virtual Result<TypedBytes> checkpointBlob(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) = 0;
    /// A part of a checkpoint's blob, shorter at its end. Cheap at the blob's beginning, however big it is.
    virtual Result<std::string> blobPart(const std::string &threadId, const std::string &ns,
        const std::string &checkpointId, std::int64_t offset, std::int64_t length);
    /// One checkpoint's metadata as stored.
    virtual Result<std::string> metadata(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId);
    /// Streams the rows of `writes` ordered by checkpoint_id, task_path, task_id, idx; all channels, or only those
    /// named (special channels included by name). The visitor returns false to stop.
    virtual Result<void> writes(const std::string &threadId, const std::string &ns,
        const std::vector<std::string> &channels, const std::function<bool(WriteRow &&)> &visit, const JobContext &job);
    virtual Result<void> scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
        const std::function<bool(WriteRow &&)> &visit, const JobContext &job);
    /// The writes of one checkpoint, all channels.
    virtual Result<std::vector<WriteRow>> writesAt(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId);
    /// Items of a store table by namespace prefix and key; empty when there is none.
    virtual Result<std::map<std::string, std::map<std::string, Value>>> store() = 0;

    /// A text that is another one when the thread may have changed since it was asked for last; cheap enough to be
    /// asked for ten times a second. Always empty where a source cannot tell.
    virtual Result<std::string> changeMark(const std::string &threadId);

    /// Begins a reading of several calls: takes up what has changed since the last one and, where the source can, holds
    /// one state until `endRead`.
    virtual Result<void> beginRead() { return {}; }
    /// Ends it. True: the source changed meanwhile in a way that may have mixed two states; read again.
    virtual bool endRead() { return false; }
};

} // namespace palimpsest
