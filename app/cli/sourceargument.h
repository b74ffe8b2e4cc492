// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "core/artifacts/artifactview.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/threadreader.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace palimpsest {

/// The arguments SOURCE, --thread and --ns that most subcommands share, and what they stand for.
class SourceArgument {
public:
    /// Adds SOURCE.
    void declareSource(CLI::App &app);
    /// Adds SOURCE, --thread, --ns, --channel and --reset-at-untyped-overwrite.
    void declare(CLI::App &app);

    /// As if these had been given on the command line.
    static SourceArgument of(std::string location, std::string thread, std::string ns);

    [[nodiscard]] const std::string &location() const { return m_location; }
    [[nodiscard]] const std::string &ns() const { return m_ns; }
    /// The same arguments for another source, or for another thread.
    [[nodiscard]] SourceArgument withLocation(std::string location) const;
    [[nodiscard]] SourceArgument withThread(std::string thread) const;
    [[nodiscard]] bool hasThread() const { return !m_thread.empty(); }
    /// The channel taken as the log.
    [[nodiscard]] const std::string &channel() const { return m_channel; }
    /// Adds --files, for answers that depend on the files that the agent could read.
    void declareFiles(CLI::App &app);
    /// The folders of files that belong to the source, and those of --files.
    [[nodiscard]] Result<std::vector<ArtifactFolder>> folders(CheckpointSource &source, const JobContext &job) const;
    /// What these arguments say of how a thread is loaded.
    void fill(LoadOptions &options) const
    {
        options.messagesChannel = m_channel;
        options.untypedOverwriteResets = m_resets;
    }

    /// Opens the source with what the environment adds (app/sourceoptions.h).
    [[nodiscard]] Result<std::unique_ptr<CheckpointSource>> open(const JobContext &job = {}) const;
    /// The thread meant: the only one, the one of that id, or the one whose id begins so.
    [[nodiscard]] Result<std::string> threadId(CheckpointSource &source, const JobContext &job) const;
    /// The namespace meant, or an Error that names those there are.
    [[nodiscard]] Result<const ThreadNamespace *> findNamespace(const Thread &thread) const;

private:
    std::string m_location;
    std::string m_thread;
    std::string m_ns;
    std::string m_channel = "messages";
    std::vector<std::string> m_files;
    bool m_resets = false; ///< at an Overwrite that lost its type
};

/// A source with the thread that the arguments mean, read in full.
struct OpenedThread {
    std::unique_ptr<CheckpointSource> source;
    ThreadPtr thread;
    const ThreadNamespace *space = nullptr; ///< the namespace meant; part of `thread`
    std::vector<ArtifactFolder> folders; ///< files outside of the thread
};

/// Opens, chooses and loads; findings of the source and of the whole thread go to standard error. `options` as for
/// loading; the channel is the argument's.
Result<OpenedThread> openThread(const SourceArgument &argument, Console &console, LoadOptions options = {});

/// Place of the checkpoint with this id or unique prefix.
Result<CheckpointIndex> findCheckpoint(const ThreadNamespace &space, std::string_view id);

} // namespace palimpsest
