// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"
#include "tests/support/checkpointfile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace Qt::StringLiterals;
using namespace palimpsest;
using palimpsest::test::CheckpointFile;

namespace {

QByteArray recording(const QString &name)
{
    QFile file(QStringLiteral(PALIMPSEST_TEST_DATA "/recordings/0.7.7/") + name + u".sqlite"_s);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Reads everything that a file offers; the number of checkpoints that were shown, -1 when it did not open. An error
/// must say what it is.
std::int64_t readAll(const std::string &path)
{
    Result<std::unique_ptr<CheckpointSource>> source = openSource(path);
    if (!source)
        return source.error().what.empty() ? -2 : -1;
    const Result<std::vector<ThreadRow>> rows = listThreads(**source, true, {});
    if (!rows)
        return rows.error().what.empty() ? -2 : -1;
    std::int64_t shown = 0;
    for (const ThreadRow &row : *rows) {
        const Result<ThreadPtr> thread = loadThread(**source, row.id, {}, {});
        if (!thread) {
            if (thread.error().what.empty())
                return -2;
            continue;
        }
        for (const ThreadNamespace &space : (*thread)->namespaces) {
            shown += static_cast<std::int64_t>(space.checkpoints.size());
            if (!space.checkpoints.empty())
                (void)readChannels(**source, **thread, space.name, CheckpointIndex(space.checkpoints.size() / 2));
        }
    }
    return shown;
}

} // namespace

class TestDamageThreadReader : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string store(const QByteArray &bytes)
    {
        const QString path = m_folder.filePath(u"damaged.sqlite"_s);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            return {};
        return path.toStdString();
    }

private Q_SLOTS:
    void readsWhatIsLeftOfATruncatedFile()
    {
        const QByteArray whole = recording(u"summarize_chain"_s);
        QVERIFY(whole.size() > 100000);
        const std::int64_t all = readAll(store(whole));
        QVERIFY(all > 40);
        std::int64_t most = 0;
        for (qsizetype size = 0; size < whole.size(); size += whole.size() / 37 + 1) {
            const std::int64_t shown = readAll(store(whole.first(size)));
            QVERIFY2(shown >= -1, qPrintable(QString::number(size)));
            QVERIFY(shown <= all);
            most = std::max(most, shown);
        }
        QVERIFY(most > 0);
    }

    void readsWhatIsLeftOfACorruptedFile()
    {
        const QByteArray whole = recording(u"tool_offload"_s);
        std::mt19937 random(7);
        for (int i = 0; i < 60; ++i) {
            QByteArray bytes = whole;
            const int spots = 1 + i % 12;
            for (int k = 0; k < spots; ++k) {
                const qsizetype at = static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()));
                const qsizetype length =
                    std::min<qsizetype>(1 + static_cast<qsizetype>(random() % (i % 3 ? 8U : 4096U)), bytes.size() - at);
                for (qsizetype b = at; b < at + length; ++b)
                    bytes[b] = static_cast<char>(random());
            }
            QVERIFY2(readAll(store(bytes)) >= -1, qPrintable(QString::number(i)));
        }
    }

    void namesEveryBlobThatIsCut()
    {
        const std::string path = store(recording(u"media"_s));
        QCOMPARE(readAll(path) > 0, true);
        CheckpointFile change(path);
        const std::int64_t size =
            std::stoll(change.ask("SELECT max(length(checkpoint)) FROM checkpoints WHERE checkpoint_ns = ''"));
        for (std::int64_t cut = 0; cut < size; cut += size / 60 + 1) {
            QVERIFY(
                change.run("CREATE TABLE IF NOT EXISTS kept AS SELECT rowid AS place, checkpoint FROM checkpoints"));
            QVERIFY(change.run("UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, " + std::to_string(cut)
                + ") WHERE length(checkpoint) > " + std::to_string(cut)));
            Result<std::unique_ptr<CheckpointSource>> source = openSource(path);
            QVERIFY(source.has_value());
            const Result<ThreadPtr> thread = loadThread(**source, "media", {}, {});
            QVERIFY(thread.has_value());
            std::size_t findings = 0;
            for (const Checkpoint &checkpoint : (*thread)->namespaces.front().checkpoints)
                findings += checkpoint.findings.size();
            QVERIFY2(findings > 0, qPrintable(QString::number(cut)));
            QVERIFY(change.run(
                "UPDATE checkpoints SET checkpoint = (SELECT checkpoint FROM kept WHERE place = checkpoints.rowid)"));
        }
    }

    void namesEveryWriteThatIsCut()
    {
        for (int cut = 0; cut < 600; cut += 13) {
            const std::string path = store(recording(u"plain"_s));
            CheckpointFile change(path);
            QVERIFY(change.run("UPDATE writes SET value = substr(value, 1, " + std::to_string(cut)
                + ") WHERE channel = 'messages' AND length(value) > " + std::to_string(cut)));
            const bool changed = change.ask("SELECT changes()") != "0";
            Result<std::unique_ptr<CheckpointSource>> source = openSource(path);
            const Result<ThreadPtr> thread = loadThread(**source, "plain", {}, {});
            QVERIFY(thread.has_value());
            std::size_t findings = 0;
            for (const Checkpoint &checkpoint : (*thread)->namespaces.front().checkpoints)
                findings += checkpoint.findings.size();
            QCOMPARE(findings > 0, changed);
        }
    }

    void readsRowsOfWrongTypes_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::newRow("blob is a number") << u"UPDATE checkpoints SET checkpoint = 5"_s;
        QTest::newRow("blob is text") << u"UPDATE checkpoints SET checkpoint = 'text'"_s;
        QTest::newRow("blob is null") << u"UPDATE checkpoints SET checkpoint = NULL"_s;
        QTest::newRow("metadata is a blob") << u"UPDATE checkpoints SET metadata = x'ff00ff'"_s;
        QTest::newRow("metadata is a list") << u"UPDATE checkpoints SET metadata = '[1]'"_s;
        QTest::newRow("metadata is null") << u"UPDATE checkpoints SET metadata = NULL"_s;
        QTest::newRow("type is null") << u"UPDATE checkpoints SET type = NULL"_s;
        QTest::newRow("type is odd") << u"UPDATE writes SET type = 'zstd'"_s;
        QTest::newRow("parent is itself") << u"UPDATE checkpoints SET parent_checkpoint_id = checkpoint_id"_s;
        QTest::newRow("parent is empty") << u"UPDATE checkpoints SET parent_checkpoint_id = ''"_s;
        QTest::newRow("ids are blobs") << u"UPDATE checkpoints SET checkpoint_id = CAST(checkpoint_id AS BLOB)"_s;
        QTest::newRow("thread is a blob") << u"UPDATE checkpoints SET thread_id = x'00ff'"_s;
        QTest::newRow("ids are words") << u"UPDATE checkpoints SET checkpoint_id = 'word' || rowid"_s;
        QTest::newRow("write idx is text") << u"UPDATE writes SET idx = 'x' || idx"_s;
        QTest::newRow("write value is null") << u"UPDATE writes SET value = NULL"_s;
        QTest::newRow("write task is a blob") << u"UPDATE writes SET task_id = x'00' || task_id"_s;
        QTest::newRow("no writes") << u"DELETE FROM writes"_s;
        QTest::newRow("no writes table") << u"DROP TABLE writes"_s;
        QTest::newRow("no metadata column") << u"ALTER TABLE checkpoints DROP COLUMN metadata"_s;
        QTest::newRow("no type column") << u"ALTER TABLE checkpoints DROP COLUMN type"_s;
        QTest::newRow("writes of another shape") << u"DROP TABLE writes; CREATE TABLE writes (a, b)"_s;
        QTest::newRow("checkpoints is a view")
            << u"ALTER TABLE checkpoints RENAME TO real; CREATE VIEW checkpoints AS SELECT * FROM real"_s;
        QTest::newRow("no rows") << u"DELETE FROM checkpoints"_s;
        QTest::newRow("2 GB length") << u"UPDATE writes SET value = x'dd7fffffff'"_s;
        QTest::newRow("nesting bomb")
            << u"UPDATE checkpoints SET checkpoint = CAST(replace(hex(zeroblob(200000)), '00', x'91') AS BLOB)"_s;
    }

    void readsRowsOfWrongTypes()
    {
        QFETCH(QString, sql);
        const std::string path = store(recording(u"summarize_chain"_s));
        {
            CheckpointFile change(path);
            QVERIFY2(change.run(sql.toStdString()), qPrintable(sql));
        }
        QVERIFY(readAll(path) >= -1);
    }

    void saysThatCheckpointsAreMissing()
    {
        const std::string path = store(recording(u"plain"_s));
        QVERIFY(CheckpointFile(path).run("DROP TABLE checkpoints"));
        const auto source = openSource(path);
        QVERIFY(!source);
        QCOMPARE(source.error().code, Error::Code::Unsupported);
        QVERIFY(source.error().what.find("writes") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestDamageThreadReader)
#include "tst_damage_threadreader.moc"
