// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/rowsource.h"

#include "core/sources/uuidtime.h"

#include <algorithm>
#include <tuple>

namespace palimpsest {
namespace {

bool listed(const std::vector<std::string> &names, const std::string &name)
{
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::int64_t HeldRow::blobSize() const
{
    return static_cast<std::int64_t>(head.size() + values.size() + tail.size());
}

std::string HeldRow::blob() const
{
    std::string whole;
    whole.reserve(head.size() + values.size() + tail.size());
    whole += head;
    whole += values;
    whole += tail;
    return whole;
}

void RowSource::hold(HeldThreads threads)
{
    m_threads = std::move(threads);
    for (auto &[id, spaces] : m_threads) {
        for (auto &[ns, space] : spaces) {
            std::stable_sort(
                space.rows.begin(), space.rows.end(), [](const HeldRow &a, const HeldRow &b) { return a.id < b.id; });
            space.rows.erase(std::unique(space.rows.begin(), space.rows.end(),
                                 [](const HeldRow &a, const HeldRow &b) { return a.id == b.id; }),
                space.rows.end());
            std::stable_sort(space.writes.begin(), space.writes.end(), [](const WriteRow &a, const WriteRow &b) {
                return std::tie(a.checkpointId, a.taskPath, a.taskId, a.idx)
                    < std::tie(b.checkpointId, b.taskPath, b.taskId, b.idx);
            });
        }
    }
}

const HeldSpace *RowSource::find(const std::string &threadId, const std::string &ns) const
{
    const auto thread = m_threads.find(threadId);
    if (thread == m_threads.end())
        return nullptr;
    const auto space = thread->second.find(ns);
    return space == thread->second.end() ? nullptr : &space->second;
}

const HeldRow *RowSource::find(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId) const
{
    const HeldSpace *space = find(threadId, ns);
    if (!space)
        return nullptr;
    const auto row = std::lower_bound(space->rows.begin(), space->rows.end(), checkpointId,
        [](const HeldRow &held, const std::string &id) { return held.id < id; });
    return row == space->rows.end() || row->id != checkpointId ? nullptr : &*row;
}

Result<std::vector<ThreadRow>> RowSource::threads(bool, const JobContext &)
{
    std::vector<ThreadRow> rows;
    for (const auto &[id, spaces] : m_threads) {
        ThreadRow &row = rows.emplace_back();
        row.id = id;
        row.bytes = 0;
        for (const auto &[ns, space] : spaces) {
            ThreadRow::Space &made = row.namespaces.emplace_back();
            made.name = ns;
            made.checkpoints = static_cast<std::int64_t>(space.rows.size());
            row.checkpoints += made.checkpoints;
            for (const HeldRow &held : space.rows) {
                *row.bytes += held.blobSize() + static_cast<std::int64_t>(held.metadata.size());
                const std::string at = held.createdAt.empty() ? isoTimeOfId(held.id) : held.createdAt;
                if (!at.empty() && (row.first.empty() || at < row.first))
                    row.first = at;
                row.last = std::max(row.last, at);
            }
            std::int64_t events = 0;
            for (const WriteRow &write : space.writes) {
                *row.bytes += write.valueSize;
                events += write.channel == "_summarization_event" || write.channel == "_summarizationEvent";
            }
            if (space.writes.empty())
                continue;
            made.events = events;
            row.events = row.events.value_or(0) + events;
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const ThreadRow &a, const ThreadRow &b) { return a.last > b.last; });
    return rows;
}

Result<std::vector<std::string>> RowSource::namespaces(const std::string &threadId)
{
    std::vector<std::string> names;
    if (const auto thread = m_threads.find(threadId); thread != m_threads.end())
        for (const auto &[ns, space] : thread->second)
            names.push_back(ns);
    return names;
}

Result<void> RowSource::scanCheckpoints(const std::string &threadId, const std::string &ns, const CheckpointScan &scan,
    const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job)
{
    const HeldSpace *space = find(threadId, ns);
    const std::size_t count = space ? space->rows.size() : 0;
    std::int64_t given = 0;
    for (std::size_t i = 0; i < count && (scan.limit < 0 || given < scan.limit); ++i) {
        if (job.stopped())
            return failure(Error::Code::Cancelled, {}, "stopped");
        const HeldRow &held = space->rows[scan.newestFirst ? count - 1 - i : i];
        if (scan.after && held.id <= *scan.after)
            continue;
        ++given;
        CheckpointRow row;
        row.id = held.id;
        row.parentId = held.parentId;
        row.type = held.type;
        row.blobSize = held.blobSize();
        row.damage = held.damage;
        if (scan.metadata && (scan.metadataBelow < 0 || row.blobSize <= scan.metadataBelow))
            row.metadata = held.metadata;
        if (row.blobSize <= scan.blobsUpTo)
            row.blob = held.blob();
        if (!visit(std::move(row)))
            break;
    }
    return {};
}

Result<TypedBytes> RowSource::checkpointBlob(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    const HeldRow *row = find(threadId, ns, checkpointId);
    if (!row)
        return failure(Error::Code::NotFound, m_info.location, "there is no checkpoint " + checkpointId);
    return TypedBytes{row->type, row->blob()};
}

Result<std::string> RowSource::metadata(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    const HeldRow *row = find(threadId, ns, checkpointId);
    if (!row)
        return failure(Error::Code::NotFound, m_info.location, "there is no checkpoint " + checkpointId);
    return row->metadata;
}

Result<void> RowSource::scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
    const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
{
    const HeldSpace *space = find(threadId, ns);
    if (!space)
        return {};
    std::size_t done = 0;
    for (const WriteRow &held : space->writes) {
        if (done++ % 256 == 0 && job.stopped())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (!listed(scan.channels, held.channel) || (scan.checkpointId && held.checkpointId != *scan.checkpointId)
            || (scan.from && held.checkpointId < *scan.from))
            continue;
        WriteRow row = held;
        row.hasValue = !scan.noValues && listed(scan.values, row.channel);
        if (!row.hasValue)
            row.value.bytes.clear();
        if (!visit(std::move(row)))
            break;
    }
    return {};
}

} // namespace palimpsest
