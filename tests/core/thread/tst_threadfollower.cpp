// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"
#include "core/thread/threadfollower.h"
#include "tests/support/checkpointfile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace palimpsest;
using palimpsest::test::CheckpointFile;

namespace {

std::string difference(const Checkpoint &a, const Checkpoint &b)
{
    if (a.id != b.id || a.parent != b.parent || a.children != b.children || a.step != b.step || a.source != b.source
        || a.createdAt != b.createdAt || a.metadata != b.metadata)
        return "the row";
    if (a.incomplete != b.incomplete || a.sessionId != b.sessionId || a.findings != b.findings)
        return "what is known of it";
    if (a.messages.size() != b.messages.size())
        return "a log of " + std::to_string(a.messages.size()) + ", not " + std::to_string(b.messages.size());
    for (std::size_t i = 0; i < a.messages.size(); ++i)
        if (!(*a.messages[i] == *b.messages[i]))
            return "message " + std::to_string(i);
    if (!a.event != !b.event || (a.event && !(*a.event == *b.event)))
        return "the event";
    if (a.files.size() != b.files.size() || a.waiting.size() != b.waiting.size())
        return "files or waiting";
    return {};
}

/// Where a thread that was followed differs from the one that a fresh reading gives; empty when it does not.
std::string difference(const Thread &followed, const Thread &fresh)
{
    if (followed.namespaces.size() != fresh.namespaces.size() || followed.subagents.size() != fresh.subagents.size())
        return "namespaces or subagents";
    for (std::size_t n = 0; n < fresh.namespaces.size(); ++n) {
        const ThreadNamespace &a = followed.namespaces[n];
        const ThreadNamespace &b = fresh.namespaces[n];
        if (a.name != b.name || a.checkpoints.size() != b.checkpoints.size() || a.heads != b.heads
            || a.eventCheckpoints != b.eventCheckpoints || a.versions.size() != b.versions.size())
            return "namespace " + b.name;
        for (std::size_t i = 0; i < b.checkpoints.size(); ++i)
            if (const std::string why = difference(a.checkpoints[i], b.checkpoints[i]); !why.empty())
                return b.checkpoints[i].id + ": " + why;
        if (a.calls.size() != b.calls.size())
            return "calls";
        for (std::size_t i = 0; i < b.calls.size(); ++i)
            if (a.calls[i].taskId != b.calls[i].taskId || a.calls[i].checkpoint != b.calls[i].checkpoint
                || a.calls[i].number != b.calls[i].number || a.calls[i].log.size() != b.calls[i].log.size()
                || a.calls[i].outcome != b.calls[i].outcome)
                return "call " + std::to_string(i + 1);
    }
    return {};
}

} // namespace

class TestThreadFollower : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::unique_ptr<CheckpointSource> open(const std::string &path)
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(path);
        return source ? std::move(*source) : nullptr;
    }

private Q_SLOTS:
    void growsAsAFreshReadingWouldSeeIt_data()
    {
        QTest::addColumn<QString>("recording");
        QTest::addColumn<bool>("writeAhead");
        for (const char *name : {"summarize_chain", "subagent", "fork", "interrupted", "exit_durability"})
            QTest::addRow("%s", name) << QStringLiteral("0.7.7/") + QString::fromLatin1(name) << false;
        QTest::newRow("write-ahead log") << QStringLiteral("0.7.7/summarize_chain") << true;
    }

    void growsAsAFreshReadingWouldSeeIt()
    {
        QFETCH(QString, recording);
        QFETCH(bool, writeAhead);
        const std::string path = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag())).toStdString();
        CheckpointFile file(path);
        file.createTables();
        if (writeAhead)
            QVERIFY(file.run("PRAGMA journal_mode = WAL"));
        QVERIFY(file.run("ATTACH '" PALIMPSEST_TEST_DATA "/recordings/" + recording.toStdString() + ".sqlite' AS old"));
        const std::string thread = file.ask("SELECT thread_id FROM old.checkpoints");
        const auto next = [&](const std::string &after) {
            return file.ask("SELECT min(checkpoint_id) FROM old.checkpoints WHERE checkpoint_id > '" + after + "'");
        };
        const auto copy = [&](const std::string &table, const std::string &id) {
            return file.run(
                "INSERT INTO main." + table + " SELECT * FROM old." + table + " WHERE checkpoint_id = '" + id + "'");
        };
        std::string id = next("");
        QVERIFY(copy("checkpoints", id));
        const auto source = open(path);
        QVERIFY(source);
        ThreadFollower follower(*source, thread);
        ThreadPtr followed = follower.poll({}).value();
        QVERIFY(followed);
        QVERIFY(!follower.poll({}).value());
        std::size_t steps = 0;
        for (; !id.empty(); id = next(id), ++steps) {
            for (const char *table : {"checkpoints", "writes"}) {
                if (steps == 0 && std::string(table) == "checkpoints")
                    continue;
                QVERIFY(copy(table, id));
                Result<ThreadPtr> now = follower.poll({});
                QVERIFY2(now, now ? "" : now.error().what.c_str());
                if (*now)
                    followed = *now;
                const auto again = open(path);
                QVERIFY(again);
                const Result<ThreadPtr> fresh = loadThread(*again, thread, {}, {});
                QVERIFY(fresh);
                const std::string why = difference(*followed, **fresh);
                QVERIFY2(why.empty(), (std::string(table) + " of " + id + ": " + why).c_str());
            }
        }
        QVERIFY(steps > 1);
    }

    void sharesWhatDidNotChange()
    {
        const std::string path = m_folder.filePath(QStringLiteral("shared")).toStdString();
        test::makeDeltaThread(path, 200, 50);
        const auto source = open(path);
        ThreadFollower follower(*source, "made");
        const ThreadPtr before = follower.poll({}).value();
        QVERIFY(before);
        const Checkpoint last = before->namespaces.front().checkpoints.back();
        CheckpointFile file(path);
        file.checkpoint("made", "", CheckpointFile::id(900, last.step + 1), last.id, Value(Value::Map{}),
            Value::map({{"messages", Value("9")}}),
            Value::map({{"source", Value("loop")}, {"step", Value(last.step + 1)}}));
        const ThreadPtr after = follower.poll({}).value();
        QVERIFY(after);
        QCOMPARE(after->namespaces.front().checkpoints.size(), before->namespaces.front().checkpoints.size() + 1);
        // Not equal: the same object.
        QCOMPARE(after->namespaces.front().checkpoints.back().messages[0].get(), last.messages[0].get());
    }

    void readsAgainWhereRowsWentAway()
    {
        const std::string path = m_folder.filePath(QStringLiteral("shrunk")).toStdString();
        test::makeDeltaThread(path, 20, 5);
        const auto source = open(path);
        ThreadFollower follower(*source, "made");
        const ThreadPtr before = follower.poll({}).value();
        const std::string last = before->namespaces.front().checkpoints.back().id;
        CheckpointFile file(path);
        QVERIFY(file.run("DELETE FROM checkpoints WHERE checkpoint_id = '" + last + "'"));
        const ThreadPtr after = follower.poll({}).value();
        QVERIFY(after);
        QCOMPARE(after->namespaces.front().checkpoints.size(), before->namespaces.front().checkpoints.size() - 1);
        QVERIFY(file.run("DELETE FROM checkpoints"));
        const Result<ThreadPtr> gone = follower.poll({});
        QVERIFY(!gone);
        QCOMPARE(gone.error().code, Error::Code::NotFound);
    }

    void costsNextToNothingWhileNothingHappens()
    {
        const std::string path = m_folder.filePath(QStringLiteral("idle")).toStdString();
        test::makeDeltaThread(path, 2000, 50);
        const auto source = open(path);
        ThreadFollower follower(*source, "made");
        QVERIFY(follower.poll({}).value());
        constexpr int polls = 500; // fifty seconds of ten a second
        const std::clock_t begin = std::clock();
        for (int i = 0; i < polls; ++i)
            QVERIFY(!follower.poll({}).value());
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 0.5, std::to_string(seconds).c_str());
    }
};

QTEST_GUILESS_MAIN(TestThreadFollower)
#include "tst_threadfollower.moc"
