// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/threadsearch.h"
#include "core/serde/json.h"
#include "core/sources/sourceprobe.h"
#include "tests/support/checkpointfile.h"
#include "tests/support/clirun.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace palimpsest;

namespace {

std::vector<std::string> lines(const std::string &text)
{
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        all.push_back(line);
    return all;
}

std::vector<std::string> threadsOf(const std::string &text)
{
    std::vector<std::string> ids;
    for (const std::string &line : lines(text)) {
        const Result<Value> document = parseJson(line);
        ids.push_back(document ? (*document)["thread_id"].asText() : "no JSON: " + line);
    }
    return ids;
}

} // namespace

/// Commands over all threads of a source.
class TestFleet : public QObject {
    Q_OBJECT

    static constexpr int threadCount = 60;
    QTemporaryDir m_folder;
    std::string m_file;

    std::string run(std::vector<std::string> args, int expected = -1)
    {
        args.insert(args.begin() + 1, m_file);
        int status = 0;
        std::string messages;
        const std::string out = runOnBuffers(args, &status, &messages);
        if (expected >= 0 && status != expected)
            return "status " + std::to_string(status) + ": " + messages;
        return out;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_file = m_folder.filePath(QStringLiteral("fleet.sqlite")).toStdString();
        test::CheckpointFile file(m_file);
        file.createTables();
        for (const char *name : {"plain", "interrupted"}) {
            QVERIFY(
                file.run(std::string("ATTACH '" PALIMPSEST_TEST_DATA "/recordings/0.7.7/") + name + ".sqlite' AS old"));
            for (const char *table : {"checkpoints", "writes"})
                QVERIFY(file.run("INSERT INTO main." + std::string(table)
                    + " SELECT t.id, o.checkpoint_ns, o.checkpoint_id, "
                    + (table == std::string("checkpoints")
                            ? "o.parent_checkpoint_id, o.type, o.checkpoint, o.metadata"
                            : "o.task_id, o.task_path, o.idx, o.channel, o.type, o.value")
                    + " FROM old." + table
                    + " o, (WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29) SELECT '"
                    + name + "-' || i AS id FROM n) t"));
            QVERIFY(file.run("DETACH old"));
        }
    }

    void lintsAllThreadsInOneOrder()
    {
        const std::string alone = run({"lint", "--jobs", "1"});
        QCOMPARE(threadsOf(alone).size(), static_cast<std::size_t>(threadCount));
        QCOMPARE(run({"lint", "--jobs", "4"}), alone);
        QCOMPARE(run({"lint"}), alone);
    }

    void shardsAreAPartition()
    {
        for (const char *command : {"lint", "threads"}) {
            std::multiset<std::string> all;
            for (const char *shard : {"1/3", "2/3", "3/3"}) {
                const std::vector<std::string> part = threadsOf(run({command, "--shard", shard}));
                QVERIFY(part.size() < threadCount);
                all.insert(part.begin(), part.end());
            }
            QCOMPARE(all.size(), static_cast<std::size_t>(threadCount));
            QCOMPARE(std::set<std::string>(all.begin(), all.end()).size(), static_cast<std::size_t>(threadCount));
        }
        for (const char *shard : {"0/3", "4/3", "x", "1/", "/3", "1/3x", "1 /3"})
            QVERIFY2(run({"lint", "--shard", shard}, 0).starts_with("status 2"), shard);
    }

    void goesOnWhereItWasInterrupted()
    {
        for (const char *command : {"lint", "threads"}) {
            const std::vector<std::string> all = lines(run({command, "--jobs", "2", "--shard", "1/1"}));
            QCOMPARE(all.size(), static_cast<std::size_t>(threadCount));
            QFile earlier(m_folder.filePath(QStringLiteral("earlier.jsonl")));
            QVERIFY(earlier.open(QIODevice::WriteOnly));
            std::string rest;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (i < 20)
                    earlier.write(QByteArray::fromStdString(all[i] + "\n"));
                else
                    rest += all[i] + "\n";
            }
            earlier.write(QByteArray::fromStdString(all[20].substr(0, all[20].size() / 2)));
            earlier.close();
            QCOMPARE(run({command, "--resume", earlier.fileName().toStdString()}), rest);
        }
    }

    void takesThreadsFromAList()
    {
        QFile list(m_folder.filePath(QStringLiteral("list")));
        QVERIFY(list.open(QIODevice::WriteOnly));
        list.write("plain-3\nplain-11\nnot there\ninterrupted-7\n");
        list.close();
        const std::vector<std::string> expected{"interrupted-7", "plain-11", "plain-3"};
        QCOMPARE(threadsOf(run({"lint", "--only", list.fileName().toStdString()})), expected);
        std::vector<std::string> rows = threadsOf(run({"threads", "--only", list.fileName().toStdString()}));
        std::sort(rows.begin(), rows.end());
        QCOMPARE(rows, expected);
    }

    void givesTheSameRowsAsJsonAndAsLines()
    {
        const Result<Value> array = parseJson(run({"threads", "--json"}, 0));
        QVERIFY(array);
        QCOMPARE(array->asList().size(), static_cast<std::size_t>(threadCount));
        const std::vector<std::string> rows = lines(run({"threads", "--json-lines"}, 0));
        QCOMPARE(rows.size(), static_cast<std::size_t>(threadCount));
        for (std::size_t i = 0; i < rows.size(); ++i)
            QCOMPARE(*parseJson(rows[i]), array->asList()[i]);
        std::size_t waiting = 0;
        for (const Value &row : array->asList())
            waiting += row["waiting"].isText();
        QCOMPARE(waiting, static_cast<std::size_t>(threadCount) / 2);
    }

    void findsATextInAllThreads()
    {
        const Result<Value> array = parseJson(run({"threads", "--json"}, 0));
        QVERIFY(array);
        std::string title;
        for (const Value &row : array->asList())
            if (row["thread_id"].asText() == "plain-0")
                title = row["title"].asText();
        QVERIFY(!title.empty());
        Result<std::unique_ptr<CheckpointSource>> source = openSource(m_file);
        QVERIFY(source);
        std::set<std::string> found;
        const auto take = [&found](ThreadHit &&hit) { return found.insert(hit.threadId).second; };
        QVERIFY(searchThreads(**source, QString::fromStdString(title).toUpper().toStdString(), take, {}));
        QVERIFY(found.contains("plain-0") && found.contains("plain-29"));
        found.clear();
        QVERIFY(searchThreads(**source, "there is no such text anywhere", take, {}));
        QVERIFY(found.empty());
        QVERIFY(!searchThreads(**source, "", take, {}));
    }
};

QTEST_GUILESS_MAIN(TestFleet)
#include "tst_fleet.moc"
