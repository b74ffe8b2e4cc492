// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sqlitesource.h"

#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/sources/sqlidentifier.h"
#include "core/sources/uuidtime.h"

#include <sqlite3.h>

#include <algorithm>

namespace palimpsest {
namespace {

/// Lets a statement end early when the job is stopped.
class StopGuard {
public:
    StopGuard(sqlite3 *db, const JobContext &job)
        : m_db(db)
    {
        sqlite3_progress_handler(
            db, 20000, [](void *context) { return static_cast<const JobContext *>(context)->stopped() ? 1 : 0; },
            const_cast<JobContext *>(&job));
    }
    ~StopGuard() { sqlite3_progress_handler(m_db, 0, nullptr, nullptr); }
    StopGuard(const StopGuard &) = delete;
    StopGuard &operator=(const StopGuard &) = delete;

private:
    sqlite3 *m_db;
};

std::string marks(std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += i ? ",?" : "?";
    return out;
}

Error cancelled()
{
    return Error{Error::Code::Cancelled, {}, "stopped"};
}

bool before(const WriteRow &a, const WriteRow &b)
{
    return std::tie(a.taskPath, a.taskId, a.idx) < std::tie(b.taskPath, b.taskId, b.idx);
}

/// Gathers the rows of one checkpoint, for they come in the order of the primary key, and gives them in
/// `writes_sort_key` order (langgraph/checkpoint/base, 4.3.2): task path, task id, idx.
class WriteSorter {
public:
    explicit WriteSorter(const std::function<bool(WriteRow &&)> &visit)
        : m_visit(visit)
    {
    }
    bool add(WriteRow &&row)
    {
        if (!m_rows.empty() && m_rows.front().checkpointId != row.checkpointId && !flush())
            return false;
        m_rows.push_back(std::move(row));
        return true;
    }
    bool flush()
    {
        std::stable_sort(m_rows.begin(), m_rows.end(), before);
        for (WriteRow &row : m_rows)
            if (++m_given; !m_visit(std::move(row)))
                return false;
        m_rows.clear();
        return true;
    }
    [[nodiscard]] std::int64_t given() const { return m_given; }

private:
    const std::function<bool(WriteRow &&)> &m_visit;
    std::vector<WriteRow> m_rows;
    std::int64_t m_given = 0;
};

} // namespace

std::string SqliteSource::Table::column(const std::string &column, const std::string &otherwise) const
{
    const auto found = columns.find(column);
    return found == columns.end() ? otherwise : sqlIdentifier(found->second);
}

Result<std::unique_ptr<SqliteSource>> SqliteSource::open(const std::string &path)
{
    Result<std::unique_ptr<SqliteFile>> file = SqliteFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    std::unique_ptr<SqliteSource> source(new SqliteSource);
    source->m_file = std::move(*file);
    source->m_location = path;
    if (Result<void> done = source->readSchema(); !done)
        return tl::unexpected(done.error());
    return source;
}

Result<std::map<std::string, std::map<std::string, Value>>> SqliteSource::storeOf(const std::string &path)
{
    Result<std::unique_ptr<SqliteFile>> file = SqliteFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    SqliteSource source;
    source.m_file = std::move(*file);
    source.m_location = path;
    source.m_store = source.readTable("store", {});
    return source.store();
}

SqliteSource::Table SqliteSource::readTable(
    const std::string &name, const std::unordered_map<std::string, std::vector<std::string>> &aliases)
{
    Table table;
    SqliteStatement columns = m_file->prepare("SELECT name FROM pragma_table_info(?)");
    columns.bind(1, name);
    std::vector<std::string> names;
    while (columns.step())
        names.push_back(columns.string(0));
    if (names.empty())
        return table;
    table.name = name;
    for (const std::string &column : names)
        table.columns.emplace(column, column);
    for (const auto &[wanted, others] : aliases) {
        for (const std::string &other : others)
            if (!table.columns.contains(wanted) && table.columns.contains(other))
                table.columns.emplace(wanted, other);
    }
    SqliteStatement rowid = m_file->prepare("SELECT rowid FROM " + sqlIdentifier(name) + " LIMIT 1");
    rowid.step();
    table.rowid = !rowid.failed() || rowid.code() != SQLITE_ERROR;
    return table;
}

Result<void> SqliteSource::readSchema()
{
    m_findings.clear();
    // Savers before 1.0 called the id of a checkpoint thread_ts.
    m_checkpoints =
        readTable("checkpoints", {{"checkpoint_id", {"thread_ts"}}, {"parent_checkpoint_id", {"parent_ts"}}});
    m_writes = readTable("writes", {{"checkpoint_id", {"thread_ts"}}});
    m_store = readTable("store", {});
    const std::vector<std::string> needed = {"thread_id", "checkpoint_id", "checkpoint"};
    const bool usable = !m_checkpoints.name.empty()
        && std::all_of(needed.begin(), needed.end(), [this](const std::string &c) { return m_checkpoints.has(c); });
    if (!usable) {
        std::string tables;
        SqliteStatement list =
            m_file->prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1 LIMIT 20");
        while (list.step())
            tables += (tables.empty() ? "" : ", ") + text::repaired(list.text(0));
        return failure(Error::Code::Unsupported, m_file->path(),
            "an SQLite database without LangGraph's table checkpoints (thread_id, checkpoint_ns, checkpoint_id, "
            "checkpoint); it has "
                + (tables.empty() ? std::string("no tables") : "the tables " + tables));
    }
    const auto finding = [this](const char *rule, Finding::Severity severity, std::string message) {
        Finding made;
        made.rule = rule;
        made.severity = severity;
        made.message = std::move(message);
        m_findings.push_back(std::move(made));
    };
    if (m_file->damaged())
        finding("damaged-file", Finding::Severity::Error,
            "The database file is shorter than its header says or its first page is damaged; rows may be missing.");
    const std::vector<std::string> writeColumns = {"thread_id", "checkpoint_id", "task_id", "idx", "channel", "value"};
    if (!m_writes.name.empty() && !std::all_of(writeColumns.begin(), writeColumns.end(), [this](const std::string &c) {
            return m_writes.has(c);
        }))
        m_writes = Table();
    if (m_writes.name.empty())
        finding("no-writes-table", Finding::Severity::Warning,
            "The database has no usable table writes: model calls and pending writes cannot be told.");
    m_language = "python";
    SqliteStatement type = m_file->prepare("SELECT " + m_checkpoints.column("type", "''") + ", substr("
        + m_checkpoints.column("checkpoint", "''") + ", 1, 400) FROM checkpoints ORDER BY rowid DESC LIMIT 1");
    // JSON.stringify puts no space behind a colon, Python's json.dumps does; current Python savers write no JSON at
    // all.
    if (m_checkpoints.rowid && type.step() && type.text(0) == "json") {
        const std::string_view text = type.text(1);
        const std::size_t colon = text.find("\":");
        if (text.starts_with('{') && colon != std::string_view::npos && text.substr(colon + 2, 1) != " ")
            m_language = "js";
    }
    return {};
}

Error SqliteSource::errorOf(const SqliteStatement &statement, const std::string &where) const
{
    switch (statement.code()) {
    case SQLITE_INTERRUPT:
        return cancelled();
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return {Error::Code::Malformed, m_file->path() + ": " + where, "the database is damaged: " + statement.error()};
    case SQLITE_TOOBIG:
        return {Error::Code::Limit, m_file->path() + ": " + where, "a value is too large: " + statement.error()};
    default:
        return {Error::Code::Unreadable, m_file->path() + ": " + where, "SQLite: " + statement.error()};
    }
}

void SqliteSource::describe(std::string what, std::vector<SourceFolder> folders)
{
    m_what = std::move(what);
    m_folders = std::move(folders);
}

SourceInfo SqliteSource::info() const
{
    SourceInfo info;
    info.kind = "sqlite";
    info.what = !m_what.empty() ? m_what
        : m_language == "js"    ? "a database of LangGraph JS checkpoints"
                                : "a database of LangGraph checkpoints";
    info.folders = m_folders;
    info.location = m_location;
    info.language = m_language;
    info.journal = m_file->mode();
    info.hasTaskPath = m_writes.has("task_path");
    info.hasStore = !m_store.name.empty();
    info.findings = m_findings;
    return info;
}

Result<std::vector<ThreadRow>> SqliteSource::threads(bool, const JobContext &job)
{
    const StopGuard guard(m_file->handle(), job);
    std::vector<ThreadRow> rows;
    std::unordered_map<std::string, std::size_t> places;
    // octet_length looks at a row's header only: no overflow page of a big blob is read.
    const auto &c = m_checkpoints;
    SqliteStatement counts = m_file->prepare("SELECT " + c.column("thread_id", "''") + ", "
        + c.column("checkpoint_ns", "''") + ", count(*), min(" + c.column("checkpoint_id", "''") + "), max("
        + c.column("checkpoint_id", "''") + ") FROM checkpoints GROUP BY 1, 2 ORDER BY 1, 2");
    while (counts.step()) {
        std::string id = text::repaired(counts.text(0));
        const auto [place, fresh] = places.emplace(id, rows.size());
        if (fresh) {
            rows.emplace_back();
            rows.back().id = std::move(id);
            rows.back().bytes = 0;
        }
        ThreadRow &row = rows[place->second];
        ThreadRow::Space space;
        space.name = text::repaired(counts.text(1));
        space.checkpoints = counts.number(2);
        row.checkpoints += space.checkpoints;
        row.namespaces.push_back(std::move(space));
        const std::string first = isoTimeOfId(counts.text(3));
        const std::string last = isoTimeOfId(counts.text(4));
        if (!first.empty() && (row.first.empty() || first < row.first))
            row.first = first;
        row.last = std::max(row.last, last);
    }
    if (counts.failed() && counts.code() != SQLITE_CORRUPT)
        return tl::unexpected(errorOf(counts, "checkpoints"));
    bool damaged = counts.failed();
    const auto add = [&](const std::string &sql, const auto &take) {
        SqliteStatement sums = m_file->prepare(sql);
        while (sums.step()) {
            const auto place = places.find(text::repaired(sums.text(0)));
            if (place == places.end())
                continue;
            ThreadRow &row = rows[place->second];
            if (row.bytes)
                *row.bytes += sums.number(2);
            take(row, text::repaired(sums.text(1)), sums);
        }
        if (sums.failed())
            for (ThreadRow &row : rows)
                row.bytes.reset();
        damaged |= sums.failed() && sums.code() == SQLITE_CORRUPT;
    };
    add("SELECT " + c.column("thread_id", "''") + ", '', sum(ifnull(octet_length(" + c.column("checkpoint", "''")
            + "), 0) + ifnull(octet_length(" + c.column("metadata", "''") + "), 0)) FROM checkpoints GROUP BY 1",
        [](ThreadRow &, const std::string &, const SqliteStatement &) { });
    if (job.stopped())
        return tl::unexpected(cancelled());
    if (!m_writes.name.empty()) {
        const std::string channel = m_writes.column("channel", "''");
        add("SELECT " + m_writes.column("thread_id", "''") + ", " + m_writes.column("checkpoint_ns", "''")
                + ", sum(ifnull(octet_length(" + m_writes.column("value", "''") + "), 0)), sum(" + channel
                + " IN ('_summarization_event', '_summarizationEvent')) FROM writes GROUP BY 1, 2",
            [](ThreadRow &row, const std::string &ns, const SqliteStatement &sums) {
                for (ThreadRow::Space &space : row.namespaces)
                    if (space.name == ns)
                        space.events = sums.number(3);
                row.events = row.events.value_or(0) + sums.number(3);
            });
    }
    if (job.stopped())
        return tl::unexpected(cancelled());
    if (damaged) {
        const bool known = std::any_of(
            m_findings.begin(), m_findings.end(), [](const Finding &f) { return f.rule == "damaged-file"; });
        if (!known) {
            Finding finding;
            finding.rule = "damaged-file";
            finding.severity = Finding::Severity::Error;
            finding.message = "Pages of the database are damaged; threads or rows may be missing.";
            m_findings.push_back(std::move(finding));
        }
    }
    std::sort(rows.begin(), rows.end(), [](const ThreadRow &a, const ThreadRow &b) { return a.last > b.last; });
    return rows;
}

Result<std::vector<std::string>> SqliteSource::threadIds(const JobContext &job)
{
    const StopGuard guard(m_file->handle(), job);
    std::vector<std::string> ids;
    SqliteStatement list =
        m_file->prepare("SELECT DISTINCT " + m_checkpoints.column("thread_id", "''") + " FROM checkpoints ORDER BY 1");
    while (list.step())
        ids.push_back(text::repaired(list.text(0)));
    if (list.failed() && (ids.empty() || list.code() == SQLITE_INTERRUPT))
        return tl::unexpected(errorOf(list, "checkpoints"));
    return ids;
}

Result<std::vector<std::string>> SqliteSource::namespaces(const std::string &threadId)
{
    std::vector<std::string> names;
    const auto gather = [&](const Table &table) -> std::optional<Error> {
        SqliteStatement list = m_file->prepare("SELECT DISTINCT " + table.column("checkpoint_ns", "''") + " FROM "
            + table.name + " WHERE " + table.column("thread_id", "''") + " = ? ORDER BY 1");
        list.bind(1, threadId);
        while (list.step())
            names.push_back(list.string(0));
        return list.failed() ? std::optional(errorOf(list, table.name)) : std::nullopt;
    };
    const std::optional<Error> error = gather(m_checkpoints);
    if (error && names.empty())
        return tl::unexpected(*error);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Result<void> SqliteSource::scanCheckpoints(const std::string &threadId, const std::string &ns,
    const CheckpointScan &scan, const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job)
{
    const StopGuard guard(m_file->handle(), job);
    const Table &c = m_checkpoints;
    const std::string blob = c.column("checkpoint", "NULL");
    const std::string size = "ifnull(octet_length(" + blob + "), 0)";
    std::string metadata = scan.metadata ? c.column("metadata", "NULL") : "NULL";
    if (scan.metadata && scan.metadataBelow >= 0)
        metadata = "CASE WHEN " + size + " <= " + std::to_string(scan.metadataBelow) + " THEN " + metadata + " END";
    const std::string part = scan.blobsUpTo < 0
        ? "NULL"
        : "CASE WHEN " + size + " <= " + std::to_string(scan.blobsUpTo) + " THEN " + blob + " END";
    const std::string id = c.column("checkpoint_id", "''");
    std::string sql = "SELECT " + id + ", " + c.column("parent_checkpoint_id", "NULL") + ", " + c.column("type", "''")
        + ", " + size + ", " + metadata + ", " + part + " FROM checkpoints WHERE " + c.column("thread_id", "''")
        + " = ? AND " + c.column("checkpoint_ns", "''") + " = ?" + (scan.after ? " AND " + id + " > ?" : "")
        + " ORDER BY " + id + (scan.newestFirst ? " DESC" : "");
    if (scan.limit >= 0)
        sql += " LIMIT " + std::to_string(scan.limit);
    SqliteStatement rows = m_file->prepare(sql);
    rows.bind(1, threadId).bind(2, ns);
    if (scan.after)
        rows.bind(3, *scan.after);
    std::int64_t given = 0;
    const auto counted = [&](CheckpointRow &&row) {
        ++given;
        return visit(std::move(row));
    };
    while (rows.step()) {
        if (given % 64 == 0 && job.stopped())
            return tl::unexpected(cancelled());
        CheckpointRow row;
        row.id = rows.string(0);
        if (!rows.isNull(1) && !rows.text(1).empty())
            row.parentId = rows.string(1);
        row.type = rows.string(2);
        row.blobSize = rows.number(3);
        row.metadata = rows.string(4);
        if (scan.blobsUpTo >= row.blobSize)
            row.blob = rows.string(5);
        if (!counted(std::move(row)))
            return {};
    }
    if (!rows.failed())
        return {};
    if (rows.code() == SQLITE_CORRUPT || rows.code() == SQLITE_TOOBIG || rows.code() == SQLITE_IOERR
        || rows.code() == SQLITE_NOMEM) {
        // The rows that the scan has given are skipped: they come again in the same order.
        std::int64_t skip = given;
        return salvageCheckpoints(
            threadId, ns, scan, [&](CheckpointRow &&row) { return skip-- > 0 || visit(std::move(row)); }, job);
    }
    return tl::unexpected(errorOf(rows, "checkpoints"));
}

/// Reads the rows one by one after a scan met a damaged page, so that one bad row hides no other.
Result<void> SqliteSource::salvageCheckpoints(const std::string &threadId, const std::string &ns,
    const CheckpointScan &scan, const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job)
{
    const Table &c = m_checkpoints;
    const std::string where = " FROM checkpoints WHERE " + c.column("thread_id", "''") + " = ? AND "
        + c.column("checkpoint_ns", "''") + " = ?";
    std::vector<std::string> ids;
    SqliteStatement list = m_file->prepare(
        "SELECT " + c.column("checkpoint_id", "''") + where + " ORDER BY 1" + (scan.newestFirst ? " DESC" : ""));
    list.bind(1, threadId).bind(2, ns);
    while (list.step())
        if (!scan.after || list.text(0) > *scan.after)
            ids.push_back(list.string(0));
    const bool listFailed = list.failed();
    const std::string one = where + " AND " + c.column("checkpoint_id", "''") + " = ?";
    const auto fetch = [&](const std::string &column, const std::string &id,
                           std::string &damage) -> std::optional<std::string> {
        SqliteStatement cell = m_file->prepare("SELECT " + column + one);
        cell.bind(1, threadId).bind(2, ns).bind(3, id);
        std::optional<std::string> value;
        if (cell.step() && !cell.isNull(0))
            value = cell.string(0);
        if (cell.failed())
            damage = cell.error();
        return value;
    };
    for (const std::string &id : ids) {
        if (job.stopped())
            return tl::unexpected(cancelled());
        CheckpointRow row;
        row.id = id;
        std::string unread;
        row.parentId = fetch(c.column("parent_checkpoint_id", "NULL"), id, row.damage);
        if (row.parentId && row.parentId->empty())
            row.parentId.reset();
        row.type = fetch(c.column("type", "''"), id, row.damage).value_or("");
        row.blobSize = std::atoll(
            fetch("octet_length(" + c.column("checkpoint", "''") + ")", id, row.damage).value_or("0").c_str());
        if (scan.metadata && (scan.metadataBelow < 0 || row.blobSize <= scan.metadataBelow))
            row.metadata = fetch(c.column("metadata", "NULL"), id, row.damage).value_or("");
        if (row.blobSize <= scan.blobsUpTo)
            row.blob = fetch(c.column("checkpoint", "NULL"), id, row.damage);
        if (!visit(std::move(row)))
            return {};
    }
    if (listFailed)
        return failure(
            Error::Code::Malformed, m_file->path() + ": checkpoints", "the database is damaged: " + list.error());
    return {};
}

Result<TypedBytes> SqliteSource::checkpointBlob(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    const Table &c = m_checkpoints;
    SqliteStatement row = m_file->prepare("SELECT " + c.column("type", "''") + ", " + c.column("checkpoint", "NULL")
        + " FROM checkpoints WHERE " + c.column("thread_id", "''") + " = ? AND " + c.column("checkpoint_ns", "''")
        + " = ? AND " + c.column("checkpoint_id", "''") + " = ?");
    row.bind(1, threadId).bind(2, ns).bind(3, checkpointId);
    if (row.step())
        return TypedBytes{row.string(0), row.string(1)};
    if (row.failed())
        return tl::unexpected(errorOf(row, "checkpoint " + checkpointId));
    return failure(Error::Code::NotFound, m_file->path(), "there is no checkpoint " + checkpointId);
}

Result<std::string> SqliteSource::blobPart(const std::string &threadId, const std::string &ns,
    const std::string &checkpointId, std::int64_t offset, std::int64_t length)
{
    if (!m_checkpoints.rowid)
        return CheckpointSource::blobPart(threadId, ns, checkpointId, offset, length);
    const Table &c = m_checkpoints;
    SqliteStatement row = m_file->prepare("SELECT rowid FROM checkpoints WHERE " + c.column("thread_id", "''")
        + " = ? AND " + c.column("checkpoint_ns", "''") + " = ? AND " + c.column("checkpoint_id", "''") + " = ?");
    row.bind(1, threadId).bind(2, ns).bind(3, checkpointId);
    if (!row.step())
        return row.failed() ? Result<std::string>(tl::unexpected(errorOf(row, "checkpoint " + checkpointId)))
                            : failure(Error::Code::NotFound, m_file->path(), "there is no checkpoint " + checkpointId);
    // Incremental reading touches the pages of this part only; substr() would load the whole blob first.
    sqlite3_blob *blob = nullptr;
    const int opened = sqlite3_blob_open(
        m_file->handle(), "main", "checkpoints", c.columns.at("checkpoint").c_str(), row.number(0), 0, &blob);
    if (opened != SQLITE_OK) {
        sqlite3_blob_close(blob);
        return CheckpointSource::blobPart(threadId, ns, checkpointId, offset, length);
    }
    const std::int64_t size = sqlite3_blob_bytes(blob);
    std::string part;
    int code = SQLITE_OK;
    if (offset >= 0 && offset < size && length > 0) {
        part.resize(static_cast<std::size_t>(std::min(length, size - offset)));
        code = sqlite3_blob_read(blob, part.data(), static_cast<int>(part.size()), static_cast<int>(offset));
    }
    sqlite3_blob_close(blob);
    if (code != SQLITE_OK)
        return failure(Error::Code::Malformed, m_file->path() + ": checkpoint " + checkpointId,
            std::string("SQLite: ") + sqlite3_errstr(code));
    return part;
}

Result<std::string> SqliteSource::metadata(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    const Table &c = m_checkpoints;
    SqliteStatement row = m_file->prepare("SELECT " + c.column("metadata", "NULL") + " FROM checkpoints WHERE "
        + c.column("thread_id", "''") + " = ? AND " + c.column("checkpoint_ns", "''") + " = ? AND "
        + c.column("checkpoint_id", "''") + " = ?");
    row.bind(1, threadId).bind(2, ns).bind(3, checkpointId);
    if (row.step())
        return row.string(0);
    if (row.failed())
        return tl::unexpected(errorOf(row, "checkpoint " + checkpointId));
    return failure(Error::Code::NotFound, m_file->path(), "there is no checkpoint " + checkpointId);
}

Result<void> SqliteSource::scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
    const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
{
    if (m_writes.name.empty())
        return {};
    const StopGuard guard(m_file->handle(), job);
    const Table &w = m_writes;
    const std::string channel = w.column("channel", "''");
    std::vector<std::string_view> bound;
    std::string value = w.column("value", "NULL");
    const std::string size = "ifnull(octet_length(" + value + "), 0)";
    std::string wanted = "1";
    if (scan.noValues) {
        wanted = "0";
    } else if (!scan.values.empty()) {
        wanted = channel + " IN (" + marks(scan.values.size()) + ")";
        bound.insert(bound.end(), scan.values.begin(), scan.values.end());
    }
    value = scan.noValues ? "NULL" : scan.values.empty() ? value : "CASE WHEN " + wanted + " THEN " + value + " END";
    std::string where = w.column("thread_id", "''") + " = ? AND " + w.column("checkpoint_ns", "''") + " = ?";
    bound.push_back(threadId);
    bound.push_back(ns);
    const std::string id = w.column("checkpoint_id", "''");
    if (scan.checkpointId) {
        where += " AND " + id + " = ?";
        bound.push_back(*scan.checkpointId);
    }
    if (scan.from) {
        where += " AND " + id + " >= ?";
        bound.push_back(*scan.from);
    }
    if (!scan.channels.empty()) {
        const std::string odd = scan.oddTypes
            ? " OR " + w.column("type", "''") + " NOT IN ('msgpack', 'json', 'null', 'bytes', 'bytearray')"
            : "";
        where += " AND (" + channel + " IN (" + marks(scan.channels.size()) + ")" + odd + ")";
        bound.insert(bound.end(), scan.channels.begin(), scan.channels.end());
    }
    SqliteStatement rows = m_file->prepare("SELECT " + id + ", " + w.column("task_id", "''") + ", "
        + w.column("task_path", "''") + ", " + w.column("idx", "0") + ", " + channel + ", " + w.column("type", "''")
        + ", " + size + ", " + value + " FROM writes WHERE " + where + " ORDER BY " + id + ", "
        + w.column("task_id", "''") + ", " + w.column("idx", "0"));
    for (std::size_t i = 0; i < bound.size(); ++i)
        rows.bind(static_cast<int>(i) + 1, bound[i]);
    std::int64_t given = 0;
    WriteSorter sorter(visit);
    while (rows.step()) {
        if (given++ % 256 == 0 && job.stopped())
            return tl::unexpected(cancelled());
        WriteRow row;
        row.checkpointId = rows.string(0);
        row.taskId = rows.string(1);
        row.taskPath = rows.string(2);
        row.idx = rows.number(3);
        row.channel = rows.string(4);
        row.value.type = rows.string(5);
        row.valueSize = rows.number(6);
        row.hasValue = !scan.noValues
            && (scan.values.empty()
                || std::find(scan.values.begin(), scan.values.end(), row.channel) != scan.values.end());
        if (row.hasValue)
            row.value.bytes = rows.string(7);
        if (!sorter.add(std::move(row)))
            return {};
    }
    if (rows.failed()) {
        if (rows.code() == SQLITE_INTERRUPT)
            return tl::unexpected(cancelled());
        return salvageWrites(threadId, ns, scan, sorter.given(), visit, job);
    }
    sorter.flush();
    return {};
}

/// Reads the rows one by one after a scan met a damaged page: the keys lie in the index of the primary key.
Result<void> SqliteSource::salvageWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
    std::int64_t given, const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
{
    const Table &w = m_writes;
    const std::string id = w.column("checkpoint_id", "''");
    const std::string task = w.column("task_id", "''");
    const std::string idx = w.column("idx", "0");
    const std::string where =
        " FROM writes WHERE " + w.column("thread_id", "''") + " = ? AND " + w.column("checkpoint_ns", "''") + " = ?";
    std::vector<WriteRow> keys;
    SqliteStatement list = m_file->prepare(
        "SELECT " + id + ", " + task + ", " + idx + where + " ORDER BY " + id + ", " + task + ", " + idx);
    list.bind(1, threadId).bind(2, ns);
    while (list.step()) {
        WriteRow key;
        key.checkpointId = list.string(0);
        key.taskId = list.string(1);
        key.idx = list.number(2);
        if ((!scan.checkpointId || key.checkpointId == *scan.checkpointId)
            && (!scan.from || key.checkpointId >= *scan.from))
            keys.push_back(std::move(key));
    }
    const auto listed = [](const std::vector<std::string> &names, const std::string &name) {
        return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    };
    // The scan's rows come again in the same order.
    const auto visitNew = [&](WriteRow &&row) { return given-- > 0 || visit(std::move(row)); };
    const std::function<bool(WriteRow &&)> visitor = visitNew;
    WriteSorter sorter(visitor);
    const std::string one = where + " AND " + id + " = ? AND " + task + " = ? AND " + idx + " = ?";
    SqliteStatement head = m_file->prepare("SELECT " + w.column("task_path", "''") + ", " + w.column("channel", "''")
        + ", " + w.column("type", "''") + ", octet_length(" + w.column("value", "NULL") + ")" + one);
    SqliteStatement body = m_file->prepare("SELECT " + w.column("value", "NULL") + one);
    const auto seek = [&](SqliteStatement &statement, const WriteRow &key) {
        statement.reset();
        statement.bind(1, threadId).bind(2, ns).bind(3, key.checkpointId).bind(4, key.taskId).bind(5, key.idx);
        return statement.step();
    };
    for (WriteRow &row : keys) {
        if (job.stopped())
            return tl::unexpected(cancelled());
        if (seek(head, row)) {
            row.taskPath = head.string(0);
            row.channel = head.string(1);
            row.value.type = head.string(2);
            row.valueSize = head.number(3);
            if (!listed(scan.channels, row.channel))
                continue;
            row.hasValue = !scan.noValues && listed(scan.values, row.channel);
            if (row.hasValue && seek(body, row))
                row.value.bytes = body.string(0);
            if (row.hasValue && body.failed())
                row.damage = body.error();
        } else {
            row.hasValue = false;
            row.damage = head.failed() ? head.error() : "the row is in the index only";
        }
        if (!sorter.add(std::move(row)))
            return {};
    }
    sorter.flush();
    if (list.failed())
        return failure(Error::Code::Malformed, m_file->path() + ": writes", "the database is damaged: " + list.error());
    return {};
}

Result<std::map<std::string, std::map<std::string, Value>>> SqliteSource::store()
{
    std::map<std::string, std::map<std::string, Value>> items;
    if (m_store.name.empty() || !m_store.has("prefix") || !m_store.has("key") || !m_store.has("value"))
        return items;
    SqliteStatement rows = m_file->prepare("SELECT prefix, key, value FROM store ORDER BY prefix, key");
    while (rows.step()) {
        Result<Value> value = parseJson(rows.text(2));
        items[text::repaired(rows.text(0))][text::repaired(rows.text(1))] =
            value ? std::move(*value) : Value::bytes(rows.string(2));
    }
    if (rows.failed() && items.empty())
        return tl::unexpected(errorOf(rows, "store"));
    return items;
}

Result<std::string> SqliteSource::changeMark(const std::string &)
{
    // The files' stamps tell most; two commits within one tick of the file system's clock only the counter.
    SqliteStatement version = m_file->prepare("PRAGMA data_version");
    const std::int64_t count = version.step() ? version.number(0) : 0;
    return m_file->stampText() + ' ' + std::to_string(count);
}

Result<void> SqliteSource::beginRead()
{
    if (m_file->stale()) {
        Result<std::unique_ptr<SqliteFile>> again = SqliteFile::open(m_file->path());
        if (!again)
            return tl::unexpected(again.error());
        m_file = std::move(*again);
        if (Result<void> done = readSchema(); !done)
            return done;
    }
    m_file->hold();
    return {};
}

bool SqliteSource::endRead()
{
    m_file->release();
    return m_file->torn();
}

} // namespace palimpsest
