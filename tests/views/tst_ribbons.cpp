// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/ribbons.h"
#include "views/widgets/strip.h"

#include <QtTest>

using namespace palimpsest;

class TestRibbons : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keptMessagesRunStraightAcross();
    void summarizedBlocksNarrowIntoTheSummary();
    void sectionsAreReachedFromTheSummary();
    void stubsRunToTheirFile();
    void nothingOutsideTheWindowIsMade();
    void stripsKeepTheLargestOfALine();
};

namespace {

constexpr std::int64_t size = 20;

/// Rows of 10 pixels; the effective list stands so that kept rows are level.
RibbonEnds ends(std::int64_t cut, Span window = {0, 200})
{
    return {[](MessageIndex index) { return std::optional<Span>(Span{index.value * 10.0, index.value * 10.0 + 10}); },
        [cut](EffectiveIndex row) {
            return std::optional<Span>(Span{(row.value + cut - 1) * 10.0, (row.value + cut) * 10.0});
        },
        window};
}

FateMap fates()
{
    return FateMap({{1, 5, "/a.md"}, {2, 12, "/a.md"}}, size, true);
}

} // namespace

void TestRibbons::keptMessagesRunStraightAcross()
{
    const auto ribbons = contextRibbons(fates(), MessageIndex(0), MessageIndex(19), MessageIndex(15), ends(12));
    int kept = 0;
    for (const Ribbon &ribbon : ribbons) {
        if (ribbon.kind != Ribbon::Kind::Kept)
            continue;
        ++kept;
        QCOMPARE(ribbon.left, ribbon.right);
    }
    QCOMPARE(kept, 8);
    QCOMPARE(std::count_if(ribbons.begin(), ribbons.end(), [](const Ribbon &ribbon) { return ribbon.chosen; }), 1);
}

void TestRibbons::summarizedBlocksNarrowIntoTheSummary()
{
    const auto ribbons = contextRibbons(fates(), MessageIndex(0), MessageIndex(19), MessageIndex(7), ends(12));
    QCOMPARE(ribbons.at(0).kind, Ribbon::Kind::Summarized);
    QCOMPARE(ribbons.at(0).event, 1);
    QCOMPARE(ribbons.at(0).left, (Span{1, 49}));
    QCOMPARE(ribbons.at(1).event, 2);
    QCOMPARE(ribbons.at(1).left, (Span{51, 119}));
    QVERIFY(ribbons.at(1).chosen);
    QVERIFY(!ribbons.at(0).chosen);
    // Together they fill the summary's row.
    QCOMPARE(ribbons.at(0).right.top, 110.0);
    QCOMPARE(ribbons.at(0).right.bottom, ribbons.at(1).right.top);
    QCOMPARE(ribbons.at(1).right.bottom, 120.0);
}

void TestRibbons::sectionsAreReachedFromTheSummary()
{
    const auto section = [](int event) { return std::optional<Span>(Span{event * 20.0, event * 20.0 + 15}); };
    const auto ribbons = archiveRibbons(fates(), EffectiveIndex(0), EffectiveIndex(8), MessageIndex(3), ends(12),
        section, [](const std::string &) { return std::optional<Span>(); });
    QCOMPARE(ribbons.size(), std::size_t(2));
    QCOMPARE(ribbons.at(0).kind, Ribbon::Kind::Archived);
    QCOMPARE(ribbons.at(0).right, (Span{20, 35}));
    QVERIFY(ribbons.at(0).chosen);
    QCOMPARE(ribbons.at(1).event, 2);
    QCOMPARE(ribbons.at(1).right, (Span{40, 55}));
    // An event whose archive was not written has none.
    const FateMap lost({{1, 5, {}}}, size, true);
    QVERIFY(archiveRibbons(lost, EffectiveIndex(0), EffectiveIndex(8), {}, ends(5), section, [](const std::string &) {
        return std::optional<Span>();
    }).empty());
}

void TestRibbons::stubsRunToTheirFile()
{
    FateMap map = fates();
    map.mark(MessageIndex(13), Fate::Kind::Stub, "/large_tool_results/x");
    std::string asked;
    const auto ribbons = archiveRibbons(
        map, EffectiveIndex(0), EffectiveIndex(8), MessageIndex(13), ends(12),
        [](int) { return std::optional<Span>(); },
        [&](const std::string &path) {
            asked = path;
            return std::optional<Span>(Span{70, 90});
        });
    QCOMPARE(asked, std::string("/large_tool_results/x"));
    QCOMPARE(ribbons.size(), std::size_t(1));
    QCOMPARE(ribbons.at(0).kind, Ribbon::Kind::Offloaded);
    QVERIFY(ribbons.at(0).chosen);
}

void TestRibbons::nothingOutsideTheWindowIsMade()
{
    const FateMap map({{1, 50000, {}}}, 100000, true);
    const auto ribbons =
        contextRibbons(map, MessageIndex(60000), MessageIndex(60030), {}, ends(50000, {600000, 600300}));
    QVERIFY(ribbons.size() <= 32);
    for (const Ribbon &ribbon : ribbons)
        QCOMPARE(ribbon.kind, Ribbon::Kind::Kept);
}

void TestRibbons::stripsKeepTheLargestOfALine()
{
    std::vector<StripBar> bars(1000);
    bars[777].tokens = 5000;
    bars[777].kind = MessageKind::Tool;
    const auto lines = Strip::condense(bars, 100);
    QCOMPARE(lines.size(), std::size_t(100));
    QCOMPARE(lines[77].tokens, qint64(5000));
    QCOMPARE(lines[77].kind, MessageKind::Tool);
    QCOMPARE(lines[76].tokens, qint64(0));
    QCOMPARE(Strip::condense(bars, 5000).size(), std::size_t(1000));
}

QTEST_APPLESS_MAIN(TestRibbons)
#include "tst_ribbons.moc"
