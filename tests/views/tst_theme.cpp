// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/contrast.h"
#include "views/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QSignalSpy>
#include <QTest>

using namespace palimpsest;

class TestTheme : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrastOfBlackOnWhiteIs21()
    {
        QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
        QVERIFY(qAbs(contrastRatio(QColor(0x76, 0x76, 0x76), Qt::white) - 4.54) < 0.01);
    }

    void everyMeaningIsReadable_data()
    {
        QTest::addColumn<Theme::Mode>("mode");
        QTest::addColumn<double>("textRatio");
        QTest::newRow("light") << Theme::Mode::Light << 4.5;
        QTest::newRow("dark") << Theme::Mode::Dark << 4.5;
        QTest::newRow("contrast") << Theme::Mode::HighContrast << 7.0;
    }

    void everyMeaningIsReadable()
    {
        QFETCH(Theme::Mode, mode);
        QFETCH(double, textRatio);
        Theme theme;
        theme.setMode(mode);
        const QColor card = theme.color(Ink::Card);
        for (int i = static_cast<int>(Ink::Text); i < static_cast<int>(Ink::Count); ++i) {
            const Ink ink = static_cast<Ink>(i);
            const QByteArray name = "ink " + QByteArray::number(i);
            QVERIFY2(theme.color(ink).isValid(), name);
            QVERIFY2(contrastRatio(theme.text(ink), card) >= textRatio, name);
            QVERIFY2(contrastRatio(theme.color(Ink::Text), theme.fill(ink)) >= 4.5, name);
            QVERIFY2(contrastRatio(theme.onColor(ink), theme.color(ink)) >= 4.5, name);
        }
        for (int i = static_cast<int>(Ink::Playhead); i < static_cast<int>(Ink::Count); ++i)
            QVERIFY2(contrastRatio(theme.color(static_cast<Ink>(i)), card) >= 3.0, QByteArray::number(i));
        for (const Ink ground : {Ink::Window, Ink::Header, Ink::CardAlternate, Ink::Selection, Ink::Hover, Ink::Match})
            QVERIFY(contrastRatio(theme.color(Ink::Text), theme.color(ground)) >= textRatio);
        QVERIFY(contrastRatio(theme.color(Ink::TextSecondary), theme.color(Ink::Selection)) >= 4.5);
    }

    void anEmptyCheckBoxIsSeenInEveryTheme()
    {
        Theme theme;
        theme.install(*qApp);
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::HighContrast}) {
            theme.setMode(mode);
            QCheckBox box;
            box.resize(box.sizeHint());
            const QImage drawn = box.grab().toImage();
            const QColor window = drawn.pixelColor(drawn.width() - 1, 0);
            double most = 1;
            for (int x = 0; x < drawn.width(); ++x)
                most = std::max(most, contrastRatio(drawn.pixelColor(x, drawn.height() / 2), window));
            QVERIFY2(most >= 2.5, QByteArray::number(most));
        }
    }

    void rolesDiffer()
    {
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::HighContrast}) {
            Theme theme;
            theme.setMode(mode);
            const Ink roles[] = {Ink::Human, Ink::Ai, Ink::Tool, Ink::System, Ink::Summary};
            for (const Ink a : roles)
                for (const Ink b : roles)
                    if (a != b)
                        QVERIFY(theme.color(a) != theme.color(b));
        }
    }

    void whatIfIsToldApartWithoutColour()
    {
        Theme theme;
        QCOMPARE(theme.linePen(false).style(), Qt::SolidLine);
        QVERIFY(theme.linePen(true).style() != Qt::SolidLine);
        QCOMPARE(theme.areaBrush(Ink::Ai, false).style(), Qt::SolidPattern);
        QVERIFY(theme.areaBrush(Ink::Ai, true).style() != Qt::SolidPattern);
    }

    void applicationFollowsTheMode()
    {
        Theme theme;
        theme.install(*qApp);
        theme.setMode(Theme::Mode::Light);
        QVERIFY(QApplication::palette().color(QPalette::Base).lightness() > 200);
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setMode(Theme::Mode::Dark);
        QCOMPARE(changed.count(), 1);
        QVERIFY(QApplication::palette().color(QPalette::Base).lightness() < 60);
        QVERIFY(theme.isDark());
        QVERIFY(!qApp->styleSheet().contains(u'@'));
        qApp->setStyleSheet(QString());
    }

    void modeSurvivesItsName()
    {
        for (const Theme::Mode mode :
            {Theme::Mode::System, Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::HighContrast})
            QCOMPARE(Theme::modeFromName(Theme::modeName(mode)), mode);
    }

    void textZoomGoesBack()
    {
        Theme theme;
        const qreal size = theme.uiFont().pointSizeF();
        theme.zoomText(2);
        QCOMPARE(theme.uiFont().pointSizeF(), size + 2);
        theme.zoomText(0);
        QCOMPARE(theme.uiFont().pointSizeF(), size);
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
