// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sourceargument.h"

#include "app/sourceoptions.h"
#include "core/artifacts/artifactplace.h"
#include "core/thread/threadreader.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

namespace palimpsest {
namespace {

/// The first few of many names, for an error line.
std::string some(const std::vector<std::string> &names)
{
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < 5; ++i)
        out += (i ? ", " : "") + ("\"" + names[i] + "\"");
    if (names.size() > 5)
        out += ", … " + std::to_string(names.size()) + " in all";
    return out;
}

} // namespace

void SourceArgument::declareSource(CLI::App &app)
{
    app.add_option("SOURCE", m_location, "SQLite file, URI, address of a running server's thread, JSON file or folder")
        ->required(!std::getenv("POSTGRES_URI") && !std::getenv("DATABASE_URI"));
}

void SourceArgument::declare(CLI::App &app)
{
    declareSource(app);
    app.add_option(
        "--thread", m_thread, "Thread id or a unique beginning of it; may be left out when there is one thread");
    app.add_option("--ns", m_ns, "Checkpoint namespace; the root when left out");
    app.add_option("--channel", m_channel, "Channel that is taken as the log of messages")->capture_default_str();
    app.add_flag("--reset-at-untyped-overwrite", m_resets,
        "Take a write {\"value\": [...]} as the Overwrite that it was before it lost its type");
}

void SourceArgument::declareFiles(CLI::App &app)
{
    app.add_option("--files", m_files,
           "Where else the agent's files are, with the route under which it knows them: FOLDER, /memories/=FOLDER, "
           "/memories/=store:NAMESPACE or /memories/=store:NAMESPACE@SOURCE; may be repeated")
        ->allow_extra_args(false);
}

Result<std::vector<ArtifactFolder>> SourceArgument::folders(CheckpointSource &source, const JobContext &job) const
{
    std::vector<ArtifactFolder> all = foldersOf(source.info());
    for (const std::string &text : m_files) {
        Result<ArtifactFolder> folder = openArtifactPlace(artifactPlace(text), source, sourceOptions(job));
        if (!folder)
            return failure(folder.error().code, "--files " + folder.error().where, folder.error().what);
        all.push_back(*std::move(folder));
    }
    return all;
}

SourceArgument SourceArgument::of(std::string location, std::string thread, std::string ns)
{
    SourceArgument argument;
    argument.m_location = std::move(location);
    argument.m_thread = std::move(thread);
    argument.m_ns = std::move(ns);
    return argument;
}

SourceArgument SourceArgument::withLocation(std::string location) const
{
    SourceArgument other = *this;
    other.m_location = std::move(location);
    return other;
}

SourceArgument SourceArgument::withThread(std::string thread) const
{
    SourceArgument other = *this;
    other.m_thread = std::move(thread);
    return other;
}

Result<std::unique_ptr<CheckpointSource>> SourceArgument::open(const JobContext &job) const
{
    return openSource(m_location, sourceOptions(job));
}

Result<std::string> SourceArgument::threadId(CheckpointSource &source, const JobContext &job) const
{
    const std::string where = source.info().location;
    const Result<std::vector<std::string>> ids = source.threadIds(job);
    if (!ids)
        return tl::unexpected(ids.error());
    std::vector<std::string> matching;
    for (const std::string &id : *ids) {
        if (id == m_thread && !m_thread.empty())
            return id;
        if (id.starts_with(m_thread))
            matching.push_back(id);
    }
    if (matching.size() == 1)
        return matching.front();
    if (ids->empty())
        return failure(Error::Code::NotFound, where, "no thread is in it");
    std::sort(matching.begin(), matching.end());
    if (m_thread.empty())
        return failure(
            Error::Code::Invalid, where, "several threads are in it; choose one with --thread: " + some(matching));
    if (matching.empty())
        return failure(Error::Code::NotFound, where,
            "no thread begins with \"" + m_thread + "\"; `palimpsest threads` lists them");
    return failure(
        Error::Code::Invalid, where, "--thread \"" + m_thread + "\" fits several threads: " + some(matching));
}

Result<const ThreadNamespace *> SourceArgument::findNamespace(const Thread &thread) const
{
    if (const ThreadNamespace *space = thread.find(m_ns))
        return space;
    std::vector<std::string> names;
    for (const ThreadNamespace &space : thread.namespaces)
        names.push_back(space.name);
    return failure(Error::Code::NotFound, publicLocation(m_location),
        "thread \"" + thread.id + "\" has no namespace \"" + m_ns + "\"; it has " + some(names));
}

Result<OpenedThread> openThread(const SourceArgument &argument, Console &console, LoadOptions options)
{
    OpenedThread opened;
    const JobContext job = console.job();
    Result<std::unique_ptr<CheckpointSource>> source = argument.open(job);
    if (!source)
        return tl::unexpected(source.error());
    opened.source = std::move(*source);
    const Result<std::string> id = argument.threadId(*opened.source, job);
    if (!id)
        return tl::unexpected(id.error());
    Result<std::vector<ArtifactFolder>> folders = argument.folders(*opened.source, job);
    if (!folders)
        return tl::unexpected(folders.error());
    opened.folders = *std::move(folders);
    argument.fill(options);
    Result<ThreadPtr> thread = loadThread(*opened.source, *id, options, job);
    if (!thread)
        return tl::unexpected(thread.error());
    opened.thread = std::move(*thread);
    const Result<const ThreadNamespace *> space = argument.findNamespace(*opened.thread);
    if (!space)
        return tl::unexpected(space.error());
    opened.space = *space;
    for (const Finding &finding : opened.source->info().findings)
        console.message(finding);
    for (const Finding &finding : opened.thread->findings)
        console.message(finding);
    return opened;
}

Result<CheckpointIndex> findCheckpoint(const ThreadNamespace &space, std::string_view id)
{
    CheckpointIndex found;
    for (std::size_t i = 0; i < space.checkpoints.size(); ++i) {
        if (space.checkpoints[i].id == id)
            return CheckpointIndex(i);
        if (!space.checkpoints[i].id.starts_with(id))
            continue;
        if (found.isValid())
            return failure(Error::Code::Invalid, "--checkpoint",
                "\"" + std::string(id) + "\" fits several checkpoints; give more of the id");
        found = CheckpointIndex(i);
    }
    if (!found.isValid())
        return failure(Error::Code::NotFound, "--checkpoint",
            "no checkpoint of namespace \"" + space.name + "\" begins with \"" + std::string(id) + "\"");
    return found;
}

} // namespace palimpsest
