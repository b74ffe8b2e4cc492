// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/insight/trace/needle.h"
#include "core/thread/thread.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// Where a text stands in a file.
struct FileHit {
    std::string path; ///< as the agent names it
    bool archive = false; ///< an archive: what a summary replaced
    bool readable = true; ///< text, so that read_file shows it
    std::int64_t line = 0; ///< from 1
    std::int64_t lines = 1; ///< that the text covers there
    std::string text; ///< the sentence around it
    std::optional<std::size_t> section; ///< of an archive, from 0
    std::string sectionTime; ///< as its heading says
};
using FileHitPtr = std::shared_ptr<const FileHit>;

/// Finds a text in the files that an agent can read, as they were at each call. Each distinct content is searched once.
/// State files are those of the checkpoint; a folder and the store hold only what is there now: an archive's section is
/// there from its event on, any other file from the first message that names it.
class FileSearch {
public:
    FileSearch(const Thread &thread, const ThreadNamespace &space, std::vector<ArtifactFolder> folders, Needle needle);

    /// Hits at a call, other files before archives.
    [[nodiscard]] std::vector<FileHitPtr> at(const Call &call);
    /// The checkpoint that the call's own writes led to; invalid when there is none.
    [[nodiscard]] CheckpointIndex after(const Call &call) const;
    /// Where the archive of an event holds the messages [first, end) of the log, searched or not: the message at `raw`.
    [[nodiscard]] FileHitPtr archived(const Call &call, MessageIndex raw);
    /// The first line of a file that a stub names; null when it is not there at the call.
    [[nodiscard]] FileHitPtr whole(const Call &call, const std::string &path);
    /// A file's content as it was after the call; empty when there is none.
    [[nodiscard]] const std::string &content(const Call &call, const std::string &path);

private:
    struct External {
        FileHitPtr hit;
        CheckpointIndex since; ///< first checkpoint at which it is known to be there; invalid: cannot be told
        bool always = false; ///< nothing names it
    };
    FileHitPtr searchEntry(const std::string &path, const FileEntryPtr &entry);
    const std::vector<FileHitPtr> &searchMap(const FileMap &files);
    void searchExternals();
    [[nodiscard]] CheckpointIndex firstNaming(const std::string &path) const;
    [[nodiscard]] CheckpointIndex sectionSince(
        const std::string &content, std::size_t section, const std::string &path);
    [[nodiscard]] std::string agentPath(const std::string &stored) const;
    [[nodiscard]] std::vector<std::string> ownPaths(const Call &call) const;
    [[nodiscard]] CheckpointIndex latest(const Call &call) const;
    [[nodiscard]] const void *filesKey(const Call &call) const;
    [[nodiscard]] FileHitPtr findArchived(const Call &call, MessageIndex raw);

    const Thread &m_thread;
    const ThreadNamespace &m_space;
    std::vector<ArtifactFolder> m_folders;
    Needle m_needle;
    std::unordered_map<const FileEntry *, FileHitPtr> m_entries; ///< null: it is not in it
    std::unordered_map<const void *, std::vector<FileHitPtr>> m_maps;
    std::map<std::pair<std::string, const void *>, FileHitPtr> m_wholes; ///< by path and files
    std::map<std::pair<std::string, const void *>, std::string> m_contents; ///< by path and files
    std::map<std::pair<const void *, std::int64_t>, FileHitPtr> m_archived; ///< by event and message
    std::vector<External> m_externals;
    bool m_externalsDone = false;
};

/// Whether a file is an archive: `conversation_history/*.md` with sections. Long human messages are moved to that
/// folder as well, one a file.
bool isArchive(std::string_view path, std::string_view content);

/// The first place of a needle in a file's content. In an archive also inside escaped text and arguments.
std::optional<FileHit> findInFile(std::string_view content, bool archive, const Needle &needle);

} // namespace palimpsest
