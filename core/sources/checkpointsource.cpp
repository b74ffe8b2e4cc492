// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/checkpointsource.h"

#include <algorithm>

namespace palimpsest {

Result<std::vector<std::string>> CheckpointSource::threadIds(const JobContext &job)
{
    const Result<std::vector<ThreadRow>> rows = threads(false, job);
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<std::string> ids;
    for (const ThreadRow &row : *rows)
        ids.push_back(row.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

Result<void> CheckpointSource::scanThreads(bool full, const VisitThreads &visit, const JobContext &job)
{
    Result<std::vector<ThreadRow>> rows = threads(full, job);
    if (!rows)
        return tl::unexpected(rows.error());
    visit({std::move(*rows), {}});
    return {};
}

Result<std::vector<CheckpointRow>> CheckpointSource::checkpoints(
    const std::string &threadId, const std::string &ns, const JobContext &job)
{
    std::vector<CheckpointRow> rows;
    const auto keep = [&rows](CheckpointRow &&row) {
        rows.push_back(std::move(row));
        return true;
    };
    if (Result<void> done = scanCheckpoints(threadId, ns, {}, keep, job); !done)
        return tl::unexpected(done.error());
    return rows;
}

Result<std::string> CheckpointSource::blobPart(const std::string &threadId, const std::string &ns,
    const std::string &checkpointId, std::int64_t offset, std::int64_t length)
{
    Result<TypedBytes> blob = checkpointBlob(threadId, ns, checkpointId);
    if (!blob)
        return tl::unexpected(blob.error());
    if (offset < 0 || length < 0 || static_cast<std::size_t>(offset) >= blob->bytes.size())
        return std::string();
    return blob->bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

Result<void> CheckpointSource::writes(const std::string &threadId, const std::string &ns,
    const std::vector<std::string> &channels, const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
{
    WriteScan scan;
    scan.channels = channels;
    return scanWrites(threadId, ns, scan, visit, job);
}

Result<std::vector<WriteRow>> CheckpointSource::writesAt(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    std::vector<WriteRow> rows;
    WriteScan scan;
    scan.checkpointId = checkpointId;
    const auto keep = [&rows](WriteRow &&row) {
        rows.push_back(std::move(row));
        return true;
    };
    if (Result<void> done = scanWrites(threadId, ns, scan, keep, {}); !done)
        return tl::unexpected(done.error());
    return rows;
}

Result<std::string> CheckpointSource::changeMark(const std::string &)
{
    return std::string();
}

Result<void> CheckpointSource::scanCheckpoints(const std::string &, const std::string &, const CheckpointScan &,
    const std::function<bool(CheckpointRow &&)> &, const JobContext &)
{
    return failure(Error::Code::Unsupported, info().location, "rows cannot be streamed from this source");
}

Result<void> CheckpointSource::scanWrites(const std::string &, const std::string &, const WriteScan &,
    const std::function<bool(WriteRow &&)> &, const JobContext &)
{
    return failure(Error::Code::Unsupported, info().location, "writes cannot be streamed from this source");
}

Result<std::string> CheckpointSource::metadata(const std::string &, const std::string &, const std::string &)
{
    return failure(Error::Code::Unsupported, info().location, "metadata cannot be read from this source");
}

} // namespace palimpsest
