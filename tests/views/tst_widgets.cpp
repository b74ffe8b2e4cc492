// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/timelinepane.h"
#include "views/theme.h"
#include "views/widgets/progressline.h"
#include "views/widgets/veil.h"

#include <QLabel>
#include <QPushButton>
#include <QtTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

class TestWidgets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_theme.install(*qApp); }

    void aVeilTakesTheClicksOfWhatIsStale()
    {
        QWidget below;
        below.resize(200, 100);
        QPushButton button(u"old"_s, &below);
        button.setGeometry(0, 0, 200, 100);
        int clicks = 0;
        connect(&button, &QPushButton::clicked, this, [&] { ++clicks; });
        auto *veil = new Veil(m_theme, &below);
        below.show();
        QVERIFY(QTest::qWaitForWindowExposed(&below));
        const auto click = [&] { QTest::mouseClick(below.windowHandle(), Qt::LeftButton, {}, QPoint(50, 50)); };
        click();
        QCOMPARE(clicks, 1);
        veil->setStale(true);
        QVERIFY(!veil->isVisible()); // what is quick does not flicker
        QTRY_VERIFY(veil->isVisible());
        QCOMPARE(veil->geometry(), below.rect());
        below.resize(300, 120);
        QCOMPARE(veil->geometry(), below.rect());
        click();
        QCOMPARE(clicks, 1);
        veil->setStale(false);
        QVERIFY(!veil->isVisible());
        click();
        QCOMPARE(clicks, 2);
        // Ready before its time: it never comes.
        veil->setStale(true);
        veil->setStale(false);
        QVERIFY(!QTest::qWaitFor([veil] { return veil->isVisible(); }, 300));
    }

    void theLegendIsWholeAtEveryWidth()
    {
        TimelinePane pane(m_theme, [](const ThreadPtr &, const std::string &, QObject *, const auto &) { });
        QLabel *legend = nullptr;
        const auto labels = pane.findChildren<QLabel *>();
        for (QLabel *label : labels)
            if (label->text().contains(u"■"_s))
                legend = label;
        QVERIFY(legend);
        for (const int width : {1600, 1000}) {
            pane.resize(width, 200);
            pane.show();
            QTRY_VERIFY2(legend->width() >= legend->sizeHint().width(), QByteArray::number(width));
            QVERIFY(legend->text().contains(u"system"_s) || legend->text().contains(u">tools<"_s));
        }
    }

    void progressIsSaid()
    {
        ProgressLine line(m_theme);
        line.setProgress(0.5, u"Reading"_s);
        QCOMPARE(line.fraction(), 0.5);
        QCOMPARE(line.accessibleDescription(), u"Reading"_s);
        line.resize(line.sizeHint());
        const QImage half = line.grab().toImage();
        line.setProgress(1, u"Reading"_s);
        QVERIFY(line.grab().toImage() != half);
    }

private:
    Theme m_theme;
};

QTEST_MAIN(TestWidgets)
#include "tst_widgets.moc"
