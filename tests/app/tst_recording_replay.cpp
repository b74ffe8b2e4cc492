// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/clirun.h"
#include "tests/support/replaychecks.h"

#include <QtTest>

using namespace palimpsest;

/// A replay with the recorded settings is a fixed point: every request, event and archive is the recorded one.
class TestRecordingReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recordedSettingsGiveTheRecording_data();
    void recordedSettingsGiveTheRecording();
    void langchainsOwnMiddleware();
};

void TestRecordingReplay::recordedSettingsGiveTheRecording_data()
{
    QTest::addColumn<QString>("database");
    QTest::addColumn<QString>("truth");
    std::size_t rows = 0;
    for (const recordings::Recording &recording : recordings::all()) {
        const Value truth = recordings::readJson(recording.truth);
        // A plain graph has nothing to replay; LangChain's own middleware is asked below.
        const bool python = !truth.contains("language") || truth["language"].asText() == "python";
        if (!python || !truth.contains("calls") || truth["settings"].contains("middleware"))
            continue;
        ++rows;
        QTest::newRow(recording.name.c_str())
            << QString::fromStdString(recording.database) << QString::fromStdString(recording.truth);
    }
    QVERIFY(rows > 0);
}

void TestRecordingReplay::recordedSettingsGiveTheRecording()
{
    QFETCH(QString, database);
    QFETCH(QString, truth);
    const std::string why = recordings::replayDifference(
        {QTest::currentDataTag(), database.toStdString(), truth.toStdString()}, runOnBuffers);
    QVERIFY2(why.empty(), why.c_str());
}

void TestRecordingReplay::langchainsOwnMiddleware()
{
    for (const recordings::Recording &recording : recordings::all()) {
        if (recording.name.find("langchain_destructive") == std::string::npos)
            continue;
        const std::string why = recordings::destructiveDifference(recording, runOnBuffers);
        QVERIFY2(why.empty(), (recording.name + ": " + why).c_str());
    }
}

QTEST_GUILESS_MAIN(TestRecordingReplay)
#include "tst_recording_replay.moc"
