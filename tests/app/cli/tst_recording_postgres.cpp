// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"
#include "tests/support/postgrescluster.h"
#include "tests/support/recordinganswers.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace palimpsest;

/// Threads that LangGraph kept in PostgreSQL, compared as those in SQLite files are.
class TestRecordingPostgres : public QObject {
    Q_OBJECT

    std::unique_ptr<test::PostgresCluster> m_cluster;

    Value answer(const std::vector<std::string> &args)
    {
        int status = 0;
        std::string messages;
        const std::string out = runOnBuffers(args, &status, &messages);
        const Result<Value> value = parseJson(out);
        if (status != 0 || !value)
            qWarning("status %d: %s", status, messages.c_str());
        return status == 0 && value ? *value : Value();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster = std::make_unique<test::PostgresCluster>();
        QVERIFY2(m_cluster->problem().isEmpty(), qPrintable(m_cluster->problem()));
    }

    void cleanupTestCase() { m_cluster.reset(); }

    void readsWhatOlderSaversLeft_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("checkpoint-postgres 1.0.9") << QStringLiteral("old_109");
        QTest::newRow("the shallow saver of 2.0.14") << QStringLiteral("shallow_2014");
    }

    void readsWhatOlderSaversLeft()
    {
        QFETCH(QString, name);
        QCOMPARE(m_cluster->loadRecording(name.toStdString()), std::string());
        const std::string uri = m_cluster->uri(name.toStdString());
        const Result<Value> truth = parseJson(test::unpacked(name.toStdString() + ".expected.json.z"));
        QVERIFY(truth && truth->contains("checkpoints"));
        for (const auto &[ns, rows] : recordings::spacesOf(*truth)) {
            const Value dump = answer({"dump", uri, "--ns", ns.asText(), "--channels"});
            const std::string why = recordings::dumpDifference(rows, Value(), dump);
            QVERIFY2(why.empty(), (ns.asText() + " " + why).c_str());
            for (std::size_t i = 0; i < rows.asList().size(); ++i) {
                const Value &row = rows.asList()[i];
                const Value &channels = dump["checkpoints"].asList()[i]["channels"];
                for (const auto &[channel, value] : row["plain"].asMap())
                    QCOMPARE(toJson(channels[channel.asText()]), toJson(value));
                QCOMPARE(static_cast<std::int64_t>(channels["__pregel_tasks"].asList().size()), row["sends"].asInt());
            }
        }
    }

    void tellsWhatLangGraphReadsAndTheModelReceived_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"exit_durability", "fork", "long_run", "media", "store_backend", "summarize_chain"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void tellsWhatLangGraphReadsAndTheModelReceived()
    {
        QFETCH(QString, name);
        QCOMPARE(m_cluster->loadRecording(name.toStdString()), std::string());
        const std::string uri = m_cluster->uri(name.toStdString());
        const Result<Value> truth = parseJson(test::unpacked(name.toStdString() + ".expected.json.z"));
        QVERIFY(truth && truth->contains("checkpoints"));
        const recordings::StoredTasks tasks(uri, name.toStdString());
        QTemporaryDir folder;
        QFile settings(folder.filePath(QStringLiteral("settings.json")));
        QVERIFY(settings.open(QIODevice::WriteOnly));
        settings.write(QByteArray::fromStdString(toJson(recordings::settingsOf(*truth, tasks))));
        settings.close();
        std::size_t compared = 0;
        for (const auto &[ns, rows] : recordings::spacesOf(*truth)) {
            const Value dump = answer({"dump", uri, "--ns", ns.asText()});
            std::string why = recordings::dumpDifference(rows, (*truth)["messages"], dump);
            QVERIFY2(why.empty(), (ns.asText() + " " + why).c_str());
            const Value requests =
                answer({"requests", uri, "--ns", ns.asText(), "--settings", settings.fileName().toStdString()});
            why = recordings::requestsDifference(*truth, ns.asText(), requests, tasks, compared);
            QVERIFY2(why.empty(), (ns.asText() + " " + why).c_str());
        }
        QVERIFY(compared > 0);
        const Value threads = answer({"threads", uri, "--json"});
        QCOMPARE(threads.asList().size(), 1U);
        const Value &thread = threads.asList().front();
        QCOMPARE(thread["thread_id"].asText(), name.toStdString());
        QVERIFY(thread["messages"].isNil() && thread["bytes"].isNil());
        const Value full = answer({"threads", uri, "--json", "--full"});
        QVERIFY(full.asList().front()["messages"].asInt() > 0);
        QVERIFY(full.asList().front()["bytes"].asInt() > 0);
    }

    void keepsThePasswordOutOfEveryStream()
    {
        const std::string target = m_cluster->uri("nowhere");
        const std::string uri = "postgresql://palimpsest:hunter2@" + target.substr(target.find("@") + 1);
        for (const char *command : {"threads", "dump", "states", "requests", "lint"}) {
            int status = 0;
            std::string messages;
            const std::string out = runOnBuffers({command, uri}, &status, &messages);
            QCOMPARE(status, 2);
            QCOMPARE(out, std::string());
            QVERIFY2(messages.find("hunter2") == std::string::npos, messages.c_str());
            QVERIFY2(messages.find("nowhere") != std::string::npos, messages.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestRecordingPostgres)
#include "tst_recording_postgres.moc"
