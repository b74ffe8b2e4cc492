// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/snapshotcheck.h"

#include "core/thread/blobview.h"
#include "core/thread/bodypool.h"
#include "core/thread/reducers.h"

#include <algorithm>
#include <limits>

namespace palimpsest {
namespace {

bool holdsFiles(const StoredChannel &channel, const FileMap &files)
{
    const Result<Value> value = channel.decode();
    const Result<FilesWrite> stored = value ? filesWrite(*value) : tl::unexpected(value.error());
    // What cannot be read is a finding already.
    return !stored
        || (stored->files.size() == files.size() && std::ranges::all_of(stored->files, [&](const auto &entry) {
               const FileEntryPtr *there = files.find(entry.first);
               return there && entry.second && (*there == entry.second || **there == *entry.second);
           }));
}

bool agrees(BodyPool &pool, const StoredChannel &channel, const std::string &log, const Checkpoint &checkpoint)
{
    if (!channel.snapshot || !channel.readable() || unknownForm(channel))
        return true;
    if (channel.name == log)
        return pool.holds(channel, checkpoint.messages);
    return channel.name != "files" || holdsFiles(channel, checkpoint.files);
}

Result<bool> spaceAgrees(
    CheckpointSource &source, const Thread &thread, const ThreadNamespace &space, const JobContext &job)
{
    BodyPool pool(thread.language);
    bool agreed = true;
    std::size_t place = 0;
    const auto visit = [&](CheckpointRow &&row) {
        // Both in the order of their ids; a row that came since has no checkpoint.
        const std::vector<Checkpoint> &all = space.checkpoints;
        while (place < all.size() && all[place].id < row.id)
            ++place;
        if (place == all.size() || all[place].id != row.id || !row.blob)
            return true;
        const Result<BlobView> view = viewBlob(row.type, *row.blob);
        agreed = !view || std::ranges::all_of(view->channels, [&](const StoredChannel &channel) {
            return agrees(pool, channel, space.messagesChannel, all[place]);
        });
        return agreed;
    };
    CheckpointScan scan;
    scan.metadata = false;
    scan.blobsUpTo = std::numeric_limits<std::int64_t>::max();
    const Result<void> done = source.scanCheckpoints(thread.id, space.name, scan, visit, job);
    return done ? Result<bool>(agreed) : tl::unexpected(done.error());
}

} // namespace

Result<bool> snapshotsAgree(CheckpointSource &source, const Thread &thread, const JobContext &job)
{
    if (const Result<void> begun = source.beginRead(); !begun)
        return tl::unexpected(begun.error());
    Result<bool> agreed = true;
    for (const ThreadNamespace &space : thread.namespaces) {
        agreed = spaceAgrees(source, thread, space, job);
        if (!agreed || !*agreed)
            break;
    }
    if (source.endRead())
        return failure(Error::Code::Io, source.info().location, "another process wrote while the snapshots were read");
    return agreed;
}

} // namespace palimpsest
