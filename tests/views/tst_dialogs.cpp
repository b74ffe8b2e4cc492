// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/fuzzy.h"
#include "views/dialogs/commandpalette.h"
#include "views/dialogs/helpsheet.h"
#include "views/panes/startpage.h"
#include "views/theme.h"

#include <QAction>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

class TestDialogs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fuzzyPrefersBeginningsOfWords()
    {
        QVERIFY(fuzzyScore(u"nc", u"Next call") > fuzzyScore(u"nc", u"Colours: high contrast"));
        QVERIFY(fuzzyScore(u"play", u"Play the thread") > fuzzyScore(u"play", u"Display all yes"));
        QVERIFY(fuzzyScore(u"xyz", u"Play") < 0);
        QCOMPARE(fuzzyScore(u"", u"Play"), 0);
        QVERIFY(fuzzyScore(u"OPEN FILE", u"Open file") > 0);
    }

    void paletteRunsTheBestMatch()
    {
        Theme theme;
        QAction open(u"&Open file…"_s);
        QAction play(u"&Play the thread"_s);
        QAction off(u"Play backwards"_s);
        off.setEnabled(false);
        QSignalSpy ran(&play, &QAction::triggered);
        auto *palette = new CommandPalette(theme, {&open, &play, &off});
        palette->show();
        QCOMPARE(palette->shown(), (QStringList{u"Open file"_s, u"Play the thread"_s}));
        QTest::keyClicks(palette->field(), u"plt"_s);
        QCOMPARE(palette->shown(), QStringList{u"Play the thread"_s});
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTRY_COMPARE(ran.count(), 1);
    }

    void arrowsMoveInThePalette()
    {
        Theme theme;
        QAction first(u"First"_s);
        QAction second(u"Second"_s);
        QSignalSpy ran(&second, &QAction::triggered);
        auto *palette = new CommandPalette(theme, {&first, &second});
        palette->show();
        QTest::keyClick(palette->field(), Qt::Key_Down);
        QTest::keyClick(palette->field(), Qt::Key_Down);
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTRY_COMPARE(ran.count(), 1);
    }

    void helpListsTheShortcuts()
    {
        Theme theme;
        QAction open(u"&Open file…"_s);
        open.setShortcut(QKeySequence(u"Ctrl+O"_s));
        QAction without(u"Nothing"_s);
        const QString html = HelpSheet::html(theme, {{u"File"_s, {&open, &without}}});
        QVERIFY(html.contains(u"Ctrl+O"_s));
        QVERIFY(html.contains(u"Open file"_s));
        QVERIFY(!html.contains(u"Nothing"_s));
    }

    void startPageOpensSamplesRecentAndDrops()
    {
        Theme theme;
        StartPage page(theme);
        page.resize(1000, 700);
        page.show();
        page.setSamples({{u"Chain"_s, u"Four summaries"_s, u":/samples/a.sqlite"_s}});
        page.setRecent({u"/data/b.sqlite"_s});
        QSignalSpy opened(&page, &StartPage::openRequested);
        page.findChild<QPushButton *>(u"sample"_s)->click();
        QCOMPARE(opened.takeFirst().front().toString(), u":/samples/a.sqlite"_s);
        page.findChild<QPushButton *>(u"recent"_s)->click();
        QCOMPARE(opened.takeFirst().front().toString(), u"/data/b.sqlite"_s);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(u"/data/c.sqlite"_s)});
        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&page, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&page, &drop);
        QCOMPARE(opened.takeFirst().front().toString(), u"/data/c.sqlite"_s);
        QSignalSpy dialog(&page, &StartPage::fileDialogRequested);
        page.findChild<QPushButton *>(u"startOpen"_s)->click();
        QCOMPARE(dialog.count(), 1);
        theme.setMode(Theme::Mode::Dark);
        QVERIFY(!page.grab().isNull());
    }
};

QTEST_MAIN(TestDialogs)
#include "tst_dialogs.moc"
