// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"
#include "core/thread/blobview.h"
#include "core/thread/bodypool.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace palimpsest;

namespace {

/// A blob, whole and cut at every length a prefix may have, and the same bytes as a write.
void readBlob(std::string_view type, std::string_view bytes)
{
    BodyPool pool;
    if (const Result<BlobView> view = viewBlob(type, bytes)) {
        for (const StoredChannel &channel : view->channels) {
            (void)channel.decode();
            (void)pool.log(channel, [](std::size_t, const Error &) { });
        }
    }
    for (std::size_t size = 0; size <= std::min<std::size_t>(bytes.size(), 600); size += 7)
        (void)viewPrefix(bytes.substr(0, size));
    (void)pool.write(type, bytes);
}

/// A real database with some bytes changed: each five bytes of the input say where and what.
void readDatabase(std::string_view patches)
{
    static int count = 1;
    static char name[] = "fuzz";
    static char *arguments[] = {name, nullptr};
    // Never destroyed: Qt Sql's own statics go before ours would and are asked once more by its end.
    static const auto *app = new QCoreApplication(count, arguments);
    static_cast<void>(app);
    static const QByteArray original = [] {
        QFile file(QStringLiteral(PALIMPSEST_TEST_DATA "/recordings/0.7.7/plain.sqlite"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }();
    static const QTemporaryDir folder;
    QByteArray bytes = original;
    for (std::size_t at = 0; at + 5 <= patches.size() && !bytes.isEmpty(); at += 5) {
        std::uint32_t place = 0;
        std::memcpy(&place, patches.data() + at, 4);
        if (place % 64 == 0)
            bytes.truncate(place / 64 % bytes.size() + 1);
        bytes[static_cast<qsizetype>(place % static_cast<std::uint32_t>(bytes.size()))] = patches[at + 4];
    }
    QFile file(folder.filePath(QStringLiteral("fuzz.sqlite")));
    if (!file.open(QIODevice::WriteOnly))
        return;
    file.write(bytes);
    file.close();
    Result<std::unique_ptr<CheckpointSource>> source = openSource(file.fileName().toStdString());
    if (!source)
        return;
    const Result<std::vector<ThreadRow>> rows = listThreads(**source, false, {});
    if (!rows)
        return;
    for (const ThreadRow &row : *rows) {
        const Result<ThreadPtr> thread = loadThread(**source, row.id, {}, {});
        if (!thread && thread.error().what.empty())
            std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        readBlob("msgpack", bytes);
        break;
    case 1:
        readBlob("json", bytes);
        break;
    default:
        readDatabase(bytes);
    }
    return 0;
}
