// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/archive.h"
#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "core/thread/thread.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// A summarization event as the rules look at it.
struct EventRecord {
    CheckpointIndex checkpoint; ///< the first that carries it
    EventPtr event;
    EventPtr prior; ///< in force before it; null: none
    EvictedRange evicted; ///< raw messages that it put out of context
    const Call *call = nullptr; ///< the model call that made it; null for a tool's and for an update from outside
    bool byTool = false; ///< `compact_conversation` made it
    bool byUpdate = false; ///< set from outside, by `update_state`: nothing was offloaded for it
    bool inherited = false; ///< a parent's event in a subagent

    [[nodiscard]] std::int64_t evictedCount() const { return evicted.end.value - evicted.first.value; }
};

/// The archive that events of one namespace name by one path.
struct ArchiveFile {
    enum class Where {
        AtPath, ///< where the event says
        Rerouted, ///< below another root, as a route of a CompositeBackend or another `artifacts_root` keeps it
        Renamed, ///< under another name: its sections are those of the events
        Deleted, ///< it was there and is gone
        Missing, ///< files of the agent are known, this one is not among them
        NotLoaded, ///< no place is known where the agent keeps files
    };
    Where where = Where::NotLoaded;
    std::string path; ///< as the event has it
    std::string foundAt; ///< path of the file that was taken
    std::string origin; ///< "state", "folder", "store"; empty when there is none
    CheckpointIndex lastSeen; ///< newest checkpoint whose state has it at its path
    bool moved = false; ///< the state had it at its path and later has it at `foundAt` instead
    std::string text;
    Archive archive;
    std::vector<SectionLink> links; ///< of the sections, over this namespace's events
    std::optional<bool> agentRead; ///< whether a `read_file` of the path gave its content; nothing: none was made

    [[nodiscard]] bool found() const { return !foundAt.empty(); }
};

/// What several rules need of a namespace. Made at first use; for one run of the rules.
class LintMaterial {
public:
    LintMaterial(const Thread &thread, const ThreadNamespace &ns, const std::vector<ArtifactFolder> &folders);

    /// Every event of the namespace in the order in which they came into force.
    const std::vector<EventRecord> &events();
    /// Every event that the thread had is here: the source holds its checkpoints from the first one on. False for one
    /// state of a thread, for a part of its history and for a trace.
    [[nodiscard]] bool holdsEveryEvent() const;
    /// The newest checkpoint that goes back to this one.
    CheckpointIndex lastDescendant(CheckpointIndex checkpoint);
    /// The archive at a path that an event names.
    const ArchiveFile &archive(const std::string &path);
    /// A file as it was at a checkpoint: in the state, else in a folder or the store. Tries other roots too.
    std::optional<ArtifactContent> fileAt(const std::string &path, CheckpointIndex checkpoint);
    /// Files that are not in the state: of folders and the store.
    const ArtifactView &outside();

private:
    void findArchive(ArchiveFile &file);
    [[nodiscard]] bool knowsFiles() const;
    [[nodiscard]] std::optional<bool> readByAgent(const std::string &path) const;

    const Thread &m_thread;
    const ThreadNamespace &m_ns;
    const std::vector<ArtifactFolder> &m_folders;
    std::optional<std::vector<EventRecord>> m_events;
    std::vector<CheckpointIndex> m_lastDescendant;
    std::map<std::string, ArchiveFile> m_archives;
    std::optional<ArtifactView> m_outside;
};

/// The namespace above `child` that had the very event, however it travelled; null when none did.
const ThreadNamespace *eventOwner(const Thread &thread, const ThreadNamespace &child, const SummarizationEvent &event);

} // namespace palimpsest
