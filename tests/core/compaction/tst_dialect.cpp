// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/dialect.h"

#include <QtTest>

using namespace palimpsest;

class TestDialect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownNamesHaveNoNotice();
    void takesTheNewestRulesNotAbove_data();
    void takesTheNewestRulesNotAbove();
    void refusesWhatIsNoDialect();
};

void TestDialect::knownNamesHaveNoNotice()
{
    for (const Dialect &dialect : knownDialects()) {
        const auto choice = dialectFor(dialect.name);
        QVERIFY(choice.has_value());
        QCOMPARE(choice->dialect, dialect);
        QVERIFY(choice->notice.empty());
    }
}

void TestDialect::takesTheNewestRulesNotAbove_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    QTest::newRow("between") << "deepagents-0.7.31" << "deepagents-0.7.7";
    QTest::newRow("ten is above seven") << "deepagents-0.7.10" << "deepagents-0.7.7";
    QTest::newRow("above all") << "deepagents-0.8.0" << "deepagents-0.7.32";
    QTest::newRow("candidate") << "deepagents-0.7.33rc1" << "deepagents-0.7.32";
    QTest::newRow("below all") << "deepagents-0.7.5" << "deepagents-0.7.7";
    QTest::newRow("patch level") << "langchain-1.5.2" << "langchain-1.5";
}

void TestDialect::takesTheNewestRulesNotAbove()
{
    QFETCH(QString, name);
    QFETCH(QString, expected);
    const auto choice = dialectFor(name.toStdString());
    QVERIFY(choice.has_value());
    QCOMPARE(QString::fromStdString(choice->dialect.name), expected);
    QVERIFY(QString::fromStdString(choice->notice).contains(expected));
}

void TestDialect::refusesWhatIsNoDialect()
{
    for (const char *name : {"", "deepagents", "deepagents-", "deepagents-x", "llamaindex-1.0"})
        QVERIFY(!dialectFor(name).has_value());
}

QTEST_APPLESS_MAIN(TestDialect)
#include "tst_dialect.moc"
