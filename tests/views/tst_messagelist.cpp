// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/messagemodel.h"
#include "tests/support/threadbuilder.h"
#include "views/panes/messagepane.h"
#include "views/theme.h"
#include "views/widgets/foldstate.h"
#include "views/widgets/messagelist.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>
#include <algorithm>

using namespace palimpsest;
using namespace Qt::StringLiterals;

class TestMessageList : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keysWalkTheRows();
    void unfoldingShowsTheWholeText();
    void aChoiceFromOutsideIsNotToldAgain();
    void theFocusChoosesNothing();
    void rowsThatFitAreNotScrolled();
    void dimmedRowsAreStillPainted();
    void hundredThousandMessagesScrollWithinAFrame();
};

namespace {

struct Fixture {
    Theme theme;
    Selection selection;
    Focus focus{&selection};
    FoldState folds;
    MessageModel model{&focus, MessageModel::List::RawLog};
    MessageList list{&model, &theme, &folds};

    explicit Fixture(const ThreadPtr &thread)
    {
        selection.setThread(thread->id);
        focus.setThread(thread);
        focus.setFacts(*makeLogFacts(thread, {}));
        list.resize(500, 600);
        list.show();
    }
};

} // namespace

void TestMessageList::keysWalkTheRows()
{
    ThreadBuilder builder;
    for (int i = 0; i < 100; ++i)
        builder.human("h" + std::to_string(i), "text " + std::to_string(i));
    Fixture f(builder.build());
    QVERIFY(QTest::qWaitForWindowExposed(&f.list));
    QSignalSpy chosen(&f.list, &MessageList::chosen);
    QTest::keyClick(&f.list, Qt::Key_End);
    QCOMPARE(f.list.currentIndex().row(), 99);
    QCOMPARE(chosen.last().at(0).toInt(), 99);
    QVERIFY(f.list.viewport()->rect().contains(f.list.rowRect(99)));
    QTest::keyClick(&f.list, Qt::Key_Up);
    QCOMPARE(f.list.currentIndex().row(), 98);
    QTest::keyClick(&f.list, Qt::Key_Home);
    QCOMPARE(f.list.currentIndex().row(), 0);
    QCOMPARE(f.list.verticalScrollBar()->value(), 0);
    QTest::keyClick(&f.list, Qt::Key_PageDown);
    QVERIFY(f.list.currentIndex().row() > 5);
    QTest::mouseClick(f.list.viewport(), Qt::LeftButton, {}, f.list.rowRect(3).center());
    QCOMPARE(f.list.currentIndex().row(), 3);
}

void TestMessageList::unfoldingShowsTheWholeText()
{
    ThreadBuilder builder;
    builder.human("h", std::string(2000, 'x')).ai("a", "short");
    Fixture f(builder.build());
    const int folded = f.list.geometry().height(0);
    f.list.showRow(0);
    QTest::keyClick(&f.list, Qt::Key_Space);
    QVERIFY(f.list.geometry().height(0) > folded * 3);
    QCOMPARE(f.list.rowRect(1).top(), f.list.rowRect(0).bottom() + 1);
    QVERIFY(!f.list.grab().toImage().isNull());
    f.folds.clear();
    QCOMPARE(f.list.geometry().height(0), folded);
}

void TestMessageList::aChoiceFromOutsideIsNotToldAgain()
{
    ThreadBuilder builder;
    builder.human("h", "one").ai("a", "two");
    Fixture f(builder.build());
    QSignalSpy chosen(&f.list, &MessageList::chosen);
    f.list.showRow(1);
    QCOMPARE(f.list.currentIndex().row(), 1);
    f.list.showRow(-1);
    QCOMPARE(chosen.count(), 0);
}

void TestMessageList::theFocusChoosesNothing()
{
    ThreadBuilder builder;
    for (int i = 0; i < 40; ++i)
        builder.human("h" + std::to_string(i), "hello");
    Fixture f(builder.build());
    f.list.verticalScrollBar()->setValue(300);
    const QSignalSpy chosen(&f.list, &MessageList::chosen);
    QFocusEvent focus(QEvent::FocusIn, Qt::TabFocusReason);
    QCoreApplication::sendEvent(&f.list, &focus);
    QVERIFY(!f.list.currentIndex().isValid());
    QCOMPARE(chosen.count(), 0);
    QCOMPARE(f.list.verticalScrollBar()->value(), 300);
    QTest::keyClick(&f.list, Qt::Key_Down);
    QCOMPARE(f.list.currentIndex().row(), 0);
}

void TestMessageList::rowsThatFitAreNotScrolled()
{
    ThreadBuilder builder;
    for (int i = 0; i < 8; ++i)
        builder.human("h" + std::to_string(i), "hello");
    Fixture f(builder.build());
    const int total = f.list.geometry().total();
    f.list.resize(500, total + 40);
    f.list.setPadding(38); // no room for the margin below the last row
    QCOMPARE(f.list.verticalScrollBar()->maximum(), 0);
    f.list.setPadding(60);
    QVERIFY(f.list.verticalScrollBar()->maximum() > 20); // with the margin
}

void TestMessageList::dimmedRowsAreStillPainted()
{
    ThreadBuilder builder;
    for (int i = 0; i < 10; ++i)
        builder.human("h" + std::to_string(i), "the same words");
    builder.event(5, "summary");
    Fixture f(builder.build());
    const QImage image = f.list.viewport()->grab().toImage();
    const auto darkest = [&](int row) {
        int least = 255;
        const QRect rect = f.list.rowRect(row).adjusted(40, 6, -60, -6);
        for (int y = rect.top(); y < rect.bottom(); ++y) {
            for (int x = rect.left(); x < rect.left() + 80; ++x)
                least = std::min(least, qGray(image.pixel(x, y)));
        }
        return least;
    };
    QVERIFY2(darkest(8) < darkest(2), "a row in context is stronger than one out of context");
    QVERIFY2(darkest(2) < 200, "a row out of context can be read");
}

void TestMessageList::hundredThousandMessagesScrollWithinAFrame()
{
    ThreadBuilder builder;
    for (int i = 0; i < 25000; ++i) {
        const std::string n = std::to_string(i);
        builder.human("h" + n, "question " + n)
            .calls("a" + n, {{"c" + n, "lookup"}})
            .tool("t" + n, "c" + n, "lookup", "result " + n)
            .ai("b" + n, "answer");
    }
    builder.event(60000, "summary");
    Fixture f(builder.build());
    QVERIFY(QTest::qWaitForWindowExposed(&f.list));
    QCOMPARE(f.model.rowCount(), 100000);
    QImage target(f.list.viewport()->size(), QImage::Format_ARGB32_Premultiplied);
    std::vector<qint64> frames;
    for (int frame = 0; frame < 120; ++frame) {
        f.list.verticalScrollBar()->setValue(frame * 24000);
        QElapsedTimer timer;
        timer.start();
        f.list.viewport()->render(&target);
        frames.push_back(timer.nsecsElapsed());
    }
    std::ranges::sort(frames);
    const double p95 = static_cast<double>(frames[frames.size() * 95 / 100]) / 1e6;
    qInfo("95 %% of the frames within %.2f ms", p95);
    // The goal is 16 ms in a release build on an idle machine; a build for tests on a busy one gets room.
    QVERIFY2(p95 < 100, "a frame must not depend on the length of the log");
}

QTEST_MAIN(TestMessageList)
#include "tst_messagelist.moc"
