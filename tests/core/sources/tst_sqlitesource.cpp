// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"
#include "core/sources/sqlitesource.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <iostream>
#include <map>
#include <sqlite3.h>

using namespace Qt::StringLiterals;
using namespace palimpsest;

namespace {

QString recording(const QString &name)
{
    return QStringLiteral(PALIMPSEST_TEST_DATA "/recordings/0.7.7/") + name + u".sqlite"_s;
}

/// Names and bytes of everything in a folder.
std::map<QString, QByteArray> contents(const QString &folder)
{
    std::map<QString, QByteArray> found;
    for (const QFileInfo &info : QDir(folder).entryInfoList(QDir::Files | QDir::Hidden)) {
        QFile file(info.filePath());
        if (file.open(QIODevice::ReadOnly))
            found.emplace(info.fileName(), file.readAll());
    }
    return found;
}

/// Another process with a connection of its own: this program, started as one. (In one process SQLite shares its
/// locks and the -shm between connections.)
class Writer {
public:
    explicit Writer(const QString &path)
    {
        m_process.start(QCoreApplication::applicationFilePath(), {u"--writer"_s, path});
        m_process.waitForStarted();
    }
    ~Writer()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }
    bool run(const char *sql)
    {
        m_process.write(QByteArray(sql) + '\n');
        while (!m_process.canReadLine())
            if (!m_process.waitForReadyRead())
                return false;
        return m_process.readLine() == "ok\n";
    }
    static int serve(const char *path)
    {
        sqlite3 *db = nullptr;
        sqlite3_open(path, &db);
        for (std::string line; std::getline(std::cin, line);) {
            const bool done = sqlite3_exec(db, line.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
            std::cout << (done ? "ok" : sqlite3_errmsg(db)) << std::endl;
        }
        sqlite3_close(db);
        return 0;
    }

private:
    QProcess m_process;
};

std::size_t checkpointCount(CheckpointSource &source, const std::string &thread)
{
    const Result<ThreadPtr> loaded = loadThread(source, thread, {}, {});
    return loaded ? (*loaded)->namespaces.front().checkpoints.size() : 0;
}

constexpr const char *addRow =
    "INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, checkpoint_id || 'x', checkpoint_id, type, checkpoint, "
    "metadata FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1";

} // namespace

class TestSqliteSource : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QString m_path;

private Q_SLOTS:
    void init()
    {
        const QString folder = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()));
        QDir(folder).removeRecursively();
        QVERIFY(QDir().mkpath(folder));
        m_path = folder + u"/a thread? #1%20.db"_s;
        QVERIFY(QFile::copy(recording(u"summarize_chain"_s), m_path));
        QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner);
    }

    void leavesAPlainDatabaseAsItIs()
    {
        const auto before = contents(QFileInfo(m_path).path());
        {
            Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
            QVERIFY2(source, source ? "" : source.error().what.c_str());
            QCOMPARE((*source)->info().journal, std::string("immutable"));
            QVERIFY(checkpointCount(**source, "summarize_chain") > 10);
            QVERIFY(listThreads(**source, true, {}).has_value());
            QCOMPARE(contents(QFileInfo(m_path).path()), before);
        }
        QCOMPARE(contents(QFileInfo(m_path).path()), before);
    }

    void readsALiveWriteAheadLogAndLeavesItAsItIs()
    {
        Writer writer(m_path);
        QVERIFY(writer.run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0"));
        QVERIFY(writer.run(addRow));
        const auto before = contents(QFileInfo(m_path).path());
        QCOMPARE(before.size(), std::size_t(3));
        {
            Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
            QVERIFY2(source, source ? "" : source.error().what.c_str());
            const std::size_t count = checkpointCount(**source, "summarize_chain");
            QCOMPARE(contents(QFileInfo(m_path).path()), before);
            // The other process goes on, and the next reading sees it.
            QVERIFY(writer.run(addRow));
            const auto after = contents(QFileInfo(m_path).path());
            QCOMPARE(checkpointCount(**source, "summarize_chain"), count + 1);
            QCOMPARE(contents(QFileInfo(m_path).path()), after);
        }
        QVERIFY(writer.run("PRAGMA wal_checkpoint(TRUNCATE)"));
    }

    void readsAWriteAheadLogThatWasLeftBehind()
    {
        const QString copy = m_path + u".copy"_s;
        std::size_t plain = 0;
        {
            Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
            QVERIFY(source.has_value());
            plain = checkpointCount(**source, "summarize_chain");
            Writer writer(m_path);
            QVERIFY(writer.run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0"));
            QVERIFY(writer.run(addRow));
            QVERIFY(QFile::copy(m_path, copy));
            QVERIFY(QFile::copy(m_path + u"-wal"_s, copy + u"-wal"_s));
        }
        const auto before = contents(QFileInfo(copy).path());
        {
            Result<std::unique_ptr<CheckpointSource>> source = openSource(copy.toStdString());
            QVERIFY2(source, source ? "" : source.error().what.c_str());
            QCOMPARE((*source)->info().journal, std::string("copy"));
            QCOMPARE(checkpointCount(**source, "summarize_chain"), plain + 1);
            QCOMPARE(contents(QFileInfo(copy).path()), before);
        }
        QCOMPARE(contents(QFileInfo(copy).path()), before);
        for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
            QVERIFY(!(entry.path().filename().string().starts_with("palimpsest-")
                && std::filesystem::exists(entry.path() / "database")));
    }

    void readsTheStateBeforeAnUnfinishedTransaction()
    {
        const QString copy = m_path + u".copy"_s;
        std::size_t plain = 0;
        {
            Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
            plain = checkpointCount(**source, "summarize_chain");
        }
        Writer writer(m_path);
        // A tiny cache makes SQLite write pages of the open transaction to the file.
        QVERIFY(writer.run("PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN IMMEDIATE; DELETE FROM writes; "
                           "UPDATE checkpoints SET thread_id = 'other'"));
        QVERIFY(QFile::copy(m_path, copy));
        QVERIFY(QFile::copy(m_path + u"-journal"_s, copy + u"-journal"_s));
        QVERIFY(writer.run("ROLLBACK"));
        const auto before = contents(QFileInfo(copy).path());
        Result<std::unique_ptr<CheckpointSource>> source = openSource(copy.toStdString());
        QVERIFY2(source, source ? "" : source.error().what.c_str());
        QCOMPARE(checkpointCount(**source, "summarize_chain"), plain);
        QCOMPARE(contents(QFileInfo(copy).path()), before);
    }

    void seesWhatAnotherProcessWroteWithoutALog()
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
        QVERIFY(source.has_value());
        const std::size_t count = checkpointCount(**source, "summarize_chain");
        Writer writer(m_path);
        QVERIFY(writer.run("PRAGMA journal_mode=DELETE"));
        QVERIFY(writer.run(addRow));
        QCOMPARE(checkpointCount(**source, "summarize_chain"), count + 1);
        // The first connection appears later with a log of its own.
        QVERIFY(writer.run("PRAGMA journal_mode=WAL"));
        QVERIFY(writer.run(addRow));
        QCOMPARE(checkpointCount(**source, "summarize_chain"), count + 2);
    }

    void readsWithoutTaskPathAndWithColumnsInAnotherOrder()
    {
        Writer writer(m_path);
        QVERIFY(writer.run("ALTER TABLE writes DROP COLUMN task_path"));
        QVERIFY(writer.run("ALTER TABLE checkpoints RENAME TO old; CREATE TABLE checkpoints (metadata BLOB, checkpoint "
                           "BLOB, extra INT, type TEXT, "
                           "parent_checkpoint_id TEXT, checkpoint_id TEXT, checkpoint_ns TEXT, thread_id TEXT); INSERT "
                           "INTO checkpoints (thread_id, "
                           "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata) SELECT "
                           "thread_id, checkpoint_ns, "
                           "checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM old; DROP TABLE old"));
        Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
        QVERIFY2(source, source ? "" : source.error().what.c_str());
        QVERIFY(!(*source)->info().hasTaskPath);
        const Result<ThreadPtr> thread = loadThread(**source, "summarize_chain", {}, {});
        QVERIFY(thread.has_value());
        QVERIFY((*thread)->namespaces.front().checkpoints.back().messages.size() > 20);
        QVERIFY((*thread)->namespaces.front().checkpoints.back().event != nullptr);
    }

    void keepsThreadsApart()
    {
        Writer writer(m_path);
        QVERIFY(writer.run("INSERT INTO checkpoints SELECT 'other', checkpoint_ns, checkpoint_id, "
                           "parent_checkpoint_id, type, checkpoint, metadata FROM "
                           "checkpoints ORDER BY checkpoint_id LIMIT 3"));
        Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
        const Result<std::vector<ThreadRow>> rows = listThreads(**source, false, {});
        QVERIFY(rows.has_value());
        QCOMPARE(rows->size(), std::size_t(2));
        QCOMPARE(rows->back().id, std::string("other"));
        QCOMPARE((*source)->threadIds({}).value_or(std::vector<std::string>()),
            (std::vector<std::string>{"other", "summarize_chain"}));
        QCOMPARE(rows->back().checkpoints, std::int64_t(3));
        QCOMPARE(checkpointCount(**source, "other"), std::size_t(3));
    }

    void saysWhatItLookedFor_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("words");
        QTest::newRow("empty") << QByteArray() << u"empty"_s;
        QTest::newRow("text") << QByteArray("hello") << u"not recognised"_s;
        QTest::newRow("header only") << QByteArray("SQLite format 3\0", 16) << u"SQLite"_s;
    }

    void saysWhatItLookedFor()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, words);
        const QString path = m_folder.filePath(u"odd"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        const auto source = openSource(path.toStdString());
        QVERIFY(!source);
        QVERIFY2(QString::fromStdString(source.error().what).contains(words), source.error().what.c_str());
    }

    void namesTheTablesOfAnotherDatabase()
    {
        const QString path = m_folder.filePath(u"other.db"_s);
        QVERIFY(Writer(path).run("CREATE TABLE cookies (a); CREATE TABLE history (b)"));
        const auto source = openSource(path.toStdString());
        QVERIFY(!source);
        QCOMPARE(source.error().code, Error::Code::Unsupported);
        QVERIFY(source.error().what.find("cookies, history") != std::string::npos);
        QVERIFY(!openSource("/nowhere/at/all.sqlite"));
        QVERIFY(!openSource(m_folder.path().toStdString() + "/nothing"));
    }

    void opensAFolderAndAnAddress()
    {
        QVERIFY(openSource(QFileInfo(m_path).path().toStdString()).has_value());
        const std::string odd = QFileInfo(m_path).path().toStdString() + "/odd #1? 100%.db";
        QVERIFY(QFile::copy(m_path, QString::fromStdString(odd)));
        const std::string encoded = QFileInfo(m_path).path().toStdString() + "/odd%20%231%3F%20100%25.db";
        for (const std::string &address : {"sqlite:///" + m_path.toStdString(), "sqlite:////" + m_path.toStdString(),
                 "sqlite+aiosqlite:///" + m_path.toStdString() + "?timeout=5", "file:" + m_path.toStdString(),
                 "file://localhost" + m_path.toStdString() + "?mode=ro", odd, "sqlite:///" + odd, "file:" + odd,
                 "sqlite:///" + encoded, "file://" + encoded + "?mode=ro&cache=shared"})
            QVERIFY2(openSource(address).has_value(), address.c_str());
        const auto missing = openSource("sqlite+aiosqlite:////nowhere/a%20b.db?x=1");
        QVERIFY(!missing);
        QCOMPARE(missing.error().where, std::string("/nowhere/a b.db"));
    }

    void readsABlobInParts()
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
        const auto rows = (*source)->checkpoints("summarize_chain", "", {});
        QVERIFY(rows.has_value());
        const std::string &id = rows->back().id;
        const Result<TypedBytes> whole = (*source)->checkpointBlob("summarize_chain", "", id);
        QVERIFY(whole.has_value());
        QCOMPARE(static_cast<std::int64_t>(whole->bytes.size()), rows->back().blobSize);
        const Result<std::string> part = (*source)->blobPart("summarize_chain", "", id, 7, 50);
        QVERIFY(part.has_value());
        QCOMPARE(*part, whole->bytes.substr(7, 50));
        QCOMPARE((*source)->blobPart("summarize_chain", "", id, 1 << 30, 50).value_or("?"), std::string());
        QVERIFY(!(*source)->checkpointBlob("summarize_chain", "", "no"));
    }

    void stopsWhenAsked()
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(m_path.toStdString());
        std::stop_source stop;
        stop.request_stop();
        JobContext job;
        job.stop = stop.get_token();
        const auto thread = loadThread(**source, "summarize_chain", {}, job);
        QVERIFY(!thread);
        QCOMPARE(thread.error().code, Error::Code::Cancelled);
    }
};

int main(int argc, char **argv)
{
    if (argc == 3 && std::string_view(argv[1]) == "--writer")
        return Writer::serve(argv[2]);
    QCoreApplication app(argc, argv);
    TestSqliteSource test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_sqlitesource.moc"
