// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/bodypool.h"
#include "core/thread/requests.h"
#include "core/thread/threadreader.h"

#include <string_view>
#include <unordered_map>

namespace palimpsest {

/// Task id of writes that belong to the checkpoint itself (langgraph/_internal/_constants.py NULL_TASK_ID, 1.2.24).
inline constexpr std::string_view nullTaskId = "00000000-0000-0000-0000-000000000000";

/// Reads one namespace of a thread: rows, then writes, then the states, parents before children.
///
/// A delta channel's state at a checkpoint is its parent's state with the parent's writes applied
/// (langgraph/checkpoint/base get_delta_channel_history, 4.3.2); a value stored in `channel_values` wins. A stored
/// snapshot is only read where the writes do not say the same: after a fork, an update, a gap in the steps, a missing
/// parent, or when its length is another one than that of the log made from the writes; with
/// `LoadOptions::readSnapshots` always, and compared body by body.
class NamespaceLoader {
public:
    /// Blobs up to this size (bytes) are read with their rows; bigger ones only when they are needed.
    static constexpr std::int64_t loadedBlob = 16 * 1024;

    NamespaceLoader(
        CheckpointSource &source, const std::string &threadId, const LoadOptions &options, const JobContext &job);

    /// Reads the namespace `ns`. An Error only when nothing of it can be read or the job was stopped.
    Result<ThreadNamespace> load(const std::string &ns);
    /// Keeps what `extend` needs; to be called before `load`.
    void keepOpen() { m_keepOpen = true; }
    /// Reads what was added to the namespace since it was loaded. False: something else changed, it is to be loaded
    /// again. `changed` tells whether anything was added.
    Result<bool> extend(bool &changed);
    /// The namespace as it is now.
    [[nodiscard]] const ThreadNamespace &space() const { return m_space; }
    /// Reads about its newest `rows` checkpoints, from a stored log on; nothing when there are no more than that.
    Result<std::optional<ThreadNamespace>> loadNewest(const std::string &ns, std::int64_t rows);
    /// Findings of the namespace that belong to no checkpoint.
    std::vector<Finding> takeFindings() { return std::move(m_findings); }
    /// The writes of the namespace that was loaded last.
    [[nodiscard]] const CallInputs &inputs() const { return m_inputs; }

private:
    /// How a channel is stored in a checkpoint's blob.
    enum class Stored { Unknown, Absent, Plain, Snapshot };
    struct ChannelFacts {
        Stored stored = Stored::Unknown;
        std::optional<std::string> version; ///< nothing: the channel has none, or the blob was not read
        std::optional<std::uint64_t> count; ///< of a snapshot
        std::string raw; ///< of a snapshot
        std::string type; ///< serializer's tag of `raw`
    };
    struct Facts {
        std::string type;
        std::int64_t blobSize = 0;
        bool viewed = false; ///< the whole blob was looked at
        bool opaque = false; ///< it cannot be
        bool hasMetadata = false; ///< looked at
        std::optional<std::int64_t> step; ///< from the metadata
        ChannelFacts log;
        ChannelFacts files;
        MessageLog plainLog;
        FileMap plainFiles;
        EventPtr event;
        std::optional<std::string> session;
    };
    /// The writes stored on one checkpoint.
    struct Step {
        std::vector<MessagesWrite> messages; ///< of all tasks, in order
        std::vector<std::string> messageTasks; ///< the task of each
        std::vector<FilesWrite> files;
        std::vector<std::string> fileTasks; ///< the task of each
        std::vector<MessagesWrite> ownMessages; ///< of the null task: they belong to the checkpoint itself
        std::vector<FilesWrite> ownFiles;
        std::optional<EventPtr> event;
        std::optional<EventPtr> ownEvent;
        std::optional<std::optional<std::string>> session;
        bool unreadableMessages = false;
        bool unreadableFiles = false;
        std::size_t rows = 0; ///< of the table writes
        bool failed = false; ///< a task failed or waited: what others wrote may have been dropped
    };
    /// A channel's state as children need it.
    struct State {
        MessageLog log;
        std::optional<MessageState> indexed; ///< made when a write needs it
        FileMap files;
        EventPtr event;
        std::optional<std::string> session;
        std::int64_t missingLog = -1; ///< updates that are not in the file; -1: none are missing, 0: unknown how many
        std::int64_t missingFiles = -1;
        bool brokenLog = false; ///< a write or row that the log needs cannot be read
        bool brokenFiles = false;
        int childrenLeft = 0;
    };

    void begin(const std::string &ns);
    Result<void> finish();
    Result<void> readRows();
    Result<void> readWrites();
    [[nodiscard]] bool startsHere(const CheckpointRow &row);
    void takeRow(CheckpointRow &&row);
    void viewRow(std::size_t at, std::string_view type, std::string_view bytes, bool whole);
    void lookAtBigRow(std::size_t at);
    void readWhole(std::size_t at);
    StoredChannel snapshotOf(std::size_t at, ChannelFacts Facts::*channel);
    void takeMetadata(std::size_t at, std::string_view text);
    bool takeMetadataHead(std::size_t at, std::string_view text);
    void readMetadata(std::size_t at);
    void linkTree();
    Result<void> foldStates();
    void foldState(std::size_t at);
    void showState(std::size_t at, const State &state);
    void findEvents();
    [[nodiscard]] bool takeAdded(const std::vector<CheckpointRow> &rows, std::size_t known) const;
    void foldLog(std::size_t at, State &state, State *parent, const Step *step, bool trusted);
    void foldFiles(std::size_t at, State &state, State *parent, const Step *step, bool trusted);
    /// Whether a stored snapshot is the log that the writes make; a difference is a finding.
    bool saysTheSame(std::size_t at, const MessageLog &stored, const MessageLog &replayed);
    void checkFiles(std::size_t at, const FileMap &stored, const FileMap &replayed);
    [[nodiscard]] bool follows(std::size_t at, const State *parent) const;
    /// Whether the parent's writes to the channel belong to this child; a child that this cannot be said of is
    /// incomplete.
    bool ownsWrites(std::size_t at, ChannelFacts Facts::*channel);
    void checkForks();
    /// Notes what the writes will change in the log `before`; false when they reset it, so that only the result tells.
    bool noteVersions(std::size_t at, const MessageState &before, const Step &step);
    void checkOrder(std::size_t at);
    /// `overwritten` and `tasks`: of each write to the channel in the superstep before `at`.
    void checkOverwrites(std::size_t at, const std::string &channel, const std::vector<bool> &overwritten,
        const std::vector<std::string> &tasks);
    /// Says what the write is; gives it as a reset point where the user chose that, else what follows is unknown.
    std::optional<MessagesWrite> takeUntypedOverwrite(
        std::size_t at, const WriteRow &row, const Value &value, Step &step);
    /// Looks for classes and forms in the channels that no thread needs.
    void lookAtChannels(std::size_t at, const BlobView &view);
    /// Counts a row by how it was stored; `type` is that of the row as the source gives it.
    void noteEncryption(std::size_t at, std::string_view type);
    void noteDifference(std::size_t at, const MessageLog &before, const MessageLog &after);
    void noteBody(std::size_t at, const MessagePtr &old, const MessagePtr &now, const std::string &task);
    [[nodiscard]] static std::string filesName() { return "files"; }
    EventPtr eventOf(std::string_view type, std::string_view raw);
    FileMap filesOf(std::size_t at, const StoredChannel &channel);
    Finding &find(std::size_t at, const char *rule, Finding::Severity severity, std::string message);
    void undecodable(std::size_t at, std::string_view channel, std::string_view type, const Error &error,
        const std::string &taskId = {});
    void setStep(std::size_t at);
    void markIncomplete(std::size_t at, std::string_view channel, std::int64_t missing);

    CheckpointSource &m_source;
    const std::string &m_threadId;
    const LoadOptions &m_options;
    const JobContext &m_job;
    std::string m_ns;
    ThreadNamespace m_space;
    CallInputs m_inputs;
    std::vector<Finding> m_findings;
    std::vector<Facts> m_facts;
    std::vector<Step> m_steps; ///< by checkpoint
    std::unordered_map<std::string, std::size_t> m_places;
    std::unordered_map<std::size_t, State> m_states; ///< of checkpoints whose children are still to come
    BodyPool m_pool;
    struct Origin {
        std::size_t checkpoint = 0;
        std::string task;
    };
    std::unordered_map<std::string_view, Origin> m_origins; ///< of bodies, by message id
    std::unordered_map<std::string, EventPtr> m_events; ///< by stored bytes
    std::string m_lastEventRaw;
    EventPtr m_lastEvent;
    std::string m_lastFilesRaw;
    FileMap m_lastFiles;
    bool m_keepSnapshots = false; ///< keep the bytes of big snapshots: the state is being made now
    std::size_t m_writeRows = 0;
    bool m_keepOpen = false; ///< states of leaves are kept, for checkpoints that will follow
    struct OtherChannel {
        std::string raw; ///< as it was last
        std::vector<std::string> types;
    };
    std::unordered_map<std::string, OtherChannel> m_others; ///< by channel
    std::int64_t m_encrypted = 0; ///< rows
    std::int64_t m_plain = 0;
    std::optional<std::size_t> m_mixedAt; ///< the first checkpoint that is stored otherwise than those before it
    std::optional<std::string> m_from; ///< rows of `writes` before this checkpoint are not needed
};

} // namespace palimpsest
