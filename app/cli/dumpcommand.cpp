// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/dumpcommand.h"

#include "app/cli/jsonoutput.h"
#include "app/cli/jsonparts.h"
#include "core/insight/lint/lint.h"
#include "core/thread/projection.h"
#include "core/thread/threadreader.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace palimpsest {
namespace {

void writeFiles(JsonOutput &json, const FileMap &files)
{
    // In path order: the map's own order means nothing.
    std::vector<std::pair<std::string, FileEntryPtr>> sorted(files.begin(), files.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    json.key("files").beginObject();
    for (const auto &[path, entry] : sorted)
        json.key(path)
            .beginObject()
            .key("content")
            .value(entry->content)
            .key("encoding")
            .text(entry->encoding)
            .endObject();
    json.endObject();
}

void writeCheckpoint(
    JsonOutput &json, MessagePool &pool, const Checkpoint &checkpoint, const std::vector<Finding> &findings)
{
    json.key("checkpoint_id").text(checkpoint.id).key("parent_checkpoint_id").optionalText(checkpoint.parentId);
    json.key("step").number(static_cast<std::int64_t>(checkpoint.step)).key("source").textOrNull(checkpoint.source);
    json.key("created_at").textOrNull(checkpoint.createdAt).key("incomplete").boolean(checkpoint.incomplete);
    json.key("messages");
    pool.writeKeys(json, checkpoint.messages);
    json.key("effective");
    pool.writeKeys(json, effectiveMessages(checkpoint.messages, checkpoint.event.get()));
    json.key("event");
    writeEvent(json, pool, checkpoint.event.get());
    json.key("session_id").optionalText(checkpoint.sessionId);
    writeFiles(json, checkpoint.files);
    json.key("findings");
    writeFindings(json, findings);
}

Result<void> writeChannels(JsonOutput &json, const OpenedThread &opened, CheckpointIndex at)
{
    const Result<std::vector<ChannelState>> channels =
        readChannels(*opened.source, *opened.thread, opened.space->name, at);
    if (!channels)
        return tl::unexpected(channels.error());
    json.key("channels").beginObject();
    for (const ChannelState &channel : *channels)
        if (channel.undecodable.empty())
            json.key(channel.name).value(channel.value);
    json.endObject().key("undecodable").beginObject();
    for (const ChannelState &channel : *channels)
        if (!channel.undecodable.empty())
            json.key(channel.name).text(channel.undecodable);
    json.endObject();
    return {};
}

} // namespace

void DumpCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    m_source.declareFiles(app);
    app.add_option(
           "--checkpoint", m_checkpoints, "Only this checkpoint: id or a unique beginning of it; may be repeated")
        ->expected(1)
        ->take_all();
    app.add_flag("--channels", m_channels, "Also every channel of each checkpoint");
    app.add_flag("--json", m_json, "The only form there is");
}

Result<int> DumpCommand::run(Console &console)
{
    LoadOptions options;
    options.readSnapshots = true; // all of it is written out anyway
    const Result<OpenedThread> opened = openThread(m_source, console, options);
    if (!opened)
        return tl::unexpected(opened.error());
    const ThreadNamespace &space = *opened->space;
    std::vector<CheckpointIndex> wanted;
    for (const std::string &id : m_checkpoints) {
        const Result<CheckpointIndex> found = findCheckpoint(space, id);
        if (!found)
            return tl::unexpected(found.error());
        wanted.push_back(*found);
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());

    LintOptions known = lintOptionsFor(opened->source->info());
    known.folders = opened->folders;
    const Result<std::vector<Finding>> found = lint(*opened->thread, known, console.job());
    if (!found)
        return tl::unexpected(found.error());
    const std::vector<std::vector<Finding>> findings = findingsByCheckpoint(*found, space);

    JsonOutput json(console.out());
    MessagePool pool;
    json.beginObject().key("format").text("palimpsest.dump/1").key("source");
    writeSource(json, opened->source->info());
    json.key("thread_id").text(opened->thread->id).key("checkpoint_ns").text(space.name).key("namespaces").beginArray();
    for (const ThreadNamespace &one : opened->thread->namespaces)
        json.text(one.name);
    json.endArray().key("findings");
    writeFindings(json, opened->thread->findings);
    json.key("checkpoints").beginArray();
    const JobContext job = console.job();
    const std::size_t count = m_checkpoints.empty() ? space.checkpoints.size() : wanted.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (job.stopped() || !console.out().good())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (i % std::max<std::size_t>(1, count / 50) == 0)
            job.report(static_cast<double>(i) / static_cast<double>(count), "Writing checkpoints");
        const CheckpointIndex at = m_checkpoints.empty() ? CheckpointIndex(i) : wanted[i];
        json.newline().beginObject();
        writeCheckpoint(json, pool, space.checkpoints[at.at()], findings[at.at()]);
        if (m_channels)
            if (const Result<void> written = writeChannels(json, *opened, at); !written)
                json.key("channels")
                    .beginObject()
                    .endObject()
                    .key("undecodable")
                    .beginObject()
                    .key("*")
                    .text(written.error().what)
                    .endObject();
        json.endObject();
    }
    json.endArray().newline();
    // Bodies come last: they are known only when every checkpoint has been seen, and none is held twice.
    pool.writeBodies(json);
    json.endObject().newline();
    return 0;
}

} // namespace palimpsest
