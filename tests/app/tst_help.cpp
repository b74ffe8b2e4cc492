// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/program.h"
#include "views/dialogs/helppage.h"

#include <QRegularExpression>
#include <QTextBrowser>

using namespace palimpsest;
using namespace Qt::StringLiterals;
using palimpsest::test::Program;
using palimpsest::test::recording;

class TestHelp : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pagesAreInTheMenu()
    {
        Program p;
        for (const QString &name : {u"forgot"_s, u"compaction"_s, u"rules"_s}) {
            QVERIFY(p.desk->window().command(u"help-"_s + name));
            p.trigger(u"help-"_s + name);
            auto *page = p.desk->window().findChild<HelpPage *>();
            QVERIFY(page);
            QFile file(u":/help/%1.md"_s.arg(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString title = QString::fromUtf8(file.readLine()).sliced(2).trimmed();
            QCOMPARE(page->windowTitle(), title);
            delete page;
        }
    }

    /// What the pages link to and show is there, in the sources and in the program.
    void linksAndPicturesAreThere()
    {
        static const QRegularExpression target(u"\\]\\(([^)]+)\\)"_s);
        for (const QString &name : {u"forgot"_s, u"compaction"_s}) {
            QFile file(u":/help/%1.md"_s.arg(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString page = QString::fromUtf8(file.readAll());
            for (const QRegularExpressionMatch &match : target.globalMatch(page)) {
                const QString path = match.captured(1);
                if (path.contains(u"://"_s))
                    continue;
                QVERIFY2(QFile::exists(u":/help/"_s + path), qPrintable(path));
                QVERIFY2(QFile::exists(u"resources/help/"_s + path), qPrintable(path));
            }
        }
    }

    void mechanismsLeadToTheOpenThread()
    {
        Program p;
        QVERIFY(p.open(recording(u"summarize_chain"_s)));
        p.trigger(u"help-compaction"_s);
        auto *page = p.desk->window().findChild<HelpPage *>();
        QVERIFY(page);
        QVERIFY2(page->text().contains(u"In the thread that is open: event 1 · event 2"_s), qPrintable(page->text()));
        QVERIFY(page->text().contains(u"Not seen at work in the thread that is open."_s));
        auto *browser = page->findChild<QTextBrowser *>();
        Q_EMIT browser->anchorClicked(QUrl(u"place:0"_s));
        QCOMPARE(p.scene()->checkpointIndex, p.scene()->events[0].checkpoint);
        QCOMPARE(p.scene()->inForce, 1);
        // Another thread has other places.
        QVERIFY(p.open(recording(u"tool_offload"_s)));
        QTRY_VERIFY(!page->text().contains(u"event 2"_s));
        const std::vector<MechanismPlace> stubs = mechanismPlaces(*p.scene(), u"stub");
        QVERIFY(!stubs.empty());
        QVERIFY(page->text().contains(stubs.front().text));
        for (const QString &mechanism : {u"event"_s, u"archive"_s, u"truncated"_s, u"stub"_s, u"human"_s, u"clip"_s,
                 u"compact"_s, u"subagent"_s, u"nothing"_s})
            QVERIFY(mechanismPlaces(*p.scene(), mechanism).size() <= 4);
    }

    void aPageLeadsToAnother()
    {
        Program p;
        p.trigger(u"help-forgot"_s);
        auto *page = p.desk->window().findChild<HelpPage *>();
        QVERIFY(page);
        Q_EMIT page->findChild<QTextBrowser *>()->anchorClicked(QUrl(u"compaction.md"_s));
        QCOMPARE(page->windowTitle(), u"How compaction works"_s);
    }
};

QTEST_MAIN(TestHelp)
#include "tst_help.moc"
