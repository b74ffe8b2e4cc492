// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// A file that an agent can read, wherever it is kept.
struct Artifact {
    enum class Origin {
        State, ///< the `files` channel at a checkpoint
        Folder, ///< a folder on disk: the root of a FilesystemBackend
        Store, ///< an item of the store table (StoreBackend)
    };
    std::string path; ///< as the agent would name it there
    Origin origin = Origin::State;
    std::string place; ///< folder, or the store's namespace prefix; empty for the state
    std::int64_t size = 0; ///< bytes of its content

    bool operator==(const Artifact &) const = default;
};

/// The content of a file.
struct ArtifactContent {
    Artifact artifact;
    std::string bytes; ///< decoded from base64 where it was stored so
    bool text = true; ///< stored as text; else its bytes were
    /// How the path asked for and the path found differ: a route's prefix (`artifacts_root`) was taken off or put on.
    /// Empty when equal.
    std::string rerouted;
};

/// Items of a store table: namespace prefix → key → value.
using StoreItems = std::map<std::string, std::map<std::string, Value>>;

/// A folder of files that the user added or that stands beside the database, or a namespace of a store that is read as
/// one. Of a folder on disk only what lies below its root is read: paths that climb out of it and links that lead out
/// of it are refused.
class ArtifactFolder {
public:
    /// The folder must exist; else Error NotFound. `route` is the beginning of the paths under which the agent knows
    /// its files ("/memories/", as a CompositeBackend has it); empty: the folder is the root of the agent's files.
    static Result<ArtifactFolder> open(const std::string &folder, const std::string &route = {});

    /// The files among a store's items below the namespace `prefix` (langgraph's parts joined by dots), as a
    /// StoreBackend writes them (deepagents/backends/store.py, 0.7.32); `place` names the store. Error NotFound when
    /// there is none.
    static Result<ArtifactFolder> ofStore(
        const StoreItems &items, const std::string &prefix, const std::string &place, const std::string &route);

    [[nodiscard]] bool isStore() const { return m_items != nullptr; }
    /// The folder on disk, or what names the store's namespace.
    [[nodiscard]] const std::string &root() const { return m_root; }
    /// Begins and ends with a slash; empty when the folder is the root.
    [[nodiscard]] const std::string &route() const { return m_route; }
    /// Every regular file below the root, by the agent's path ("/conversation_history/a.md"), at most `limit`.
    [[nodiscard]] std::vector<Artifact> list(std::size_t limit = 10000) const;
    [[nodiscard]] bool contains(const std::string &path) const
    {
        return isStore() ? item(path) != nullptr : !resolve(path).empty();
    }
    /// The file's bytes. Error NotFound, Limit for one over 256 MB, Invalid for a path that leads out of the folder.
    [[nodiscard]] Result<std::string> read(const std::string &path) const;

private:
    [[nodiscard]] std::string resolve(const std::string &path) const;
    [[nodiscard]] const FileEntry *item(const std::string &path) const;

    std::string m_root; ///< canonical
    std::shared_ptr<const std::map<std::string, FileEntryPtr>> m_items; ///< by key, of a store
    std::string m_route;
};

/// `<name>.files` beside the database `<name>.sqlite`, when there is such a folder.
std::optional<std::string> folderBeside(const std::string &database);

/// The folders of files that belong to a source: the one beside it, and those it names itself that are there.
std::vector<ArtifactFolder> foldersOf(const SourceInfo &source);

/// Everything readable at one checkpoint: state files, added folders and the store table, in this order. A value;
/// copies share.
class ArtifactView {
public:
    /// No thread, no files; folders can be added.
    ArtifactView() = default;
    ArtifactView(const Thread &thread, const ThreadNamespace &space, CheckpointIndex checkpoint);

    void addFolder(ArtifactFolder folder);

    [[nodiscard]] std::vector<Artifact> list() const;
    /// The file that a path in a stub, an event or a tool call means. A CompositeBackend hands a route's file on
    /// without the route's prefix, so when the path itself is nowhere, it is tried from each of its later folders on
    /// ("/memories/conversation_history/a.md" →
    /// "/conversation_history/a.md") and then by its last two components below any prefix. Nothing when it is nowhere.
    [[nodiscard]] std::optional<ArtifactContent> read(const std::string &path) const;
    [[nodiscard]] bool contains(const std::string &path) const { return read(path).has_value(); }

private:
    [[nodiscard]] std::optional<ArtifactContent> readExact(const std::string &path) const;

    FileMap m_files;
    std::vector<ArtifactFolder> m_folders;
    /// Store namespace prefix → key → item's value.
    std::map<std::string, std::map<std::string, FileEntryPtr>> m_store;
};

/// Content of a `files` entry as bytes: base64 decoded, lines (the first form of the channel) joined. `text` tells
/// whether it was text.
struct EntryBytes {
    std::string bytes;
    bool text = true;
};
EntryBytes entryBytes(const FileEntry &entry);

/// What was uploaded to a medium's path, of what its file holds: StateBackend stores an upload that is no UTF-8 as
/// base64 text and says "utf-8" (deepagents/backends/state.py `upload_files`, 0.7.7). The file is named after the
/// digest of what was uploaded, which tells the two apart; what fits neither stays as it is.
std::string mediumBytes(std::string_view path, std::string stored);

} // namespace palimpsest
