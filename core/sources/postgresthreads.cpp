// SPDX-License-Identifier: GPL-3.0-or-later
// The thread list of PostgresSource: pages in the order of the primary key, so that the first one is there at once.
#include "core/serde/json.h"
#include "core/sources/postgressource.h"
#include "core/sources/uuidtime.h"

#include <algorithm>

namespace palimpsest {
namespace {

constexpr std::size_t firstPage = 64;
constexpr std::size_t largestPage = 1024;
/// Inputs and interrupts up to this size are read for a thread's title and state.
constexpr const char *smallText = "65536";

std::vector<std::string> idsOf(const std::vector<ThreadRow> &rows)
{
    std::vector<std::string> ids;
    ids.reserve(rows.size());
    for (const ThreadRow &row : rows)
        ids.push_back(row.id);
    return ids;
}

} // namespace

/// Threads of one page while their rows come in.
struct PostgresSource::Page {
    ThreadPage page;
    std::vector<std::string> spaces; ///< the namespace that stands for a thread: the root, else its first one
    std::vector<std::string> firsts; ///< that namespace's oldest and newest checkpoint
    std::vector<std::string> heads;

    void take(const PostgresRows &rows, int at)
    {
        std::string id = rows.text(at, 0);
        std::string ns = rows.text(at, 1);
        std::string first = rows.text(at, 3);
        std::string last = rows.text(at, 4);
        const bool fresh = page.rows.empty() || page.rows.back().id != id;
        if (fresh) {
            page.rows.emplace_back().id = std::move(id);
            page.rows.back().events = 0;
        }
        ThreadRow &row = page.rows.back();
        row.namespaces.push_back({ns, rows.number(at, 2), 0});
        row.checkpoints += rows.number(at, 2);
        const std::string begun = isoTimeOfId(first);
        if (!begun.empty() && (row.first.empty() || begun < row.first))
            row.first = begun;
        row.last = std::max(row.last, isoTimeOfId(last));
        if (fresh) {
            spaces.push_back(std::move(ns));
            firsts.push_back(std::move(first));
            heads.push_back(std::move(last));
        }
    }
    [[nodiscard]] PostgresConnection::Parameters keys(const std::vector<std::string> &checkpoints) const
    {
        return {postgresArray(idsOf(page.rows)), postgresArray(spaces), postgresArray(checkpoints)};
    }
};

Result<void> PostgresSource::scanThreads(bool full, const VisitThreads &visit, const JobContext &job)
{
    Page page;
    std::size_t most = firstPage;
    bool stopped = false;
    Result<void> inner;
    const auto flush = [&] {
        if (page.page.rows.empty())
            return true;
        inner = completePage(page, full, job);
        stopped = !inner || !visit(std::move(page.page));
        page = Page();
        most = std::min(most * 2, largestPage);
        return !stopped;
    };
    const auto take = [&](const PostgresRows &rows, int row) {
        const bool next = page.page.rows.empty() || page.page.rows.back().id != rows.bytes(row, 0);
        if (next && page.page.rows.size() >= most && !flush())
            return false;
        page.take(rows, row);
        return true;
    };
    const std::string id = checkpointId();
    const std::string sql = "SELECT thread_id::text, checkpoint_ns::text, count(*), min(" + id + "), max(" + id
        + ") FROM " + m_checkpoints.name + " GROUP BY thread_id, checkpoint_ns ORDER BY thread_id, checkpoint_ns";
    if (Result<void> done = m_connection->stream(sql, {}, take, job); !done)
        return done;
    if (!stopped)
        flush();
    return inner;
}

Result<std::vector<ThreadRow>> PostgresSource::threads(bool full, const JobContext &job)
{
    std::vector<ThreadRow> all;
    const auto gather = [&](ThreadPage &&page) {
        std::move(page.rows.begin(), page.rows.end(), std::back_inserter(all));
        return true;
    };
    if (Result<void> done = scanThreads(full, gather, job); !done)
        return tl::unexpected(done.error());
    std::sort(all.begin(), all.end(), [](const ThreadRow &a, const ThreadRow &b) { return a.last > b.last; });
    return all;
}

/// Adds what takes a few index look-ups a thread, and with `full` what takes all of its rows.
Result<void> PostgresSource::completePage(Page &page, bool full, const JobContext &job)
{
    page.page.hints.resize(page.page.rows.size());
    if (Result<void> done = readHeads(page, job); !done)
        return done;
    if (Result<void> done = readInputs(page, job); !done)
        return done;
    if (Result<void> done = countEvents(page, job); !done)
        return done;
    return full ? sumBytes(page, job) : Result<void>();
}

Result<void> PostgresSource::readHeads(Page &page, const JobContext &job)
{
    static const std::string keys = " FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS "
                                    "k(thread, space, checkpoint, place) JOIN ";
    std::string id = checkpointId();
    id.insert(id.front() == '(' ? 1 : 0, "c.");
    const Result<PostgresRows> metadata =
        m_connection->query("SELECT k.place, c.metadata::text" + keys + m_checkpoints.name
                + " c ON c.thread_id = k.thread AND c.checkpoint_ns = k.space AND " + id + " = k.checkpoint",
            page.keys(page.heads), job);
    if (!metadata)
        return tl::unexpected(metadata.error());
    for (int i = 0; i < metadata->count(); ++i)
        if (Result<Value> value = parseJson(metadata->bytes(i, 1)); value && value->isMap())
            page.page.rows[static_cast<std::size_t>(metadata->number(i, 0)) - 1].metadata = *std::move(value);
    if (m_writes.name.empty())
        return {};
    const Result<PostgresRows> writes = m_connection->query("SELECT k.place, w.task_id::text, w.channel::text, "
            + (m_writes.has("type") ? std::string("w.type::text") : std::string("''"))
            + ", CASE WHEN octet_length(w.blob) <= " + smallText + " THEN w.blob END" + keys + m_writes.name
            + " w ON w.thread_id = k.thread AND w.checkpoint_ns = k.space AND w.checkpoint_id = k.checkpoint "
              "WHERE w.channel IN ('__interrupt__', '__error__') ORDER BY k.place, w.task_id, w.idx",
        page.keys(page.heads), job);
    if (!writes)
        return tl::unexpected(writes.error());
    for (int i = 0; i < writes->count(); ++i) {
        WriteRow row;
        row.taskId = writes->text(i, 1);
        row.channel = writes->text(i, 2);
        row.value = {writes->text(i, 3), std::string(writes->bytes(i, 4))};
        page.page.hints[static_cast<std::size_t>(writes->number(i, 0)) - 1].waiting.push_back(std::move(row));
    }
    return {};
}

/// The input of each thread's first run: where its title is.
Result<void> PostgresSource::readInputs(Page &page, const JobContext &job)
{
    if (m_blobs.name.empty() || !m_checkpoints.has("checkpoint_id") || !m_blobs.has("version"))
        return {};
    const Result<PostgresRows> rows = m_connection->query(
        "SELECT k.place, b.type::text, b.blob FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS "
        "k(thread, space, checkpoint, place) JOIN "
            + m_checkpoints.name + " c ON c.thread_id = k.thread AND c.checkpoint_ns = k.space AND "
            + "c.checkpoint_id = k.checkpoint JOIN " + m_blobs.name
            + " b ON b.thread_id = k.thread AND b.checkpoint_ns = k.space AND b.channel = '__start__' "
              "AND b.version = c.checkpoint -> 'channel_versions' ->> '__start__' WHERE octet_length(b.blob) <= "
            + smallText,
        page.keys(page.firsts), job);
    if (!rows)
        return tl::unexpected(rows.error());
    for (int i = 0; i < rows->count(); ++i)
        page.page.hints[static_cast<std::size_t>(rows->number(i, 0)) - 1].input = {
            rows->text(i, 1), std::string(rows->bytes(i, 2))};
    return {};
}

/// Every event is a version of its channel; the blob itself is not looked at.
Result<void> PostgresSource::countEvents(Page &page, const JobContext &job)
{
    if (m_blobs.name.empty())
        return {};
    std::vector<std::string> ids;
    std::vector<std::string> spaces;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t i = 0; i < page.page.rows.size(); ++i) {
        for (std::size_t k = 0; k < page.page.rows[i].namespaces.size(); ++k) {
            ids.push_back(page.page.rows[i].id);
            spaces.push_back(page.page.rows[i].namespaces[k].name);
            places.emplace_back(i, k);
        }
    }
    const Result<PostgresRows> rows = m_connection->query(
        "SELECT k.place, count(*) FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(thread, space, place) JOIN "
            + m_blobs.name
            + " b ON b.thread_id = k.thread AND b.checkpoint_ns = k.space AND b.channel IN ('_summarization_event', "
              "'_summarizationEvent') WHERE b.type <> 'empty' GROUP BY 1",
        {postgresArray(ids), postgresArray(spaces)}, job);
    if (!rows)
        return tl::unexpected(rows.error());
    for (int i = 0; i < rows->count(); ++i) {
        const auto [row, space] = places[static_cast<std::size_t>(rows->number(i, 0)) - 1];
        page.page.rows[row].namespaces[space].events = rows->number(i, 1);
        *page.page.rows[row].events += rows->number(i, 1);
    }
    return {};
}

Result<void> PostgresSource::sumBytes(Page &page, const JobContext &job)
{
    std::map<std::string, std::int64_t> sums;
    const auto add = [&](const std::string &sizes, const Table &table) -> Result<void> {
        if (table.name.empty())
            return {};
        const Result<PostgresRows> rows = m_connection->query("SELECT thread_id::text, coalesce(sum(" + sizes
                + "), 0)::bigint FROM " + table.name + " WHERE thread_id = ANY($1::text[]) GROUP BY 1",
            {postgresArray(idsOf(page.page.rows))}, job);
        if (!rows)
            return tl::unexpected(rows.error());
        for (int i = 0; i < rows->count(); ++i)
            sums[rows->text(i, 0)] += rows->number(i, 1);
        return {};
    };
    for (const Result<void> &done :
        {add("octet_length(checkpoint::text) + octet_length(metadata::text)", m_checkpoints),
            add("octet_length(blob)", m_blobs), add("octet_length(blob)", m_writes)})
        if (!done)
            return done;
    for (ThreadRow &row : page.page.rows)
        row.bytes = sums[row.id];
    return {};
}

} // namespace palimpsest
