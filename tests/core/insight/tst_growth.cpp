// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/growth/growth.h"
#include "core/insight/growth/pagemodel.h"
#include "core/sources/sourceprobe.h"
#include "tests/support/checkpointfile.h"
#include "tests/support/recordings.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace palimpsest;

namespace {

Growth measured(const std::string &path, GrowthOptions options = {})
{
    const auto source = openSource(path, {});
    return *measureGrowth(**source, options, {});
}

double ratio(std::int64_t a, std::int64_t b)
{
    return static_cast<double>(a) / static_cast<double>(b);
}

std::int64_t sum(const std::map<std::string, std::int64_t> &bytes)
{
    std::int64_t all = 0;
    for (const auto &[name, size] : bytes)
        all += size;
    return all;
}

std::int64_t fileSize(const std::string &path)
{
    return QFileInfo(QString::fromStdString(path)).size();
}

} // namespace

class TestGrowth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void packsCellsAsSqliteDoes();
    void weighsRecordingsAsTheirFilesDo_data();
    void weighsRecordingsAsTheirFilesDo();
    void simulatesOtherSnapshotFrequencies();
    void findsRepeatsAndTheExponent();
    void saysWhatARetentionPlanBreaks();
    void readsPlans();
    void measuresOpaqueRowsToo();
    void ranksThreadsOfAWholeSource();
    void countsFreePagesAndOrphans();
    void changesNothing();
};

void TestGrowth::packsCellsAsSqliteDoes()
{
    // 4,096 bytes: a record of 4,061 fits, one more byte moves all but 489 and the rest to overflow pages.
    PageModel model(4096, 4096);
    QCOMPARE(model.add(4061), 4061 + 2 + 1 + 2);
    QCOMPARE(model.bytes(), 4096);
    QCOMPARE(model.add(4062), 489 + 2 + 1 + 4 + 2 + 4096);
    QVERIFY(model.bytes() >= 3 * 4096);
}

void TestGrowth::weighsRecordingsAsTheirFilesDo_data()
{
    QTest::addColumn<QString>("database");
    for (const recordings::Recording &recording : recordings::all())
        QTest::newRow(recording.name.c_str()) << QString::fromStdString(recording.database);
}

void TestGrowth::weighsRecordingsAsTheirFilesDo()
{
    QFETCH(QString, database);
    const std::string path = database.toStdString();
    const Growth growth = measured(path);
    QVERIFY(growth.storage);
    const std::int64_t used = fileSize(path) - growth.storage->freePages * growth.storage->pageSize;
    QVERIFY(std::abs(ratio(growth.total, used) - 1) < 0.02);
    QVERIFY(std::abs(ratio(sum(growth.byChannel), growth.total) - 1) < 0.001);
    QVERIFY(growth.payload < growth.total);
    QVERIFY(growth.naiveBytes);
    QVERIFY(*growth.naiveBytes >= growth.deltaBytes.at(1000));
}

void TestGrowth::simulatesOtherSnapshotFrequencies()
{
    QTemporaryDir folder;
    const auto make = [&](int frequency) {
        const std::string path = folder.filePath(QString::number(frequency)).toStdString() + ".sqlite";
        test::makeDeltaThread(path, 300, frequency, 400);
        return path;
    };
    const std::string at50 = make(50);
    const std::string at20 = make(20);
    const std::string at1000 = make(1000);
    GrowthOptions options;
    options.frequencies = {20, 50, 1000};
    for (const std::string &path : {at50, at20, at1000}) {
        const Growth growth = measured(path, options);
        for (const auto &[frequency, real] : {std::pair{20, at20}, std::pair{50, at50}, std::pair{1000, at1000}}) {
            const double off = ratio(growth.deltaBytes.at(frequency), fileSize(real)) - 1;
            QVERIFY2(std::abs(off) < 0.05, qPrintable(u"%1: %2"_s.arg(frequency).arg(off)));
        }
        QCOMPARE(growth.replayDepth.at(50).deepest, 49);
        QVERIFY(growth.replayDepth.at(1000).deepest > 200);
    }
}

void TestGrowth::findsRepeatsAndTheExponent()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(u"a.sqlite"_s).toStdString();
    test::makeDeltaThread(path, 400, 50, 2000);
    const Growth growth = measured(path);
    QVERIFY(growth.exponents.at("naive") > 1.8 && growth.exponents.at("naive") < 2.3);
    QVERIFY(growth.exponents.at("1000") < 1.2);
    QVERIFY(growth.exponent > growth.exponents.at("1000"));
    QVERIFY(growth.curve.size() >= 128 && growth.curve.size() <= 257);
    QCOMPARE(growth.curve.back().checkpoint, 400);
    for (const recordings::Recording &recording : recordings::all())
        if (recording.name == "0.7.7/summarize_chain")
            QVERIFY(measured(recording.database).unchanged.at("_summarization_event") > 0);
}

void TestGrowth::saysWhatARetentionPlanBreaks()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(u"a.sqlite"_s).toStdString();
    test::makeDeltaThread(path, 170, 50);
    GrowthOptions options;
    options.plan = *RetentionPlan::parse("keep=10");
    Growth growth = measured(path, options);
    QVERIFY(growth.plan);
    QCOMPARE(growth.plan->checkpoints, 160);
    QVERIFY(growth.plan->freed > 0 && growth.plan->freed < growth.total);
    QCOMPARE(growth.plan->broken.size(), std::size_t(1));
    const BrokenChannel &broken = growth.plan->broken.front();
    QCOMPARE(broken.channel, std::string("messages"));
    QCOMPARE(broken.checkpoints, 10);
    // The last snapshot is in checkpoint 150 of 0 … 169.
    QCOMPARE(broken.keepAtLeast, 20);
    options.plan = *RetentionPlan::parse("keep=20");
    growth = measured(path, options);
    QVERIFY(growth.plan->broken.empty());
    options.plan = *RetentionPlan::parse("before=1999-01-01");
    growth = measured(path, options);
    QCOMPARE(growth.plan->checkpoints, 0);
    options.plan = *RetentionPlan::parse("before=2999-01-01");
    growth = measured(path, options);
    QCOMPARE(growth.plan->checkpoints, 170);
    QVERIFY(growth.plan->broken.empty());
}

void TestGrowth::readsPlans()
{
    QCOMPARE(RetentionPlan::parse("keep=7")->keep, 7);
    QCOMPARE(RetentionPlan::parse("before=2026-11-30T08:00:00")->before, std::string("2026-11-30T08:00:00"));
    for (const char *wrong : {"", "keep=", "keep=-1", "keep=x", "before=yesterday", "before=", "drop=all"})
        QVERIFY2(!RetentionPlan::parse(wrong), wrong);
}

void TestGrowth::measuresOpaqueRowsToo()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(u"a.sqlite"_s).toStdString();
    {
        test::CheckpointFile file(path);
        file.createTables();
        const std::string first = test::CheckpointFile::id(0, 0);
        file.checkpointRow("t", "", first, "", "json",
            "{\"v\":1,\"id\":\"" + first + "\",\"channel_values\":{\"notes\":\"" + std::string(3000, 'n')
                + "\"},\"channel_versions\":{\"notes\":1}}",
            "{\"step\":0}");
        file.checkpointRow("t", "", test::CheckpointFile::id(1, 1), first, "pickle", std::string(5000, '\x80'), "{}");
        file.checkpointRow(
            "t", "", test::CheckpointFile::id(2, 2), first, "msgpack+aes", std::string(4000, '\x07'), "{}");
    }
    const Growth growth = measured(path);
    QVERIFY(growth.byChannel.at("notes") >= 3000);
    QVERIFY(growth.byChannel.at("(opaque)") >= 9000);
    QCOMPARE(growth.total, fileSize(path));
    QVERIFY(!growth.naiveBytes);
    QCOMPARE(growth.notes.size(), std::size_t(1));
}

void TestGrowth::ranksThreadsOfAWholeSource()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(u"a.sqlite"_s).toStdString();
    test::makeDeltaThread(path, 60, 50, 500);
    {
        test::CheckpointFile file(path);
        file.checkpoint("small", "", test::CheckpointFile::id(0, 0), "", Value::map({{"x", Value("y")}}),
            Value::map({{"x", Value("1")}}), Value::map({{"step", Value(0)}}));
    }
    const Growth all = measured(path);
    QCOMPARE(all.threads.size(), std::size_t(2));
    QCOMPARE(all.threads.front().name, std::string("made"));
    QCOMPARE(all.total, fileSize(path));
    GrowthOptions options;
    options.threadId = "small";
    const Growth one = measured(path, options);
    QVERIFY(one.total < all.total / 10);
    QCOMPARE(one.checkpointCount, 1);
    options.threadId = "none";
    const auto source = openSource(path, {});
    const auto missing = measureGrowth(**source, options, {});
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, Error::Code::NotFound);
}

void TestGrowth::countsFreePagesAndOrphans()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(u"a.sqlite"_s).toStdString();
    test::makeDeltaThread(path, 120, 50, 900);
    {
        test::CheckpointFile file(path);
        QVERIFY(file.run("DELETE FROM checkpoints WHERE rowid <= 80"));
    }
    const Growth growth = measured(path);
    QVERIFY(growth.storage->freePages > 0);
    QCOMPARE(growth.total, fileSize(path) - growth.storage->freePages * growth.storage->pageSize);
    QCOMPARE(growth.storage->orphanWrites, 80);
    QVERIFY(growth.storage->orphanBytes > 80 * 900);
}

void TestGrowth::changesNothing()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(u"a.sqlite"_s);
    test::makeDeltaThread(path.toStdString(), 30, 50);
    const auto contents = [&] {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray before = contents();
    GrowthOptions options;
    options.plan = *RetentionPlan::parse("keep=1");
    measured(path.toStdString(), options);
    QCOMPARE(contents(), before);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
}

QTEST_GUILESS_MAIN(TestGrowth)
#include "tst_growth.moc"
