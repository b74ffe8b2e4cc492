// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"
#include "core/sources/postgresconnection.h"
#include "core/sources/splitcheckpoint.h"

#include <map>
#include <unordered_set>

namespace palimpsest {

/// Checkpoints as LangGraph's PostgreSQL savers keep them, Python and JavaScript, shallow ones too
/// (langgraph-checkpoint-postgres 3.2 and before; @langchain/langgraph-checkpoint-postgres 1.0): the checkpoint without
/// its channels as JSON, channels by version in `checkpoint_blobs`, primitive ones in the JSON itself. Columns are
/// found by name. Blobs of type `splitType`.
class PostgresSource : public CheckpointSource {
public:
    /// `location` is a `postgresql://` or `postgres://` URI or a libpq connection string, with `schema=NAME` among its
    /// parameters where several schemas hold checkpoints. Errors as PostgresConnection::open; Unsupported when there is
    /// no table of checkpoints, Invalid when there are several and none is chosen.
    static Result<std::unique_ptr<PostgresSource>> open(const std::string &location);

    [[nodiscard]] SourceInfo info() const override;
    Result<std::vector<ThreadRow>> threads(bool full, const JobContext &job) override;
    Result<void> scanThreads(bool full, const VisitThreads &visit, const JobContext &job) override;
    Result<std::vector<std::string>> threadIds(const JobContext &job) override;
    Result<std::vector<std::string>> namespaces(const std::string &threadId) override;
    Result<void> scanCheckpoints(const std::string &threadId, const std::string &ns, const CheckpointScan &scan,
        const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job) override;
    Result<TypedBytes> checkpointBlob(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) override;
    Result<std::string> metadata(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) override;
    Result<void> scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
        const std::function<bool(WriteRow &&)> &visit, const JobContext &job) override;
    Result<std::map<std::string, std::map<std::string, Value>>> store() override;
    Result<std::string> changeMark(const std::string &threadId) override;
    Result<void> beginRead() override { return m_connection->begin(); }
    bool endRead() override;

private:
    /// A table by its quoted name with schema; empty: there is none that this session may read.
    struct Table {
        std::string name;
        std::unordered_set<std::string> columns;
        [[nodiscard]] bool has(const std::string &column) const { return columns.contains(column); }
        /// The column as text, or `otherwise`.
        [[nodiscard]] std::string column(const std::string &column, const std::string &otherwise) const;
    };
    using ChannelVersion = std::pair<std::string, std::string>;
    struct Blob {
        std::string type;
        std::string bytes;
        std::int64_t size = 0;
    };
    using Blobs = std::map<ChannelVersion, Blob>;
    struct RawCheckpoint;
    struct Page;

    Result<void> chooseSchema(const std::string &wanted);
    Result<void> readSchema();
    Result<void> readTables();
    void readMigrations();
    void note(const char *rule, Finding::Severity severity, std::string message);
    [[nodiscard]] std::string checkpointId() const;
    [[nodiscard]] RawCheckpoint rawCheckpoint(const PostgresRows &rows, int row) const;
    Result<void> readBlobs(const std::string &threadId, const std::string &ns, const std::vector<RawCheckpoint> &all,
        std::int64_t upTo, Blobs &known, const JobContext &job);
    [[nodiscard]] SplitCheckpoint joined(const RawCheckpoint &checkpoint, const Blobs &blobs) const;
    Result<void> completePage(Page &page, bool full, const JobContext &job);
    Result<void> readHeads(Page &page, const JobContext &job);
    Result<void> readInputs(Page &page, const JobContext &job);
    Result<void> countEvents(Page &page, const JobContext &job);
    Result<void> sumBytes(Page &page, const JobContext &job);

    std::unique_ptr<PostgresConnection> m_connection;
    std::string m_schema;
    Table m_checkpoints;
    Table m_blobs;
    Table m_writes;
    Table m_store;
    Table m_migrations;
    std::string m_language = "python";
    std::vector<Finding> m_findings;
};

} // namespace palimpsest
