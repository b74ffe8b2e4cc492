// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"
#include "core/sources/sqlitefile.h"

#include <unordered_map>

namespace palimpsest {

/// Checkpoints as LangGraph's SQLite savers keep them, Python and JavaScript, with and without `task_path`
/// (langgraph-checkpoint-sqlite 3.1, 1.0 and 2.0; @langchain/langgraph-checkpoint-sqlite 1.0). Columns are found by
/// name.
class SqliteSource : public CheckpointSource {
public:
    /// Errors as SqliteFile::open, and Unsupported when there is no table of checkpoints (the error lists the tables
    /// that are there).
    static Result<std::unique_ptr<SqliteSource>> open(const std::string &path);
    /// The items of a database's table `store` alone; it need not hold threads. Empty when there is no such table.
    static Result<std::map<std::string, std::map<std::string, Value>>> storeOf(const std::string &path);
    /// What whoever knows more of the place says of it: words for `SourceInfo::what`, and folders of files.
    void describe(std::string what, std::vector<SourceFolder> folders);

    [[nodiscard]] SourceInfo info() const override;
    Result<std::vector<ThreadRow>> threads(bool full, const JobContext &job) override;
    Result<std::vector<std::string>> threadIds(const JobContext &job) override;
    Result<std::vector<std::string>> namespaces(const std::string &threadId) override;
    Result<void> scanCheckpoints(const std::string &threadId, const std::string &ns, const CheckpointScan &scan,
        const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job) override;
    Result<TypedBytes> checkpointBlob(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) override;
    Result<std::string> blobPart(const std::string &threadId, const std::string &ns, const std::string &checkpointId,
        std::int64_t offset, std::int64_t length) override;
    Result<std::string> metadata(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) override;
    Result<void> scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
        const std::function<bool(WriteRow &&)> &visit, const JobContext &job) override;
    Result<std::map<std::string, std::map<std::string, Value>>> store() override;
    Result<std::string> changeMark(const std::string &threadId) override;
    Result<void> beginRead() override;
    bool endRead() override;

private:
    /// A table with the names that its columns have in this file; an empty name: no such column.
    struct Table {
        std::string name;
        std::unordered_map<std::string, std::string> columns;
        bool rowid = true;
        [[nodiscard]] bool has(const std::string &column) const { return columns.contains(column); }
        /// The column quoted for SQL, or `otherwise`.
        [[nodiscard]] std::string column(const std::string &name, const std::string &otherwise) const;
    };

    Result<void> readSchema();
    Table readTable(const std::string &name, const std::unordered_map<std::string, std::vector<std::string>> &aliases);
    [[nodiscard]] Error errorOf(const SqliteStatement &statement, const std::string &where) const;
    Result<void> salvageCheckpoints(const std::string &threadId, const std::string &ns, const CheckpointScan &scan,
        const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job);
    Result<void> salvageWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
        std::int64_t given, const std::function<bool(WriteRow &&)> &visit, const JobContext &job);

    std::unique_ptr<SqliteFile> m_file;
    std::string m_location;
    std::string m_what; ///< empty: what the database itself says
    std::vector<SourceFolder> m_folders;
    Table m_checkpoints;
    Table m_writes;
    Table m_store;
    std::string m_language = "python";
    std::vector<Finding> m_findings;
};

} // namespace palimpsest
