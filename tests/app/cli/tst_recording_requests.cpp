// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/serde/json.h"
#include "core/values/json.h"
#include "tests/support/recordinganswers.h"
#include "tests/support/recordings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sstream>

using namespace palimpsest;

class TestRecordingRequests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatTheModelReceived_data()
    {
        QTest::addColumn<QString>("database");
        QTest::addColumn<QString>("truth");
        for (const recordings::Recording &one : recordings::all())
            QTest::addRow("%s", one.name.c_str())
                << QString::fromStdString(one.database) << QString::fromStdString(one.truth);
    }

    void tellsWhatTheModelReceived()
    {
        QFETCH(QString, database);
        QFETCH(QString, truth);
        const Value expected = recordings::readJson(truth.toStdString());
        QVERIFY(expected.contains("thread_id"));
        if (!expected.contains("calls") || expected["settings"]["middleware"].truthy())
            return; // a graph without Deep Agents' middleware: nothing but the reading to compare
        const std::string threadId = expected["thread_id"].asText();
        const recordings::StoredTasks tasks(database.toStdString(), threadId);
        QTemporaryDir folder;
        const QString settings = folder.filePath(QStringLiteral("settings.json"));
        QFile file(settings);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(toJson(recordings::settingsOf(expected, tasks))));
        file.close();

        std::vector<std::string> spaces{""};
        for (const auto &[ns, rows] : expected["namespaces"].asMap())
            spaces.push_back(ns.asText());
        std::size_t compared = 0;
        for (const std::string &ns : spaces) {
            std::ostringstream out;
            std::ostringstream err;
            const int status = runCli({"requests", database.toStdString(), "--thread", threadId, "--ns", ns,
                                          "--settings", settings.toStdString()},
                out, err);
            QVERIFY2(status == 0, err.str().c_str());
            const Result<Value> answer = parseJson(out.str());
            QVERIFY2(answer, answer ? "" : answer.error().what.c_str());
            const std::string why = recordings::requestsDifference(expected, ns, *answer, tasks, compared);
            QVERIFY2(why.empty(), why.c_str());
        }
        QVERIFY(compared > 0);
    }
};

QTEST_GUILESS_MAIN(TestRecordingRequests)
#include "tst_recording_requests.moc"
