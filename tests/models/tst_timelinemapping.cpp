// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinemapping.h"

#include <QTest>

using namespace palimpsest;

namespace {

TimelineMapping mappingOf(std::int64_t count, double left = 50, double width = 1000)
{
    TimelineMapping mapping;
    mapping.setPlot(left, width);
    mapping.setCount(count);
    return mapping;
}

} // namespace

class TestTimelineMapping : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void positionsGoThereAndBack()
    {
        const TimelineMapping mapping = mappingOf(25);
        for (int call = 0; call < 25; ++call) {
            QCOMPARE(mapping.callAt(mapping.xOf(call)), call);
            QVERIFY(qAbs(mapping.positionAt(mapping.xOf(call)) - call) < 1e-9);
        }
        QVERIFY(mapping.xOf(0) > 50 && mapping.xOf(24) < 1050);
    }

    void outsideTheCallsIsTheNearestOne()
    {
        const TimelineMapping mapping = mappingOf(3);
        QCOMPARE(mapping.callAt(-1e6), 0);
        QCOMPARE(mapping.callAt(1e6), 2);
        QCOMPARE(mappingOf(0).callAt(100), -1);
    }

    void zoomKeepsWhatIsUnderThePointer()
    {
        TimelineMapping mapping = mappingOf(1000);
        const double x = 400;
        const double before = mapping.positionAt(x);
        for (int i = 0; i < 5; ++i)
            mapping.zoomAround(x, 1.5);
        QVERIFY(mapping.isZoomed());
        QVERIFY(qAbs(mapping.positionAt(x) - before) < 1e-6);
        mapping.zoomAround(x, 1e-9);
        QVERIFY(!mapping.isZoomed());
    }

    void closestZoomShowsTwoCalls()
    {
        TimelineMapping mapping = mappingOf(1000);
        mapping.zoomAround(500, 1e12);
        QVERIFY(qAbs(mapping.range().last - mapping.range().first - 2.0) < 1e-9);
    }

    void panStopsAtTheEnds()
    {
        TimelineMapping mapping = mappingOf(100);
        mapping.setRange({40, 60});
        mapping.panBy(1e9);
        QCOMPARE(mapping.range().last, 99.5);
        QVERIFY(qAbs(mapping.range().first - 79.5) < 1e-9);
        mapping.panBy(-1e9);
        QCOMPARE(mapping.range().first, -0.5);
    }

    void boxZoomTakesTheBox()
    {
        TimelineMapping mapping = mappingOf(100);
        const double a = mapping.xOf(30);
        const double b = mapping.xOf(50);
        mapping.zoomTo(b, a);
        QVERIFY(qAbs(mapping.range().first - 30) < 1e-9);
        QVERIFY(qAbs(mapping.range().last - 50) < 1e-9);
    }

    void growingKeepsAZoomAndFollowsWithout()
    {
        TimelineMapping mapping = mappingOf(10);
        mapping.setCount(20);
        QCOMPARE(mapping.range(), mapping.fullRange());
        mapping.setRange({3, 7});
        mapping.setCount(30);
        QCOMPARE(mapping.range(), (TimelineMapping::Range{3, 7}));
        mapping.setCount(4);
        QVERIFY(mapping.range().last <= 3.5);
    }

    void ensureVisibleMovesNoMoreThanNeeded()
    {
        TimelineMapping mapping = mappingOf(100);
        mapping.setRange({10, 20});
        QVERIFY(!mapping.ensureVisible(15));
        QVERIFY(mapping.ensureVisible(30));
        QCOMPARE(mapping.range().last, 30.5);
        QVERIFY(mapping.ensureVisible(0));
        QCOMPARE(mapping.range().first, -0.5);
    }

    void visibleCallsCoverThePlot()
    {
        TimelineMapping mapping = mappingOf(100);
        QCOMPARE(mapping.visibleBegin(), 0);
        QCOMPARE(mapping.visibleEnd(), 100);
        mapping.setRange({10, 20});
        QVERIFY(mapping.visibleBegin() <= 10 && mapping.visibleEnd() > 20);
        QVERIFY(mapping.visibleEnd() - mapping.visibleBegin() <= 14);
    }

    void ticksAreRoundAndApart()
    {
        for (const std::int64_t count : {1, 2, 7, 25, 999, 10'000}) {
            const TimelineMapping mapping = mappingOf(count);
            const auto ticks = mapping.ticks(60);
            QVERIFY(!ticks.empty());
            QCOMPARE(ticks.front(), 1);
            for (std::size_t i = 1; i < ticks.size(); ++i)
                QVERIFY(static_cast<double>(ticks[i] - ticks[i - 1]) * mapping.pixelsPerCall() >= 59.999);
            QVERIFY(ticks.back() <= count);
        }
        QVERIFY(mappingOf(0).ticks(60).empty());
    }

    void zoomStackUndoesAndForgets()
    {
        ZoomStack stack;
        stack.reset({0, 100});
        QVERIFY(!stack.canUndo());
        stack.push({10, 20});
        stack.push({10, 20});
        QCOMPARE(stack.depth(), 2u);
        stack.push({12, 14});
        stack.replace({12, 13});
        QCOMPARE(stack.undo(), (TimelineMapping::Range{10, 20}));
        QCOMPARE(stack.redo(), (TimelineMapping::Range{12, 13}));
        stack.undo();
        stack.push({1, 2});
        QVERIFY(!stack.canRedo());
        for (int i = 0; i < 500; ++i)
            stack.push({0.0, 10.0 + i});
        QVERIFY(stack.depth() <= 100);
        while (stack.canUndo())
            stack.undo();
        QCOMPARE(stack.undo(), (TimelineMapping::Range{0, 100}));
    }
};

QTEST_APPLESS_MAIN(TestTimelineMapping)
#include "tst_timelinemapping.moc"
