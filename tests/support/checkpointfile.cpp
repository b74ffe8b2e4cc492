// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/checkpointfile.h"

#include "core/values/json.h"
#include "core/serde/msgpackencode.h"

#include <cstdio>
#include <map>
#include <sqlite3.h>

namespace palimpsest::test {

CheckpointFile::CheckpointFile(const std::string &path)
{
    sqlite3_open(path.c_str(), &m_db);
    run("PRAGMA synchronous=OFF");
}

CheckpointFile::~CheckpointFile()
{
    sqlite3_close(m_db);
}

bool CheckpointFile::run(const std::string &sql)
{
    return sqlite3_exec(m_db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::string CheckpointFile::ask(const std::string &sql)
{
    sqlite3_stmt *statement = nullptr;
    std::string answer;
    sqlite3_prepare_v2(m_db, sql.c_str(), -1, &statement, nullptr);
    if (sqlite3_step(statement) == SQLITE_ROW)
        answer.assign(static_cast<const char *>(sqlite3_column_blob(statement, 0)),
            static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    sqlite3_finalize(statement);
    return answer;
}

void CheckpointFile::createTables(bool taskPath)
{
    m_taskPath = taskPath;
    run("CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT "
        "NOT NULL, "
        "parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, "
        "checkpoint_id))");
    run(std::string("CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
                    "checkpoint_id TEXT NOT NULL, "
                    "task_id TEXT NOT NULL, ")
        + (taskPath ? "task_path TEXT NOT NULL DEFAULT '', " : "")
        + "idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, "
          "checkpoint_id, "
          "task_id, idx))");
}

void CheckpointFile::insert(const std::string &sql, const std::vector<std::string> &texts,
    const std::vector<std::string> &blobs, int idx, int idxPlace)
{
    sqlite3_stmt *statement = nullptr;
    sqlite3_prepare_v2(m_db, sql.c_str(), -1, &statement, nullptr);
    int place = 0;
    for (const std::string &text : texts) {
        if (++place == idxPlace)
            sqlite3_bind_int(statement, place++, idx);
        if (text.empty() && place == 4)
            continue;
        sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    for (const std::string &blob : blobs)
        sqlite3_bind_blob(statement, ++place, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

void CheckpointFile::checkpointRow(const std::string &thread, const std::string &ns, const std::string &id,
    const std::string &parent, const std::string &type, const std::string &blob, const std::string &metadata)
{
    insert(
        "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", {thread, ns, id, parent, type}, {blob, metadata}, 0, 0);
}

void CheckpointFile::checkpoint(const std::string &thread, const std::string &ns, const std::string &id,
    const std::string &parent, const Value &values, const Value &versions, const Value &metadata)
{
    const Value blob =
        Value::map({{"v", Value(4)}, {"ts", Value("2026-11-30T12:00:00.000000+00:00")}, {"id", Value(id)},
            {"channel_values", values}, {"channel_versions", versions}, {"versions_seen", Value(Value::Map{})}});
    checkpointRow(thread, ns, id, parent, "msgpack", encodeMsgpack(blob), toJson(metadata));
}

void CheckpointFile::write(const std::string &thread, const std::string &ns, const std::string &checkpoint,
    const std::string &task, const std::string &path, int idx, const std::string &channel, const Value &value)
{
    const std::string type = value.isNil() ? "null" : "msgpack";
    const std::string bytes = value.isNil() ? std::string() : encodeMsgpack(value);
    if (m_taskPath)
        insert("INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, "
               "value) VALUES (?, ?, ?, "
               "?, ?, ?, ?, ?, ?)",
            {thread, ns, checkpoint, task, path, channel, type}, {bytes}, idx, 6);
    else
        insert("INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            {thread, ns, checkpoint, task, channel, type}, {bytes}, idx, 5);
}

std::string CheckpointFile::id(int n, int step)
{
    char text[40];
    std::snprintf(text, sizeof text, "1f1ece27-%04x-6%03x-%04x-bfff8b63d7f2", static_cast<unsigned>(n) >> 12 & 0xffff,
        static_cast<unsigned>(n) & 0xfff, 0x8000U | (static_cast<unsigned>(step) & 0x3fff));
    return text;
}

Value CheckpointFile::message(const std::string &kind, const std::string &id, const std::string &content)
{
    static const std::map<std::string, std::string> classes = {
        {"human", "HumanMessage"}, {"ai", "AIMessage"}, {"tool", "ToolMessage"}, {"remove", "RemoveMessage"}};
    Value::Tagged tagged;
    tagged.form = Value::Form::PydanticV2;
    tagged.module = kind == "remove" ? "langchain_core.messages.modifier" : "langchain_core.messages." + kind;
    tagged.name = classes.at(kind);
    tagged.method = "model_validate_json";
    tagged.value = Value::map({{"content", Value(content)}, {"type", Value(kind)}, {"id", Value(id)}});
    if (kind == "tool")
        tagged.value = tagged.value.with("tool_call_id", Value("call_" + id));
    return Value(std::move(tagged));
}

Value CheckpointFile::snapshot(Value content)
{
    Value::Tagged tagged;
    tagged.form = Value::Form::DeltaSnapshot;
    tagged.value = std::move(content);
    return Value(std::move(tagged));
}

void makeDeltaThread(const std::string &path, int steps, int frequency, int characters)
{
    CheckpointFile file(path);
    file.createTables();
    file.run("BEGIN");
    Value::List log;
    std::string parent;
    for (int step = 0; step < steps; ++step) {
        const std::string id = CheckpointFile::id(step, step);
        Value values = Value::map({{"branch:to:model", Value()}});
        int updates = step % frequency;
        if (step > 0 && updates == 0)
            values = values.with("messages", CheckpointFile::snapshot(Value(log)));
        Value versions = Value::map({{"branch:to:model", Value(std::to_string(step + 100000))}});
        if (step > 0)
            versions = versions.with("messages", Value(std::to_string(step + 100000)));
        Value metadata = Value::map(
            {{"source", Value(step ? "loop" : "input")}, {"step", Value(step)}, {"parents", Value(Value::Map{})}});
        if (updates)
            metadata = metadata.with("counters_since_delta_snapshot",
                Value::map({{"messages", Value::list({Value(updates), Value(updates)})}}));
        file.checkpoint("made", "", id, parent, values, versions, metadata);
        const Value message = CheckpointFile::message(step ? "ai" : "human", "m" + std::to_string(step),
            "text " + std::to_string(step) + std::string(static_cast<std::size_t>(characters), '.'));
        if (step + 1 < steps)
            file.write("made", "", id, "task-" + std::to_string(step),
                step ? "~__pregel_pull, model" : "~__pregel_pull, __start__", 0, "messages", Value::list({message}));
        log.push_back(message);
        parent = id;
    }
    file.run("COMMIT");
}

} // namespace palimpsest::test
