// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/serde/json.h"
#include "tests/support/recordinganswers.h"
#include "tests/support/recordings.h"

#include <QTest>

#include <sstream>

using namespace palimpsest;

class TestRecordingDump : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dumpsWhatLangGraphReads_data()
    {
        QTest::addColumn<QString>("database");
        QTest::addColumn<QString>("truth");
        for (const recordings::Recording &one : recordings::all())
            QTest::addRow("%s", one.name.c_str())
                << QString::fromStdString(one.database) << QString::fromStdString(one.truth);
    }

    void dumpsWhatLangGraphReads()
    {
        QFETCH(QString, database);
        QFETCH(QString, truth);
        const Value expected = recordings::readJson(truth.toStdString());
        QVERIFY(expected.contains("checkpoints"));
        const std::string threadId = expected["thread_id"].asText();
        for (const auto &[ns, rows] : recordings::spacesOf(expected)) {
            std::ostringstream out;
            std::ostringstream err;
            const int status =
                runCli({"dump", database.toStdString(), "--thread", threadId, "--ns", ns.asText()}, out, err);
            QVERIFY2(status == 0, err.str().c_str());
            const Result<Value> dump = parseJson(out.str());
            QVERIFY2(dump, dump ? "" : dump.error().what.c_str());
            const std::string why = recordings::dumpDifference(rows, expected["messages"], *dump);
            QVERIFY2(why.empty(), (ns.asText() + " " + why).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestRecordingDump)
#include "tst_recording_dump.moc"
