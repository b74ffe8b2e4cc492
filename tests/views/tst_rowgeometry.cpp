// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/leveling.h"
#include "views/widgets/rowgeometry.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace palimpsest;

class TestRowGeometry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void agreesWithAWalk();
    void keptMessagesAreLevel();
    void theSummaryStaysInViewAboveADistantCut();
    void unfoldedRowsKeepTheAnchorLevel();
    void nothingKeptShowsTheSummaryOnTop();
};

void TestRowGeometry::agreesWithAWalk()
{
    const bool ok = rc::check("tops, heights and rowAt agree with adding up every row", [] {
        const int rows = *rc::gen::inRange(1, 60);
        const int base = *rc::gen::inRange(1, 40);
        RowGeometry geometry;
        geometry.reset(rows, base);
        std::vector<int> heights(static_cast<std::size_t>(rows), base);
        for (int i = 0; i < *rc::gen::inRange(0, 12); ++i) {
            const int row = *rc::gen::inRange(0, rows);
            const int extra = *rc::gen::inRange(0, 200);
            geometry.setExtra(row, extra);
            heights[static_cast<std::size_t>(row)] = base + extra;
        }
        int y = 0;
        for (int row = 0; row < rows; ++row) {
            const int height = heights[static_cast<std::size_t>(row)];
            RC_ASSERT(geometry.top(row) == y);
            RC_ASSERT(geometry.height(row) == height);
            RC_ASSERT(geometry.rowAt(y) == row);
            RC_ASSERT(geometry.rowAt(y + height - 1) == row);
            y += height;
        }
        RC_ASSERT(geometry.total() == y);
        RC_ASSERT(geometry.rowAt(y + 5) == rows - 1);
        RC_ASSERT(geometry.rowAt(-5) == 0);
    });
    QVERIFY(ok);
}

namespace {

/// A raw log of `rows` of which those from `cut` on are kept, behind a summary.
struct Lists {
    RowGeometry raw;
    RowGeometry effective;
    int cut;

    Lists(int rows, int cutoff)
        : cut(cutoff)
    {
        raw.reset(rows, 20);
        effective.reset(rows - cutoff + 1, 20);
    }
    int level(int rawOrigin, int height = 200) const
    {
        return levelOrigin({&raw, rawOrigin, height}, {&effective, 0, height}, cut,
            [this](int row) { return row < cut ? -1 : row - cut + 1; });
    }
};

} // namespace

void TestRowGeometry::keptMessagesAreLevel()
{
    const Lists lists(100, 50);
    for (int origin = -1200; origin >= -1700; origin -= 7) {
        const int row = lists.raw.rowAt(-origin + 100);
        QCOMPARE(lists.level(origin) + lists.effective.top(row - 50 + 1), origin + lists.raw.top(row));
    }
    // The cut is in view: the summary stands beside the last summarized message.
    const int origin = -50 * 20 + 100;
    QCOMPARE(lists.level(origin), 100 - 20);
}

void TestRowGeometry::theSummaryStaysInViewAboveADistantCut()
{
    const Lists lists(10000, 9000);
    const int origin = lists.level(0);
    QVERIFY(origin > 0);
    QVERIFY(origin + lists.effective.height(0) <= 200);
}

void TestRowGeometry::unfoldedRowsKeepTheAnchorLevel()
{
    Lists lists(100, 50);
    lists.raw.setExtra(20, 300);
    lists.raw.setExtra(60, 100);
    lists.effective.setExtra(11, 140);
    const int origin = -lists.raw.top(58);
    const int level = lists.level(origin);
    QCOMPARE(level + lists.effective.top(58 - 49), 0);
}

void TestRowGeometry::nothingKeptShowsTheSummaryOnTop()
{
    RowGeometry raw;
    raw.reset(30, 20);
    RowGeometry effective;
    effective.reset(1, 20);
    QCOMPARE(levelOrigin({&raw, -100, 200}, {&effective, 0, 200}, -1, [](int) { return -1; }), 0);
}

QTEST_APPLESS_MAIN(TestRowGeometry)
#include "tst_rowgeometry.moc"
