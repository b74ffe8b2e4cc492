// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/postgressource.h"

#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/sources/sqlidentifier.h"
#include "core/values/json.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// MIGRATIONS of langgraph-checkpoint-postgres 3.2: the newest has this number.
constexpr std::int64_t newestMigration = 9;
/// Of longer values a scan gives the first bytes: enough to tell a snapshot and its length.
constexpr std::int64_t beginning = 64;
constexpr std::size_t checkpointsAtOnce = 256;

std::string versionText(const Value &value)
{
    return value.isText() ? value.asText() : toJson(value);
}

/// Takes `schema=NAME` out of a URI's or a connection string's parameters: libpq does not know it.
std::string takeSchema(std::string &target)
{
    for (std::size_t at = target.find("schema="); at != std::string::npos; at = target.find("schema=", at + 1)) {
        if (at == 0 || std::string_view("?& ").find(target[at - 1]) == std::string_view::npos)
            continue;
        const std::size_t end = std::min(target.find_first_of("& ", at), target.size());
        std::string name = target.substr(at + 7, end - at - 7);
        const bool more = end < target.size() && target[end] == '&';
        target.erase(more ? at : at - 1, more ? end + 1 - at : end + 1 - at);
        return name;
    }
    return {};
}

} // namespace

/// A row of `checkpoints` before its channels are looked up.
struct PostgresSource::RawCheckpoint {
    CheckpointRow row;
    std::int64_t format = 0;
    std::string innerId;
    std::string ts;
    std::vector<std::pair<std::string, std::string>> inlined; ///< channel and its value as JSON
    std::vector<ChannelVersion> versions;
    std::int64_t ownSize = 0;
};

std::string PostgresSource::Table::column(const std::string &column, const std::string &otherwise) const
{
    return has(column) ? column + "::text" : otherwise;
}

Result<std::unique_ptr<PostgresSource>> PostgresSource::open(const std::string &location)
{
    std::string target = location;
    // postgresql+psycopg://, as SQLAlchemy names its drivers.
    if (const std::size_t plus = target.find('+'); plus != std::string::npos && plus < target.find("://"))
        target.erase(plus, target.find("://") - plus);
    const std::string schema = takeSchema(target);
    Result<std::unique_ptr<PostgresConnection>> connection = PostgresConnection::open(target);
    if (!connection)
        return tl::unexpected(connection.error());
    std::unique_ptr<PostgresSource> source(new PostgresSource);
    source->m_connection = std::move(*connection);
    if (Result<void> chosen = source->chooseSchema(schema); !chosen)
        return tl::unexpected(chosen.error());
    if (Result<void> done = source->readSchema(); !done)
        return tl::unexpected(done.error());
    return source;
}

void PostgresSource::note(const char *rule, Finding::Severity severity, std::string message)
{
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(message);
    m_findings.push_back(std::move(finding));
}

Result<void> PostgresSource::chooseSchema(const std::string &wanted)
{
    const Result<PostgresRows> rows = m_connection->query(
        "SELECT n.nspname::text, coalesce(array_position(current_schemas(false), n.nspname), 0)::bigint "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relname = 'checkpoints' AND c.relkind IN ('r', 'v', 'm', 'p', 'f') "
        "AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' "
        "AND (SELECT count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped "
        "AND a.attname IN ('thread_id', 'checkpoint_ns', 'checkpoint')) = 3 "
        "ORDER BY array_position(current_schemas(false), n.nspname) NULLS LAST, 1",
        {}, {});
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<std::string> schemas;
    for (int i = 0; i < rows->count(); ++i)
        schemas.push_back(rows->text(i, 0));
    std::string names;
    for (const std::string &name : schemas)
        names += (names.empty() ? "" : ", ") + name;
    if (!wanted.empty()) {
        if (std::find(schemas.begin(), schemas.end(), wanted) == schemas.end())
            return failure(Error::Code::NotFound, m_connection->place(),
                "schema " + wanted + " has no table checkpoints of LangGraph; "
                    + (schemas.empty() ? "no schema has" : "these have: " + names));
        m_schema = wanted;
        return {};
    }
    if (schemas.empty()) {
        std::string tables;
        const Result<PostgresRows> list =
            m_connection->query("SELECT schemaname || '.' || tablename FROM pg_catalog.pg_tables "
                                "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 20",
                {}, {});
        for (int i = 0; list && i < list->count(); ++i)
            tables += (tables.empty() ? "" : ", ") + list->text(i, 0);
        return failure(Error::Code::Unsupported, m_connection->place(),
            "a database without LangGraph's table checkpoints (thread_id, checkpoint_ns, checkpoint); it has "
                + (tables.empty() ? std::string("no tables") : "the tables " + tables));
    }
    const bool onPath = rows->number(0, 1) > 0;
    if (!onPath && schemas.size() > 1)
        return failure(Error::Code::Invalid, m_connection->place(),
            "several schemas hold checkpoints; choose one with ?schema=NAME: " + names);
    m_schema = schemas.front();
    if (schemas.size() > 1)
        note("other-schemas", Finding::Severity::Info,
            "Other schemas hold checkpoints too; this is " + m_schema + " of " + names
                + ", ?schema=NAME chooses another.");
    return {};
}

Result<void> PostgresSource::readTables()
{
    const std::vector<std::pair<std::string, Table *>> tables{{"checkpoints", &m_checkpoints},
        {"checkpoint_blobs", &m_blobs}, {"checkpoint_writes", &m_writes}, {"store", &m_store},
        {"checkpoint_migrations", &m_migrations}};
    std::vector<std::string> names;
    for (const auto &[name, table] : tables)
        names.push_back(name);
    const Result<PostgresRows> rows = m_connection->query(
        "SELECT c.relname::text, a.attname::text, has_table_privilege(c.oid, 'SELECT') FROM pg_catalog.pg_attribute a "
        "JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = $1 AND c.relname = ANY($2::text[]) AND c.relkind IN ('r', 'v', 'm', 'p', 'f') "
        "AND a.attnum > 0 AND NOT a.attisdropped",
        {m_schema, postgresArray(names)}, {});
    if (!rows)
        return tl::unexpected(rows.error());
    std::unordered_set<std::string> closed;
    for (int i = 0; i < rows->count(); ++i) {
        const std::string name = rows->text(i, 0);
        if (!rows->isTrue(i, 2)) {
            closed.insert(name);
            continue;
        }
        const auto place = std::find_if(tables.begin(), tables.end(), [&](const auto &t) { return t.first == name; });
        place->second->name = sqlIdentifier(m_schema) + "." + sqlIdentifier(name);
        place->second->columns.insert(rows->text(i, 1));
    }
    for (const std::string &name : closed)
        note("unreadable-table", Finding::Severity::Warning,
            "The user of this session may not read the table " + name + "; GRANT SELECT on it.");
    return {};
}

Result<void> PostgresSource::readSchema()
{
    if (Result<void> read = readTables(); !read)
        return read;
    if (m_checkpoints.name.empty())
        return failure(Error::Code::Unreadable, m_connection->place(),
            "the user of this session may not read " + m_schema + ".checkpoints; GRANT SELECT on it");
    const auto usable = [](const Table &table, std::initializer_list<const char *> needed) {
        return !table.name.empty()
            && std::all_of(needed.begin(), needed.end(), [&](const char *column) { return table.has(column); });
    };
    if (!usable(m_blobs, {"thread_id", "checkpoint_ns", "channel", "type", "blob"})) {
        m_blobs = Table();
        note("no-blobs-table", Finding::Severity::Warning,
            "The database has no usable table checkpoint_blobs: only primitive values are known.");
    }
    if (!usable(m_writes, {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "blob"})) {
        m_writes = Table();
        note("no-writes-table", Finding::Severity::Warning,
            "The database has no usable table checkpoint_writes: model calls and pending writes cannot be told.");
    }
    if (!usable(m_store, {"prefix", "key", "value"}))
        m_store = Table();
    // JavaScript savers count channel versions in numbers, Python ones write text ("0000…1.0.5").
    const Result<PostgresRows> version =
        m_connection->query("SELECT jsonb_typeof(v.value) FROM (SELECT checkpoint FROM " + m_checkpoints.name
                + " LIMIT 1) c, jsonb_each(CASE jsonb_typeof(c.checkpoint -> 'channel_versions') WHEN 'object' "
                  "THEN c.checkpoint -> 'channel_versions' ELSE '{}' END) v LIMIT 1",
            {}, {});
    m_language = version && version->count() > 0 && version->text(0, 0) == "number" ? "js" : "python";
    readMigrations();
    return {};
}

void PostgresSource::readMigrations()
{
    if (!m_migrations.has("v"))
        return;
    const Result<PostgresRows> rows =
        m_connection->query("SELECT coalesce(max(v), -1)::bigint FROM " + m_migrations.name, {}, {});
    if (!rows || rows->count() == 0)
        return;
    const std::int64_t found = rows->number(0, 0);
    const bool shallow = !m_checkpoints.has("checkpoint_id");
    if (found > newestMigration)
        note("unknown-migration", Finding::Severity::Warning,
            "The tables are at migration " + std::to_string(found) + ", newer than those this program knows (up to "
                + std::to_string(newestMigration) + "); they are read as far as their columns tell.");
    else if (found < newestMigration && m_language == "python" && !shallow)
        note("unknown-migration", Finding::Severity::Info,
            (found < 0
                    ? std::string("The tables have no record of a migration")
                    : "The tables are at migration " + std::to_string(found) + " of " + std::to_string(newestMigration))
                + ", left by an older saver; they are read as they are and not migrated.");
}

SourceInfo PostgresSource::info() const
{
    SourceInfo info;
    info.kind = "postgres";
    info.location = m_connection->place();
    info.language = m_language;
    info.journal = "server " + m_connection->serverVersion();
    info.hasTaskPath = m_writes.has("task_path");
    info.hasStore = !m_store.name.empty();
    info.expensiveBlobs = true;
    info.findings = m_findings;
    return info;
}

/// The shallow saver keeps the newest checkpoint only and has no column for its id.
std::string PostgresSource::checkpointId() const
{
    return m_checkpoints.has("checkpoint_id") ? "checkpoint_id::text" : "(checkpoint ->> 'id')";
}

Result<std::vector<std::string>> PostgresSource::threadIds(const JobContext &job)
{
    std::vector<std::string> ids;
    const auto take = [&](const PostgresRows &rows, int row) {
        ids.push_back(rows.text(row, 0));
        return true;
    };
    if (Result<void> done =
            m_connection->stream("SELECT DISTINCT thread_id::text FROM " + m_checkpoints.name, {}, take, job);
        !done)
        return tl::unexpected(done.error());
    std::sort(ids.begin(), ids.end());
    return ids;
}

Result<std::vector<std::string>> PostgresSource::namespaces(const std::string &threadId)
{
    const Result<PostgresRows> rows = m_connection->query(
        "SELECT DISTINCT checkpoint_ns::text FROM " + m_checkpoints.name + " WHERE thread_id = $1", {threadId}, {});
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<std::string> names;
    for (int i = 0; i < rows->count(); ++i)
        names.push_back(rows->text(i, 0));
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

std::string checkpointColumns(const std::string &id, const std::string &parent)
{
    // pg_column_size looks at the row's head only. `versions_seen`, the longest part as a rule, is left with the
    // server; nothing can be taken out of a number, which some row may hold.
    return id + ", " + parent
        + ", pg_column_size(checkpoint)::bigint, metadata::text, CASE jsonb_typeof(checkpoint) WHEN 'object' THEN "
          "checkpoint - 'versions_seen' ELSE checkpoint END::text";
}

} // namespace

PostgresSource::RawCheckpoint PostgresSource::rawCheckpoint(const PostgresRows &rows, int at) const
{
    RawCheckpoint raw;
    raw.row.id = rows.text(at, 0);
    if (!rows.isNull(at, 1) && !rows.bytes(at, 1).empty())
        raw.row.parentId = rows.text(at, 1);
    raw.row.type = splitType;
    raw.ownSize = rows.number(at, 2);
    raw.row.metadata = rows.text(at, 3);
    const Result<Value> checkpoint = parseJson(rows.bytes(at, 4));
    if (!checkpoint || !checkpoint->isMap()) {
        raw.row.damage = "the checkpoint is no JSON object";
        return raw;
    }
    raw.format = (*checkpoint)["v"].asInt();
    raw.innerId = (*checkpoint)["id"].asText();
    raw.ts = (*checkpoint)["ts"].asText();
    for (const char *name : {"channel_values", "channel_versions"})
        if (const Value &member = (*checkpoint)[name]; !member.isMap() && !member.isNil())
            raw.row.damage = std::string("its ") + name + " are no JSON object";
    for (const auto &[channel, value] : (*checkpoint)["channel_values"].asMap())
        raw.inlined.emplace_back(channel.asText(), toJson(value));
    for (const auto &[channel, version] : (*checkpoint)["channel_versions"].asMap())
        raw.versions.emplace_back(channel.asText(), versionText(version));
    return raw;
}

/// Reads those blobs of the checkpoints that are not known yet; of blobs longer than `upTo` the beginning.
Result<void> PostgresSource::readBlobs(const std::string &threadId, const std::string &ns,
    const std::vector<RawCheckpoint> &all, std::int64_t upTo, Blobs &known, const JobContext &job)
{
    if (m_blobs.name.empty())
        return {};
    std::vector<std::string> channels;
    std::vector<std::string> versions;
    const bool versioned = m_blobs.has("version");
    for (const RawCheckpoint &checkpoint : all) {
        for (const ChannelVersion &version : checkpoint.versions) {
            if (!known.try_emplace(version).second)
                continue;
            channels.push_back(version.first);
            versions.push_back(version.second);
        }
    }
    if (channels.empty())
        return {};
    const std::string part = upTo < 0 ? "blob"
                                      : "CASE WHEN octet_length(b.blob) <= " + std::to_string(upTo)
            + " THEN b.blob ELSE substring(b.blob FROM 1 FOR " + std::to_string(beginning) + ") END";
    const std::string sql = "SELECT k.channel, k.version, b.type::text, coalesce(octet_length(b.blob), 0)::bigint, "
        + part + " FROM unnest($3::text[], $4::text[]) AS k(channel, version) JOIN " + m_blobs.name
        + " b ON b.thread_id = $1 AND b.checkpoint_ns = $2 AND b.channel = k.channel"
        + (versioned ? " AND b.version::text = k.version" : "");
    const auto take = [&](const PostgresRows &rows, int row) {
        Blob &blob = known[{rows.text(row, 0), rows.text(row, 1)}];
        blob.type = rows.text(row, 2);
        blob.size = rows.number(row, 3);
        blob.bytes = rows.bytes(row, 4);
        return true;
    };
    return m_connection->stream(sql, {threadId, ns, postgresArray(channels), postgresArray(versions)}, take, job);
}

/// The checkpoint with its channels: a blob wins over an inlined value, which is only a mark that says `true` beside a
/// snapshot (langgraph/checkpoint/postgres/base.py, 3.2.0).
SplitCheckpoint PostgresSource::joined(const RawCheckpoint &checkpoint, const Blobs &blobs) const
{
    SplitCheckpoint split;
    split.format = checkpoint.format;
    split.id = checkpoint.innerId;
    split.ts = checkpoint.ts;
    split.versions = checkpoint.versions;
    for (const ChannelVersion &version : checkpoint.versions) {
        const auto blob = blobs.find(version);
        if (blob != blobs.end() && !blob->second.type.empty() && blob->second.type != "empty")
            split.values.push_back({version.first, blob->second.type, blob->second.bytes, blob->second.size});
    }
    for (const auto &[channel, json] : checkpoint.inlined) {
        const auto same = [&name = channel](const ChannelPart &part) { return part.name == name; };
        if (std::none_of(split.values.begin(), split.values.end(), same))
            split.values.push_back({channel, "json", json, static_cast<std::int64_t>(json.size())});
    }
    return split;
}

Result<void> PostgresSource::scanCheckpoints(const std::string &threadId, const std::string &ns,
    const CheckpointScan &scan, const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job)
{
    std::vector<RawCheckpoint> batch;
    Blobs blobs;
    bool stopped = false;
    Result<void> inner;
    const auto flush = [&] {
        inner = readBlobs(threadId, ns, batch, std::max<std::int64_t>(scan.blobsUpTo, 0), blobs, job);
        for (RawCheckpoint &checkpoint : batch) {
            if (!inner || stopped)
                break;
            const SplitCheckpoint split = joined(checkpoint, blobs);
            CheckpointRow row = std::move(checkpoint.row);
            row.blobSize = checkpoint.ownSize;
            for (const ChannelPart &part : split.values)
                row.blobSize += part.size;
            if (scan.blobsUpTo >= 0)
                row.blob = packSplit(split);
            if (!scan.metadata)
                row.metadata.clear();
            stopped = !visit(std::move(row));
        }
        // What the next checkpoint has in common with the last one.
        Blobs kept;
        if (!batch.empty())
            for (const ChannelVersion &version : batch.back().versions)
                if (const auto found = blobs.find(version); found != blobs.end())
                    kept.insert(blobs.extract(found));
        blobs = std::move(kept);
        batch.clear();
        return inner && !stopped;
    };
    const auto take = [&](const PostgresRows &rows, int row) {
        batch.push_back(rawCheckpoint(rows, row));
        return batch.size() < checkpointsAtOnce || flush();
    };
    PostgresConnection::Parameters parameters{threadId, ns};
    std::string later;
    if (scan.after) {
        later = " AND " + checkpointId() + " COLLATE \"C\" > $3";
        parameters.emplace_back(*scan.after);
    }
    const std::string sql = "SELECT "
        + checkpointColumns(checkpointId(), m_checkpoints.column("parent_checkpoint_id", "NULL")) + " FROM "
        + m_checkpoints.name + " WHERE thread_id = $1 AND checkpoint_ns = $2" + later + " ORDER BY " + checkpointId()
        + " COLLATE \"C\"" + (scan.newestFirst ? " DESC" : "")
        + (scan.limit >= 0 ? " LIMIT " + std::to_string(scan.limit) : "");
    if (Result<void> done = m_connection->stream(sql, parameters, take, job); !done)
        return done;
    if (inner && !stopped)
        flush();
    return inner;
}

Result<TypedBytes> PostgresSource::checkpointBlob(
    const std::string &threadId, const std::string &ns, const std::string &checkpoint)
{
    const Result<PostgresRows> rows = m_connection->query("SELECT "
            + checkpointColumns(checkpointId(), m_checkpoints.column("parent_checkpoint_id", "NULL")) + " FROM "
            + m_checkpoints.name + " WHERE thread_id = $1 AND checkpoint_ns = $2 AND " + checkpointId() + " = $3",
        {threadId, ns, checkpoint}, {});
    if (!rows)
        return tl::unexpected(rows.error());
    if (rows->count() == 0)
        return failure(Error::Code::NotFound, m_connection->place(), "there is no checkpoint " + checkpoint);
    std::vector<RawCheckpoint> one;
    one.push_back(rawCheckpoint(*rows, 0));
    Blobs blobs;
    if (Result<void> done = readBlobs(threadId, ns, one, -1, blobs, {}); !done)
        return tl::unexpected(done.error());
    return TypedBytes{std::string(splitType), packSplit(joined(one.front(), blobs))};
}

Result<std::string> PostgresSource::metadata(
    const std::string &threadId, const std::string &ns, const std::string &checkpoint)
{
    const Result<PostgresRows> rows = m_connection->query("SELECT metadata::text FROM " + m_checkpoints.name
            + " WHERE thread_id = $1 AND checkpoint_ns = $2 AND " + checkpointId() + " = $3",
        {threadId, ns, checkpoint}, {});
    if (!rows)
        return tl::unexpected(rows.error());
    if (rows->count() == 0)
        return failure(Error::Code::NotFound, m_connection->place(), "there is no checkpoint " + checkpoint);
    return rows->text(0, 0);
}

Result<void> PostgresSource::scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
    const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
{
    if (m_writes.name.empty())
        return {};
    PostgresConnection::Parameters parameters{threadId, ns};
    const auto bound = [&parameters](std::string text) {
        parameters.emplace_back(std::move(text));
        return "$" + std::to_string(parameters.size());
    };
    std::string wanted = scan.noValues ? "false" : "true";
    if (!scan.noValues && !scan.values.empty())
        wanted = "channel = ANY(" + bound(postgresArray(scan.values)) + "::text[])";
    const std::string type = m_writes.column("type", "''");
    std::string where = "thread_id = $1 AND checkpoint_ns = $2";
    if (scan.checkpointId)
        where += " AND checkpoint_id = " + bound(*scan.checkpointId);
    if (scan.from)
        where += " AND checkpoint_id COLLATE \"C\" >= " + bound(*scan.from);
    if (!scan.channels.empty())
        where += " AND (channel = ANY(" + bound(postgresArray(scan.channels)) + "::text[])"
            + (scan.oddTypes ? " OR " + type + " NOT IN ('msgpack', 'json', 'null', 'bytes', 'bytearray'))" : ")");
    const std::string path = m_writes.column("task_path", "''");
    const std::string sql = "SELECT checkpoint_id::text, task_id::text, " + path + ", idx::bigint, channel::text, "
        + type + ", octet_length(blob)::bigint, " + wanted + ", CASE WHEN " + wanted + " THEN blob END FROM "
        + m_writes.name + " WHERE " + where + " ORDER BY checkpoint_id COLLATE \"C\", " + path
        + " COLLATE \"C\", task_id COLLATE \"C\", idx";
    const auto take = [&](const PostgresRows &rows, int at) {
        WriteRow row;
        row.checkpointId = rows.text(at, 0);
        row.taskId = rows.text(at, 1);
        row.taskPath = rows.text(at, 2);
        row.idx = rows.number(at, 3);
        row.channel = rows.text(at, 4);
        row.value.type = rows.text(at, 5);
        row.valueSize = rows.number(at, 6);
        row.hasValue = rows.isTrue(at, 7);
        row.value.bytes = rows.bytes(at, 8);
        return visit(std::move(row));
    };
    return m_connection->stream(sql, parameters, take, job);
}

Result<std::map<std::string, std::map<std::string, Value>>> PostgresSource::store()
{
    std::map<std::string, std::map<std::string, Value>> items;
    if (m_store.name.empty())
        return items;
    const auto take = [&](const PostgresRows &rows, int row) {
        Result<Value> value = parseJson(rows.bytes(row, 2));
        items[rows.text(row, 0)][rows.text(row, 1)] =
            value ? std::move(*value) : Value::bytes(std::string(rows.bytes(row, 2)));
        return true;
    };
    if (Result<void> done =
            m_connection->stream("SELECT prefix::text, key::text, value::text FROM " + m_store.name, {}, take, {});
        !done)
        return tl::unexpected(done.error());
    return items;
}

/// The newest id of every namespace and how many writes stand there, by a few look-ups in the primary keys.
Result<std::string> PostgresSource::changeMark(const std::string &threadId)
{
    const std::string from = " FROM " + m_checkpoints.name + " WHERE thread_id = $1";
    const std::string newest = "(SELECT max(" + checkpointId() + ")" + from + " AND checkpoint_ns = s.ns)";
    const std::string writes = m_writes.name.empty() ? std::string("0")
                                                     : "(SELECT count(*) FROM " + m_writes.name
            + " w WHERE w.thread_id = $1 AND w.checkpoint_ns = s.ns AND w.checkpoint_id = " + newest + ")";
    const Result<PostgresRows> rows = m_connection->query("WITH RECURSIVE s(ns) AS ((SELECT checkpoint_ns" + from
            + " ORDER BY checkpoint_ns LIMIT 1) UNION ALL SELECT (SELECT checkpoint_ns" + from
            + " AND checkpoint_ns > s.ns ORDER BY checkpoint_ns LIMIT 1) FROM s WHERE s.ns IS NOT NULL) "
              "SELECT coalesce(string_agg(concat_ws(' ', s.ns, "
            + newest + ", " + writes + "), ' '), '') FROM s WHERE s.ns IS NOT NULL",
        {threadId}, {});
    if (!rows)
        return tl::unexpected(rows.error());
    return rows->text(0, 0);
}

bool PostgresSource::endRead()
{
    m_connection->end();
    return false;
}

} // namespace palimpsest
