// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/selection.h"

#include <QSignalSpy>
#include <QtTest>

using namespace palimpsest;

class TestSelection : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void backUndoesTheLastChangeOfView();
    void mergedStepsAreOneEntry();
    void anotherThreadForgetsTheRest();
    void tellsOnlyRealChanges();
};

void TestSelection::backUndoesTheLastChangeOfView()
{
    Selection selection;
    selection.setThread("t");
    selection.setMessage("m1");
    selection.setMessage("m2");
    selection.back();
    QCOMPARE(selection.place().message, std::string("m1"));
    QVERIFY(selection.canGoForward());
    selection.forward();
    QCOMPARE(selection.place().message, std::string("m2"));
    selection.back();
    selection.setArtifact("/a.md", 2);
    QVERIFY(!selection.canGoForward());
    selection.back();
    selection.back();
    QCOMPARE(selection.place().thread, std::string("t"));
    QVERIFY(selection.place().message.empty());
    QVERIFY(!selection.canGoBack());
}

void TestSelection::mergedStepsAreOneEntry()
{
    Selection selection;
    selection.setThread("t");
    selection.setCheckpoint("c0");
    for (int i = 1; i < 100; ++i)
        selection.setCheckpoint("c" + std::to_string(i), Selection::Step::Merge);
    selection.back();
    QCOMPARE(selection.place().checkpoint, std::string());
}

void TestSelection::anotherThreadForgetsTheRest()
{
    Selection selection;
    selection.setThread("t");
    selection.setCall(CallNumber(3), "c");
    selection.setMessage("m");
    selection.setThread("t", "tools:1");
    Place expected;
    expected.thread = "t";
    expected.ns = "tools:1";
    QCOMPARE(selection.place(), expected);
}

void TestSelection::tellsOnlyRealChanges()
{
    Selection selection;
    QSignalSpy spy(&selection, &Selection::changed);
    selection.setThread("t");
    selection.setThread("t");
    selection.setMessage("m");
    selection.setMessage("m");
    QCOMPARE(spy.count(), 2);
    QCOMPARE(spy.last().at(0).value<Place>().message, std::string("m"));
    QCOMPARE(spy.last().at(1).value<Place>().message, std::string());
}

QTEST_APPLESS_MAIN(TestSelection)
#include "tst_selection.moc"
