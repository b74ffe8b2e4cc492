// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/settings.h"
#include "core/insight/composition/composition.h"
#include "core/insight/diff/diff.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "tests/support/recordings.h"
#include "tests/support/threadbuilder.h"

#include <QTest>

using namespace palimpsest;

namespace {

ThreadPtr opened(const std::string &name)
{
    for (const recordings::Recording &recording : recordings::all()) {
        if (recording.name != name)
            continue;
        const auto source = openSource(recording.database, {});
        return *loadThread(**source, (*source)->threadIds({})->front(), {}, {});
    }
    return nullptr;
}

std::string side(const std::vector<TextPiece> &pieces, DiffRun::Kind without)
{
    std::string text;
    for (const TextPiece &piece : pieces)
        if (piece.kind != without)
            text += piece.text;
    return text;
}

} // namespace

class TestDiff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheShortestEdit();
    void piecesMakeBothTexts();
    void comparesLongTextsByLines();
    void alignsMessagesByIdAndElseByText();
    void holdsSummariesAgainstEachOther();
    void comparesBranchesOfAFork();
    void comparesChannelsAndFiles();
    void understandsWords();
    void composesARequest();
    void sumsRolesToTheTotal();
};

void TestDiff::findsTheShortestEdit()
{
    const std::vector<DiffRun> runs = diffSequences({1, 2, 3, 4, 5}, {1, 3, 4, 6, 5});
    const std::vector<DiffRun> expected{{DiffRun::Kind::Same, 0, 0, 1}, {DiffRun::Kind::Removed, 1, 1, 1},
        {DiffRun::Kind::Same, 2, 1, 2}, {DiffRun::Kind::Added, 4, 3, 1}, {DiffRun::Kind::Same, 4, 4, 1}};
    QCOMPARE(runs, expected);
    QVERIFY(diffSequences({}, {}).empty());
    QCOMPARE(diffSequences({}, {7}), (std::vector<DiffRun>{{DiffRun::Kind::Added, 0, 0, 1}}));
    // Every run begins where the one before ended, whatever the sequences are.
    std::uint32_t random = 7;
    for (int round = 0; round < 300; ++round) {
        std::vector<std::uint32_t> a;
        std::vector<std::uint32_t> b;
        for (int i = 0; i < round % 40; ++i) {
            random = random * 1664525 + 1013904223;
            a.push_back(random >> 28);
            if (random & 0x400)
                b.push_back(random >> 28);
            if (random & 0x800)
                b.push_back((random >> 20) & 15);
        }
        std::size_t atA = 0;
        std::size_t atB = 0;
        for (const DiffRun &run : diffSequences(a, b)) {
            QCOMPARE(run.a, atA);
            QCOMPARE(run.b, atB);
            for (std::size_t i = 0; run.kind == DiffRun::Kind::Same && i < run.length; ++i)
                QCOMPARE(a[run.a + i], b[run.b + i]);
            atA += run.kind == DiffRun::Kind::Added ? 0 : run.length;
            atB += run.kind == DiffRun::Kind::Removed ? 0 : run.length;
        }
        QCOMPARE(atA, a.size());
        QCOMPARE(atB, b.size());
    }
}

void TestDiff::piecesMakeBothTexts()
{
    const std::string a = "The quick brown fox, it jumps.\nOver";
    const std::string b = "The slow brown fox, it sleeps.\nOver there";
    const std::vector<TextPiece> pieces = diffTexts(a, b);
    QCOMPARE(side(pieces, DiffRun::Kind::Added), a);
    QCOMPARE(side(pieces, DiffRun::Kind::Removed), b);
    QVERIFY(std::find(pieces.begin(), pieces.end(), TextPiece{DiffRun::Kind::Removed, "quick"}) != pieces.end());
    QCOMPARE(diffTexts("same", "same"), (std::vector<TextPiece>{{DiffRun::Kind::Same, "same"}}));
}

void TestDiff::comparesLongTextsByLines()
{
    std::string a;
    for (int i = 0; i < 5000; ++i)
        a += "line " + std::to_string(i) + " of many\n";
    std::string b = a;
    b.replace(b.find("line 2500 of"), 12, "line 2500 not");
    const std::vector<TextPiece> pieces = diffTexts(a, b);
    QCOMPARE(side(pieces, DiffRun::Kind::Added), a);
    QCOMPARE(side(pieces, DiffRun::Kind::Removed), b);
    QVERIFY(pieces.size() < 8);
}

void TestDiff::alignsMessagesByIdAndElseByText()
{
    ThreadBuilder builder;
    builder.human("h1", "Begin.").ai("a1", "One thing.").checkpoint();
    builder.rewrite("a1", "Another thing.").human("h2", "Go on.").checkpoint();
    const ThreadPtr thread = builder.build();
    const Diff diff =
        compare(checkpointSide(thread, "", CheckpointIndex(0)), checkpointSide(thread, "", CheckpointIndex(1)));
    QCOMPARE(diff.messages.size(), std::size_t(3));
    QCOMPARE(diff.messages[0].change, DiffChange::Same);
    QCOMPARE(diff.messages[1].change, DiffChange::Changed);
    QCOMPARE(diff.messages[1].members, std::vector<std::string>{"content"});
    QCOMPARE(side(diff.messages[1].text, DiffRun::Kind::Removed), std::string("Another thing."));
    QCOMPARE(diff.messages[2].change, DiffChange::Added);
    QCOMPARE(diff.messages[2].b, 2);

    // Another thread with the same words under other ids.
    ThreadBuilder other;
    other.human("x", "Begin.").checkpoint();
    const Diff across =
        compare(checkpointSide(thread, "", CheckpointIndex(0)), checkpointSide(other.build(), "", CheckpointIndex(0)));
    QCOMPARE(across.messages[0].change, DiffChange::Same);
    QCOMPARE(across.messages[1].change, DiffChange::Removed);
}

void TestDiff::holdsSummariesAgainstEachOther()
{
    const ThreadPtr thread = opened("0.7.7/summarize_chain");
    const Result<DiffSide> a = diffSide(thread, "", "call:8");
    const Result<DiffSide> b = diffSide(thread, "", "call:12");
    QVERIFY(a && b);
    const Diff diff = compare(*a, *b);
    QCOMPARE(diff.messages.front().change, DiffChange::Changed);
    QVERIFY(isSummary(*diff.messages.front().before));
    QVERIFY(!diff.messages.front().text.empty());
    const Diff none = compare(*a, *a);
    QVERIFY(none.isEmpty());
}

void TestDiff::comparesBranchesOfAFork()
{
    const ThreadPtr thread = opened("0.7.7/fork");
    const Result<DiffSide> newest = diffSide(thread, "", "head");
    const Result<DiffSide> older = diffSide(thread, "", "head:2");
    QVERIFY(newest && older);
    const Diff diff = compare(*older, *newest);
    QVERIFY(diff.count(DiffChange::Same) >= 3);
    QVERIFY(diff.count(DiffChange::Added) > 0);
    QVERIFY(diff.count(DiffChange::Removed) > 0);
}

void TestDiff::comparesChannelsAndFiles()
{
    ThreadBuilder builder;
    builder.human("h1", "Begin.").file("/a.txt", "one\ntwo\n").file("/gone.txt", "x").checkpoint();
    builder.file("/a.txt", "one\nthree\n").file("/new.txt", "y").checkpoint();
    const ThreadPtr thread = builder.build();
    DiffSide a = checkpointSide(thread, "", CheckpointIndex(0));
    DiffSide b = checkpointSide(thread, "", CheckpointIndex(1));
    b.files = b.files.erase("/gone.txt");
    a.channels = {{"same", Value(1)}, {"todo", Value("a")}, {"old", Value(2)}};
    b.channels = {{"same", Value(1)}, {"todo", Value("b")}, {"new", Value(3)}};
    const Diff diff = compare(a, b);
    QCOMPARE(diff.files.size(), std::size_t(3));
    QCOMPARE(diff.files[0].path, std::string("/a.txt"));
    QCOMPARE(diff.files[0].change, DiffChange::Changed);
    QCOMPARE(side(diff.files[0].text, DiffRun::Kind::Removed), std::string("one\nthree\n"));
    QCOMPARE(diff.files[1].change, DiffChange::Removed);
    QCOMPARE(diff.files[2].change, DiffChange::Added);
    QCOMPARE(diff.channels.size(), std::size_t(3));
    QCOMPARE(diff.channels[0].name, std::string("new"));
    QCOMPARE(diff.channels[2].change, DiffChange::Changed);
}

void TestDiff::understandsWords()
{
    const ThreadPtr thread = opened("0.7.7/summarize_chain");
    const std::string id = thread->find("")->checkpoints[5].id;
    QCOMPARE(diffSide(thread, "", id)->checkpoint, CheckpointIndex(5));
    QCOMPARE(diffSide(thread, "", "event:1")->messages.size(), std::size_t(8));
    for (const char *wrong : {"call:0", "call:99", "call:x", "event:9", "head:2", "", "zzz", "1f"})
        QVERIFY2(!diffSide(thread, "", wrong), wrong);
    QVERIFY(!diffSide(thread, "none", "head"));
}

void TestDiff::composesARequest()
{
    const ThreadPtr thread = opened("0.7.7/summarize_chain");
    const DiffSide call = *diffSide(thread, "", "call:8");
    Settings settings;
    settings.tools = std::int64_t(2000);
    settings.systemMessage = std::int64_t(10);
    const Composition parts = composition(call.messages, &settings, std::nullopt);
    QCOMPARE(parts.roles.front().name, std::string("tools"));
    QCOMPARE(parts.roles.front().tokens, 2000.0);
    QVERIFY(std::any_of(
        parts.roles.begin(), parts.roles.end(), [](const CompositionItem &item) { return item.name == "summary"; }));
    QVERIFY(std::any_of(
        parts.tools.begin(), parts.tools.end(), [](const CompositionItem &item) { return item.name == "lookup"; }));
    QCOMPARE(parts.largest.size(), call.messages.size());
    QVERIFY(parts.largest.front().tokens >= parts.largest.back().tokens);
    QVERIFY(parts.largest.front().place >= 0);
    // What the provider reported beyond the count is tools and system.
    const Composition reported = composition(call.messages, nullptr, 50000);
    QCOMPARE(reported.total, 50000.0);
    QCOMPARE(reported.roles.front().name, std::string("tools and system"));
}

void TestDiff::sumsRolesToTheTotal()
{
    for (const char *name : {"0.7.7/media", "0.7.7/anthropic_counting", "0.7.7/truncate_args"}) {
        const ThreadPtr thread = opened(name);
        for (const Call &call : thread->find("")->calls) {
            const Composition parts = composition(callSide(thread, "", call.number).messages, nullptr, std::nullopt);
            const auto sum = [](const std::vector<CompositionItem> &items) {
                double all = 0;
                for (const CompositionItem &item : items)
                    all += item.tokens;
                return all;
            };
            QVERIFY(std::abs(sum(parts.roles) - parts.total) < 0.5);
            QVERIFY(std::abs(sum(parts.blocks) - parts.total) < 0.5);
        }
    }
}

QTEST_GUILESS_MAIN(TestDiff)
#include "tst_diff.moc"
