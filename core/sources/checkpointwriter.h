// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

#include <memory>
#include <string>

struct sqlite3;

namespace palimpsest {

/// Makes a new SQLite file in the form of LangGraph's saver (langgraph-checkpoint-sqlite, 3.1.0), so that whatever
/// opens such a file opens it. Never opens one that is there.
class CheckpointWriter {
public:
    /// Error Io when the file is there or cannot be made.
    static Result<std::unique_ptr<CheckpointWriter>> create(const std::string &path);
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter &) = delete;
    CheckpointWriter &operator=(const CheckpointWriter &) = delete;

    // Errors: Io with SQLite's words.
    Result<void> add(
        const std::string &thread, const std::string &ns, const CheckpointRow &row, const TypedBytes &blob);
    Result<void> add(const std::string &thread, const std::string &ns, const WriteRow &row);
    Result<void> addStoreItem(const std::string &prefix, const std::string &key, const std::string &json);
    /// A row of the table `palimpsest`: what the file is, and what no other table holds.
    Result<void> note(const std::string &name, const std::string &value);
    /// Writes all of it down; the file is complete only then.
    Result<void> finish();

private:
    explicit CheckpointWriter(std::string path);
    struct Field {
        std::string_view bytes = {};
        bool blob = false;
        bool null = false;
        std::optional<std::int64_t> number = {};
    };
    Result<void> execute(const std::string &sql);
    Result<void> insert(const char *sql, const std::vector<Field> &fields);

    std::string m_path;
    sqlite3 *m_db = nullptr;
};

} // namespace palimpsest
