// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// A checkpoint whose blob is put together when it is asked for: `head`, `values`, `tail`.
struct HeldRow {
    std::string id;
    std::optional<std::string> parentId;
    std::string type; ///< of the blob
    std::string head;
    std::string_view values; ///< into text that the source holds
    std::string tail;
    std::string metadata;
    std::string createdAt; ///< ISO 8601; empty: the id says it
    std::string damage;

    [[nodiscard]] std::int64_t blobSize() const;
    [[nodiscard]] std::string blob() const;
};

/// The rows of one namespace.
struct HeldSpace {
    std::vector<HeldRow> rows;
    std::vector<WriteRow> writes;
};

/// Threads → namespaces → rows.
using HeldThreads = std::map<std::string, std::map<std::string, HeldSpace>>;

/// A source whose rows were made from a document and are held in memory. What it was made from is not touched again.
class RowSource : public CheckpointSource {
public:
    using CheckpointSource::threads;
    [[nodiscard]] SourceInfo info() const override { return m_info; }
    Result<std::vector<ThreadRow>> threads(bool full, const JobContext &job) override;
    Result<std::vector<std::string>> namespaces(const std::string &threadId) override;
    Result<void> scanCheckpoints(const std::string &threadId, const std::string &ns, const CheckpointScan &scan,
        const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job) override;
    Result<TypedBytes> checkpointBlob(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) override;
    Result<std::string> metadata(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) override;
    Result<void> scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
        const std::function<bool(WriteRow &&)> &visit, const JobContext &job) override;
    Result<std::map<std::string, std::map<std::string, Value>>> store() override { return m_store; }

protected:
    RowSource() = default;
    /// Takes over rows in any order; of several with one id the first is kept.
    void hold(HeldThreads threads);

    SourceInfo m_info;
    std::map<std::string, std::map<std::string, Value>> m_store;

private:
    [[nodiscard]] const HeldSpace *find(const std::string &threadId, const std::string &ns) const;
    [[nodiscard]] const HeldRow *find(
        const std::string &threadId, const std::string &ns, const std::string &checkpointId) const;

    HeldThreads m_threads;
};

} // namespace palimpsest
