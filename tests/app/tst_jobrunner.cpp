// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobrunner.h"

#include <QSignalSpy>
#include <QtTest>
#include <atomic>
#include <semaphore>

using namespace palimpsest;
using namespace Qt::StringLiterals;

class TestJobRunner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void givesBackTheValueOnTheCallersThread();
    void newestOfALaneWins();
    void cancelledJobsSayNothing();
    void partsComeInOrderBeforeTheEnd();
    void endingStopsWhatRuns();
};

void TestJobRunner::givesBackTheValueOnTheCallersThread()
{
    JobRunner runner;
    int answer = 0;
    QThread *where = nullptr;
    runner.run(
        u"a"_s, this, [](const JobContext &) { return 42; },
        [&](int value) {
            answer = value;
            where = QThread::currentThread();
        });
    QVERIFY(runner.isBusy(u"a"_s));
    QTRY_COMPARE(answer, 42);
    QCOMPARE(where, QThread::currentThread());
    QVERIFY(!runner.isBusy());
}

void TestJobRunner::newestOfALaneWins()
{
    JobRunner runner;
    std::vector<int> got;
    auto gate = std::make_shared<std::binary_semaphore>(0);
    for (int i = 0; i < 5; ++i) {
        runner.run(
            u"a"_s, this,
            [i, gate](const JobContext &job) {
                if (i == 0)
                    gate->acquire();
                return job.stopped() ? -1 : i;
            },
            [&](int value) { got.push_back(value); });
    }
    gate->release();
    QTRY_VERIFY(!runner.isBusy());
    QCOMPARE(got, std::vector<int>{4});
}

void TestJobRunner::cancelledJobsSayNothing()
{
    JobRunner runner;
    QSignalSpy finished(&runner, &JobRunner::finished);
    bool told = false;
    auto running = std::make_shared<std::atomic_bool>(false);
    auto stopped = std::make_shared<std::atomic_bool>(false);
    runner.run(
        u"a"_s, this,
        [running, stopped](const JobContext &job) {
            *running = true;
            while (!job.stopped())
                std::this_thread::yield();
            *stopped = true;
            return 1;
        },
        [&](int) { told = true; });
    QTRY_VERIFY(running->load());
    runner.cancel(u"a"_s);
    QCOMPARE(finished.count(), 1);
    QTRY_VERIFY(stopped->load());
    bool next = false;
    runner.run(u"b"_s, this, [](const JobContext &) { return 1; }, [&](int) { next = true; });
    QTRY_VERIFY(next);
    QVERIFY(!told);
}

void TestJobRunner::partsComeInOrderBeforeTheEnd()
{
    JobRunner runner;
    QStringList order;
    runner.runInParts<int>(
        u"a"_s, this,
        [](const JobContext &, const std::function<void(int)> &emitPart) {
            emitPart(1);
            emitPart(2);
            return u"end"_s;
        },
        [&](int part) { order << QString::number(part); }, [&](const QString &end) { order << end; });
    QTRY_COMPARE(order, (QStringList{u"1"_s, u"2"_s, u"end"_s}));
}

void TestJobRunner::endingStopsWhatRuns()
{
    bool atEnd = false;
    {
        JobRunner runner;
        runner.setAtEnd([&] { atEnd = true; });
        runner.run(
            u"a"_s, this,
            [](const JobContext &job) {
                while (!job.stopped())
                    std::this_thread::yield();
                return 1;
            },
            [](int) {});
    }
    QVERIFY(atEnd);
}

QTEST_GUILESS_MAIN(TestJobRunner)
#include "tst_jobrunner.moc"
