// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/fate.h"

#include <QtTest>

using namespace palimpsest;

class TestFate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutAnEventAllIsKept();
    void everyMessageBelongsToTheFirstEventThatCutIt();
    void keptRowsComeBehindTheSummary();
    void marksSayStubOrTruncatedOnlyInContext();
    void cutoffBeyondTheLogLeavesOnlyTheSummary();
    void runsCoverTheLogOnceInOrder();
};

namespace {

const std::int64_t size = 20;

FateMap twoEvents()
{
    return FateMap({{1, 5, "/a.md"}, {2, 12, "/a.md"}}, size, true);
}

} // namespace

void TestFate::withoutAnEventAllIsKept()
{
    const FateMap fates({}, size, false);
    for (std::int64_t i = 0; i < size; ++i) {
        const Fate fate = fates.of(MessageIndex(i));
        QCOMPARE(fate.kind, Fate::Kind::Kept);
        QCOMPARE(fate.row, EffectiveIndex(i));
        QCOMPARE(fates.origin(fate.row), MessageIndex(i));
    }
    QCOMPARE(fates.runs().size(), std::size_t(1));
}

void TestFate::everyMessageBelongsToTheFirstEventThatCutIt()
{
    const FateMap fates = twoEvents();
    QCOMPARE(fates.of(MessageIndex(4)).event, 1);
    QCOMPARE(fates.of(MessageIndex(5)).event, 2);
    QCOMPARE(fates.of(MessageIndex(11)).event, 2);
    QCOMPARE(fates.of(MessageIndex(4)).kind, Fate::Kind::Summarized);
    QCOMPARE(fates.of(MessageIndex(4)).path, std::string("/a.md"));
    QCOMPARE(fates.of(MessageIndex(4)).row, EffectiveIndex(0));
    QVERIFY(!fates.of(MessageIndex(4)).inContext());
}

void TestFate::keptRowsComeBehindTheSummary()
{
    const FateMap fates = twoEvents();
    QCOMPARE(fates.cutoff(), MessageIndex(12));
    QCOMPARE(fates.of(MessageIndex(12)).row, EffectiveIndex(1));
    QCOMPARE(fates.of(MessageIndex(19)).row, EffectiveIndex(8));
    QVERIFY(!fates.origin(EffectiveIndex(0)).isValid());
    QCOMPARE(fates.origin(EffectiveIndex(1)), MessageIndex(12));
    QVERIFY(!fates.origin(EffectiveIndex(9)).isValid());
}

void TestFate::marksSayStubOrTruncatedOnlyInContext()
{
    FateMap fates = twoEvents();
    fates.mark(MessageIndex(3), Fate::Kind::Stub, "/gone.txt");
    fates.mark(MessageIndex(14), Fate::Kind::Stub, "/x.txt");
    fates.mark(MessageIndex(16), Fate::Kind::Truncated);
    QCOMPARE(fates.of(MessageIndex(3)).kind, Fate::Kind::Summarized);
    QCOMPARE(fates.of(MessageIndex(14)).kind, Fate::Kind::Stub);
    QCOMPARE(fates.of(MessageIndex(14)).path, std::string("/x.txt"));
    QCOMPARE(fates.of(MessageIndex(14)).row, EffectiveIndex(3));
    QCOMPARE(fates.of(MessageIndex(16)).kind, Fate::Kind::Truncated);
    QCOMPARE(fates.of(MessageIndex(15)).kind, Fate::Kind::Kept);
}

void TestFate::cutoffBeyondTheLogLeavesOnlyTheSummary()
{
    const FateMap fates({{1, 99, {}}}, size, true);
    QCOMPARE(fates.cutoff(), MessageIndex(size));
    QCOMPARE(fates.of(MessageIndex(19)).kind, Fate::Kind::Summarized);
    QCOMPARE(fates.of(MessageIndex(20)).kind, Fate::Kind::Removed);
}

void TestFate::runsCoverTheLogOnceInOrder()
{
    FateMap fates = twoEvents();
    fates.mark(MessageIndex(12), Fate::Kind::Stub, "/first");
    fates.mark(MessageIndex(13), Fate::Kind::Stub, "/second");
    fates.mark(MessageIndex(19), Fate::Kind::Truncated);
    std::int64_t next = 0;
    for (const FateRun &run : fates.runs()) {
        QCOMPARE(run.first.value, next);
        QVERIFY(run.last >= run.first);
        for (MessageIndex i = run.first; i <= run.last; ++i) {
            QCOMPARE(fates.of(i).kind, run.fate.kind);
            QCOMPARE(fates.of(i).event, run.fate.event);
            QCOMPARE(fates.of(i).path, run.fate.path);
        }
        next = run.last.value + 1;
    }
    QCOMPARE(next, size);
}

QTEST_APPLESS_MAIN(TestFate)
#include "tst_fate.moc"
