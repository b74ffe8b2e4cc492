// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/clirun.h"
#include "tests/support/replaychecks.h"

#include <QtTest>

using namespace palimpsest;

/// The proof of a what-if: a thread replayed with the other settings of its pair equals the thread that was really
/// recorded with them.
class TestRecordingWhatIf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void otherSettingsGiveTheOtherRecording_data();
    void otherSettingsGiveTheOtherRecording();
};

void TestRecordingWhatIf::otherSettingsGiveTheOtherRecording_data()
{
    QTest::addColumn<QString>("name");
    for (const recordings::Recording &recording : recordings::all()) {
        if (!recordings::twin(recording).name.empty())
            QTest::newRow(recording.name.c_str()) << QString::fromStdString(recording.name);
    }
    if (!qEnvironmentVariableIsSet("PALIMPSEST_RECORDINGS"))
        QVERIFY(!recordings::all().empty());
}

void TestRecordingWhatIf::otherSettingsGiveTheOtherRecording()
{
    QFETCH(QString, name);
    for (const recordings::Recording &recording : recordings::all()) {
        if (recording.name != name.toStdString())
            continue;
        const std::string why = recordings::whatIfDifference(recording, recordings::twin(recording), runOnBuffers);
        QVERIFY2(why.empty(), why.c_str());
    }
}

QTEST_GUILESS_MAIN(TestRecordingWhatIf)
#include "tst_recording_whatif.moc"
