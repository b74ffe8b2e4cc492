// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/storage.h"

#include "core/sources/sqlitefile.h"

#include <QFile>
#include <QFileInfo>

namespace palimpsest {
namespace {

std::int64_t number(const SqliteFile &file, std::string_view sql)
{
    SqliteStatement statement = file.prepare(sql);
    return statement.step() ? statement.number(0) : 0;
}

/// Bytes at a page's end that extensions reserve: byte 20 of the file's header.
std::int64_t reservedBytes(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray head = file.read(21);
    return head.size() == 21 ? static_cast<unsigned char>(head[20]) : 0;
}

} // namespace

Result<std::optional<StorageFacts>> storageFacts(const std::string &path, const JobContext &job)
{
    if (!looksLikeSqlite(path))
        return std::optional<StorageFacts>();
    const Result<std::unique_ptr<SqliteFile>> opened = SqliteFile::open(path);
    if (!opened)
        return tl::unexpected(opened.error());
    const SqliteFile &file = **opened;
    StorageFacts facts;
    facts.pageSize = number(file, "PRAGMA page_size");
    facts.pages = number(file, "PRAGMA page_count");
    facts.freePages = number(file, "PRAGMA freelist_count");
    facts.reserved = reservedBytes(path);
    facts.walBytes = QFileInfo(QString::fromStdString(path + "-wal")).size();
    if (job.stopped())
        return failure(Error::Code::Cancelled, path, "stopped");
    // octet_length looks at a row's header only.
    SqliteStatement orphans = file.prepare(
        "SELECT count(*), ifnull(sum(octet_length(value)), 0) FROM writes AS w WHERE NOT EXISTS (SELECT 1 FROM "
        "checkpoints AS c WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = w.checkpoint_ns AND "
        "c.checkpoint_id = w.checkpoint_id)");
    if (orphans.step()) {
        facts.orphanWrites = orphans.number(0);
        facts.orphanBytes = orphans.number(1);
    }
    return std::optional(facts);
}

} // namespace palimpsest
