// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/decryptingsource.h"

#include "core/serde/aes.h"
#include "core/sources/splitcheckpoint.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Nonce and tag before the ciphertext.
constexpr std::int64_t overhead = 32;

/// Opens the value in place where the key opens it.
void openValue(TypedBytes &value, const std::string &key)
{
    const std::string inside(typeInsideAes(value.type));
    if (inside.empty())
        return;
    if (Result<std::string> plain = decryptAesEax(value.bytes, key))
        value = {inside, *std::move(plain)};
}

/// The same checkpoint with the channels opened that the key opens; the others, and those that came in part, stay as
/// they are.
std::string openParts(std::string blob, const std::string &key)
{
    Result<SplitCheckpoint> checkpoint = unpackSplit(blob);
    if (!checkpoint)
        return blob;
    std::vector<std::unique_ptr<std::string>> opened;
    for (ChannelPart &part : checkpoint->values) {
        const std::string inside(typeInsideAes(part.type));
        if (inside.empty() || part.size > static_cast<std::int64_t>(part.bytes.size()))
            continue;
        Result<std::string> plain = decryptAesEax(part.bytes, key);
        if (!plain)
            continue;
        opened.push_back(std::make_unique<std::string>(*std::move(plain)));
        part.type = inside;
        part.bytes = *opened.back();
        part.size = static_cast<std::int64_t>(part.bytes.size());
    }
    return opened.empty() ? blob : packSplit(*checkpoint);
}

} // namespace

DecryptingSource::DecryptingSource(std::unique_ptr<CheckpointSource> inner, std::string key)
    : m_inner(std::move(inner))
    , m_key(std::move(key))
{
}

SourceInfo DecryptingSource::info() const
{
    SourceInfo info = m_inner->info();
    if (m_key.size() != 16 && m_key.size() != 24 && m_key.size() != 32) {
        Finding finding;
        finding.rule = "invalid-key";
        finding.severity = Finding::Severity::Warning;
        finding.message = "The key is " + std::to_string(m_key.size())
            + " bytes long, and a key of AES is 16, 24 or 32: encrypted rows stay closed.";
        info.findings.push_back(std::move(finding));
    }
    return info;
}

Result<std::vector<ThreadRow>> DecryptingSource::threads(bool full, const JobContext &job)
{
    return m_inner->threads(full, job);
}

Result<void> DecryptingSource::scanThreads(bool full, const VisitThreads &visit, const JobContext &job)
{
    const auto open = [&](ThreadPage &&page) {
        for (ThreadHints &hints : page.hints) {
            openValue(hints.input, m_key);
            for (WriteRow &row : hints.waiting)
                openValue(row.value, m_key);
        }
        return visit(std::move(page));
    };
    return m_inner->scanThreads(full, open, job);
}

Result<std::vector<std::string>> DecryptingSource::namespaces(const std::string &threadId)
{
    return m_inner->namespaces(threadId);
}

Result<void> DecryptingSource::scanCheckpoints(const std::string &threadId, const std::string &ns,
    const CheckpointScan &scan, const std::function<bool(CheckpointRow &&)> &visit, const JobContext &job)
{
    const auto open = [&](CheckpointRow &&row) {
        if (row.type == splitType && row.blob)
            row.blob = openParts(*std::move(row.blob), m_key);
        const std::string inside(typeInsideAes(row.type));
        m_rowEncrypted = !inside.empty();
        if (inside.empty())
            return visit(std::move(row));
        if (row.blob) {
            Result<std::string> plain = decryptAesEax(*row.blob, m_key);
            if (!plain) {
                row.damage = plain.error().what;
                return visit(std::move(row));
            }
            row.blob = *std::move(plain);
        }
        row.type = inside;
        row.blobSize = std::max<std::int64_t>(0, row.blobSize - overhead);
        return visit(std::move(row));
    };
    return m_inner->scanCheckpoints(threadId, ns, scan, open, job);
}

Result<TypedBytes> DecryptingSource::checkpointBlob(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    Result<TypedBytes> blob = m_inner->checkpointBlob(threadId, ns, checkpointId);
    if (!blob)
        return blob;
    if (blob->type == splitType)
        blob->bytes = openParts(std::move(blob->bytes), m_key);
    const std::string inside(typeInsideAes(blob->type));
    if (inside.empty())
        return blob;
    Result<std::string> plain = decryptAesEax(blob->bytes, m_key);
    if (!plain)
        return failure(plain.error().code, "checkpoint " + checkpointId, plain.error().what);
    return TypedBytes{inside, *std::move(plain)};
}

Result<std::string> DecryptingSource::blobPart(const std::string &threadId, const std::string &ns,
    const std::string &checkpointId, std::int64_t offset, std::int64_t length)
{
    const std::string place = threadId + '\n' + ns + '\n' + checkpointId;
    if (place != m_lastPlace) {
        Result<TypedBytes> blob = checkpointBlob(threadId, ns, checkpointId);
        if (!blob)
            return tl::unexpected(blob.error());
        m_lastBlob = *std::move(blob);
        m_lastPlace = place;
    }
    if (offset < 0 || length < 0 || static_cast<std::size_t>(offset) >= m_lastBlob.bytes.size())
        return std::string();
    return m_lastBlob.bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

Result<std::string> DecryptingSource::metadata(
    const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    return m_inner->metadata(threadId, ns, checkpointId);
}

Result<void> DecryptingSource::scanWrites(const std::string &threadId, const std::string &ns, const WriteScan &scan,
    const std::function<bool(WriteRow &&)> &visit, const JobContext &job)
{
    const auto open = [&](WriteRow &&row) {
        const std::string inside(typeInsideAes(row.value.type));
        m_rowEncrypted = !inside.empty();
        if (inside.empty())
            return visit(std::move(row));
        if (row.hasValue) {
            Result<std::string> plain = decryptAesEax(row.value.bytes, m_key);
            if (!plain) {
                row.damage = plain.error().what;
                return visit(std::move(row));
            }
            row.value.bytes = *std::move(plain);
        }
        row.value.type = inside;
        row.valueSize = std::max<std::int64_t>(0, row.valueSize - overhead);
        return visit(std::move(row));
    };
    return m_inner->scanWrites(threadId, ns, scan, open, job);
}

Result<std::map<std::string, std::map<std::string, Value>>> DecryptingSource::store()
{
    return m_inner->store();
}

Result<void> DecryptingSource::beginRead()
{
    m_lastPlace.clear();
    return m_inner->beginRead();
}

bool DecryptingSource::endRead()
{
    m_lastPlace.clear();
    return m_inner->endRead();
}

} // namespace palimpsest
