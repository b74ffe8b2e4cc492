// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

#include <memory>
#include <string>

namespace palimpsest {

/// Another source with its "<type>+aes" rows opened (core/serde/aes.h), so that whoever reads it sees plain rows. The
/// key lives as long as this object and goes nowhere. A row that the key does not open stays closed and says why in
/// `damage`.
class DecryptingSource : public CheckpointSource {
public:
    DecryptingSource(std::unique_ptr<CheckpointSource> inner, std::string key);

    [[nodiscard]] SourceInfo info() const override;
    using CheckpointSource::threads;
    Result<std::vector<ThreadRow>> threads(bool full, const JobContext &job) override;
    Result<void> scanThreads(bool full, const VisitThreads &visit, const JobContext &job) override;
    Result<std::vector<std::string>> threadIds(const JobContext &job) override { return m_inner->threadIds(job); }
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
    Result<std::string> changeMark(const std::string &threadId) override { return m_inner->changeMark(threadId); }
    Result<void> beginRead() override;
    bool endRead() override;
    /// Whether the row that a scan's visitor is being given was stored encrypted; asked from inside the visitor.
    [[nodiscard]] bool isRowEncrypted() const { return m_rowEncrypted; }

private:
    std::unique_ptr<CheckpointSource> m_inner;
    std::string m_key;
    std::string m_lastPlace; ///< whose blob `m_lastBlob` is: parts of one blob are asked for in a row
    TypedBytes m_lastBlob;
    bool m_rowEncrypted = false;
};

} // namespace palimpsest
