// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/checkpointwriter.h"

#include <sqlite3.h>

namespace palimpsest {

CheckpointWriter::CheckpointWriter(std::string path)
    : m_path(std::move(path))
{
}

CheckpointWriter::~CheckpointWriter()
{
    sqlite3_close(m_db);
}

Result<std::unique_ptr<CheckpointWriter>> CheckpointWriter::create(const std::string &path)
{
    std::unique_ptr<CheckpointWriter> writer(new CheckpointWriter(path));
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE;
    if (sqlite3_open_v2(path.c_str(), &writer->m_db, flags, nullptr) != SQLITE_OK)
        return failure(Error::Code::Io, path,
            std::string("cannot be made: ") + (writer->m_db ? sqlite3_errmsg(writer->m_db) : "out of memory"));
    // No journal beside it: the file is thrown away when it is not finished.
    const Result<void> made = writer->execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
        "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT "
        "NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, "
        "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
        "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT "
        "NULL, task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', idx INTEGER NOT NULL, channel TEXT NOT NULL, "
        "type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));"
        "CREATE TABLE store (prefix TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (prefix, key));"
        "CREATE TABLE palimpsest (name TEXT PRIMARY KEY, value TEXT NOT NULL);");
    if (!made)
        return tl::unexpected(made.error());
    return writer;
}

Result<void> CheckpointWriter::execute(const std::string &sql)
{
    if (sqlite3_exec(m_db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return failure(Error::Code::Io, m_path, std::string("cannot be written: ") + sqlite3_errmsg(m_db));
    return {};
}

Result<void> CheckpointWriter::insert(const char *sql, const std::vector<Field> &fields)
{
    sqlite3_stmt *statement = nullptr;
    int code = sqlite3_prepare_v2(m_db, sql, -1, &statement, nullptr);
    int place = 0;
    for (const Field &field : fields) {
        ++place;
        const auto size = static_cast<sqlite3_uint64>(field.bytes.size());
        if (field.null)
            sqlite3_bind_null(statement, place);
        else if (field.number)
            sqlite3_bind_int64(statement, place, *field.number);
        else if (field.blob)
            sqlite3_bind_blob64(statement, place, field.bytes.data(), size, SQLITE_STATIC);
        else
            sqlite3_bind_text64(statement, place, field.bytes.data(), size, SQLITE_STATIC, SQLITE_UTF8);
    }
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE)
        return failure(Error::Code::Io, m_path, std::string("cannot be written: ") + sqlite3_errmsg(m_db));
    return {};
}

Result<void> CheckpointWriter::add(
    const std::string &thread, const std::string &ns, const CheckpointRow &row, const TypedBytes &blob)
{
    Field parent;
    parent.null = !row.parentId;
    if (row.parentId)
        parent.bytes = *row.parentId;
    return insert("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)",
        {{thread}, {ns}, {row.id}, parent, {blob.type}, {blob.bytes, true}, {row.metadata, true}});
}

Result<void> CheckpointWriter::add(const std::string &thread, const std::string &ns, const WriteRow &row)
{
    Field place;
    place.number = row.idx;
    return insert("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {{thread}, {ns}, {row.checkpointId}, {row.taskId}, {row.taskPath}, place, {row.channel}, {row.value.type},
            {row.value.bytes, true}});
}

Result<void> CheckpointWriter::addStoreItem(const std::string &prefix, const std::string &key, const std::string &json)
{
    return insert("INSERT INTO store VALUES (?, ?, ?)", {{prefix}, {key}, {json}});
}

Result<void> CheckpointWriter::note(const std::string &name, const std::string &value)
{
    return insert("INSERT INTO palimpsest VALUES (?, ?)", {{name}, {value}});
}

Result<void> CheckpointWriter::finish()
{
    return execute("COMMIT;");
}

} // namespace palimpsest
