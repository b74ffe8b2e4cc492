// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/snapshotcadence.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"

#include <QDir>
#include <QDirIterator>
#include <QTest>

#include <algorithm>

using namespace Qt::StringLiterals;
using namespace palimpsest;

namespace {

Value counters(const CadenceRow &row)
{
    return row.counters == SnapshotCounters{}
        ? Value()
        : Value::list({Value(row.counters.updates), Value(row.counters.supersteps)});
}

} // namespace

/// What the forecast says of the rule that a thread was recorded under is what LangGraph itself stored.
class TestRecordingCadence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ownRuleGivesTheRecordedCounters_data();
    void ownRuleGivesTheRecordedCounters();
    void rarerSnapshotsAreFewer();
    void everyUpdateAtFrequencyOne();

private:
    static ThreadPtr read(const QString &database);
};

ThreadPtr TestRecordingCadence::read(const QString &database)
{
    Result<std::unique_ptr<CheckpointSource>> source = openSource(database.toStdString());
    if (!source)
        return {};
    const Result<std::vector<ThreadRow>> rows = (*source)->threads(JobContext{});
    if (!rows || rows->empty())
        return {};
    return loadThread(**source, rows->front().id, {}, {}).value_or(ThreadPtr());
}

void TestRecordingCadence::ownRuleGivesTheRecordedCounters_data()
{
    QTest::addColumn<QString>("database");
    const QString folder =
        qEnvironmentVariable("PALIMPSEST_RECORDINGS", QStringLiteral(PALIMPSEST_TEST_DATA "/recordings"));
    QDirIterator files(folder, {u"*.sqlite"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        if (QFile::exists(path.chopped(7) + u".expected.json"_s))
            QTest::newRow(qPrintable(QDir(folder).relativeFilePath(path))) << path;
    }
}

void TestRecordingCadence::ownRuleGivesTheRecordedCounters()
{
    QFETCH(QString, database);
    const ThreadPtr thread = read(database);
    QVERIFY(thread);
    for (const ThreadNamespace &space : thread->namespaces) {
        for (const std::string channel : {"messages", "files"}) {
            const bool counted =
                std::any_of(space.checkpoints.begin(), space.checkpoints.end(), [&](const Checkpoint &checkpoint) {
                    return checkpoint.metadata["counters_since_delta_snapshot"].contains(channel);
                });
            if (!counted)
                continue;
            std::vector<CheckpointIndex> snapshots;
            for (const CadenceRow &row : forecastSnapshots(space, channel, {})) {
                const Checkpoint &checkpoint = space.checkpoints[row.checkpoint.at()];
                const Value &recorded = checkpoint.metadata["counters_since_delta_snapshot"][channel];
                QVERIFY2(counters(row) == recorded,
                    qPrintable(u"%1 at step %2"_s.arg(QString::fromStdString(channel)).arg(checkpoint.step)));
                if (row.snapshot)
                    snapshots.push_back(row.checkpoint);
            }
            QVERIFY(snapshots == recordedSnapshots(space, channel));
        }
    }
}

void TestRecordingCadence::rarerSnapshotsAreFewer()
{
    const ThreadPtr thread = read(QStringLiteral(PALIMPSEST_TEST_DATA "/recordings/0.7.32/long_run.sqlite"));
    QVERIFY(thread);
    const ThreadNamespace &root = thread->namespaces.front();
    std::size_t before = root.checkpoints.size() + 1;
    for (const std::int64_t frequency : {1, 10, 50, 100, 1000}) {
        const std::vector<CadenceRow> rows = forecastSnapshots(root, "messages", {frequency, 5000});
        const auto snapshots = static_cast<std::size_t>(
            std::count_if(rows.begin(), rows.end(), [](const CadenceRow &row) { return row.snapshot; }));
        QVERIFY(snapshots < before);
        before = snapshots;
    }
    QCOMPARE(before, std::size_t(0));
}

void TestRecordingCadence::everyUpdateAtFrequencyOne()
{
    const ThreadPtr thread = read(QStringLiteral(PALIMPSEST_TEST_DATA "/recordings/0.7.7/long_run.sqlite"));
    QVERIFY(thread);
    for (const CadenceRow &row : forecastSnapshots(thread->namespaces.front(), "messages", {1, 5000}))
        QCOMPARE(row.snapshot, row.updates > 0);
}

QTEST_GUILESS_MAIN(TestRecordingCadence)
#include "tst_recording_cadence.moc"
