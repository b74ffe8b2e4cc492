// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/contrast.h"
#include "views/panes/inspectionview.h"
#include "views/panes/inspectorpane.h"
#include "views/render/highlighter.h"
#include "views/theme.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>

#include <set>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

Message writeFile(const char *path, std::string content)
{
    Message message;
    message.kind = MessageKind::Ai;
    message.type = "ai";
    message.toolCalls = Value::list({Value::map({{"name", Value("write_file")},
        {"args", Value::map({{"file_path", Value(path)}, {"content", Value(std::move(content))}})}, {"id", Value("c")},
        {"type", Value("tool_call")}})});
    return message;
}

/// Colours of the text in the block that contains `words`.
std::set<QRgb> colorsOf(const QTextDocument &document, const QString &words)
{
    std::set<QRgb> colors;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        if (block.text().contains(words))
            for (auto it = block.begin(); !it.atEnd(); ++it)
                colors.insert(it.fragment().charFormat().foreground().color().rgb());
    return colors;
}

} // namespace

class TestInspector : public QObject {
    Q_OBJECT
    std::shared_ptr<Highlighter> m_highlighter = std::make_shared<Highlighter>();

private Q_SLOTS:
    void knowsSyntaxByNameAndByFile()
    {
        QCOMPARE(m_highlighter->syntaxFor(u"JSON"_s, {}), u"JSON"_s);
        QCOMPARE(m_highlighter->syntaxFor({}, u"main.py"_s), u"Python"_s);
        QCOMPARE(m_highlighter->syntaxFor({}, u"a.cpp"_s), u"C++"_s);
        QVERIFY(m_highlighter->syntaxFor({}, u"noidea"_s).isEmpty());
        QVERIFY(m_highlighter->syntaxFor(u"No such syntax"_s, {}).isEmpty());
    }

    void htmlKeepsTheText()
    {
        const QString html = m_highlighter->toHtml(
            u"def f():\n    return \"<b>\"\n"_s, u"Python"_s, QColor(Qt::white), QColor(0x20, 0x20, 0x23));
        QVERIFY(html.contains(u"<span"_s));
        QVERIFY(html.contains(u"&lt;b&gt;"_s));
        QVERIFY(!html.contains(u"<b>"_s));
    }

    void argumentsAreHighlightedByFileName()
    {
        Theme theme;
        theme.setMode(Theme::Mode::Light);
        InspectorPane pane(theme, m_highlighter);
        pane.setInspection(inspectMessage(writeFile("/src/tool.py", "def f(x):\n    return \"text\" + str(42)\n")));
        QTRY_VERIFY(pane.view()->isComplete());
        const auto python = colorsOf(*pane.view()->document(), u"return"_s);
        QVERIFY2(python.size() >= 2, QByteArray::number(python.size()));
        for (const QRgb color : python)
            QVERIFY(contrastRatio(QColor(color), theme.color(Ink::CardAlternate)) >= 4.4);
        pane.setInspection(inspectMessage(writeFile("/notes.unknown", "def f(x):\n    return \"text\" + str(42)\n")));
        QTRY_VERIFY(pane.view()->isComplete());
        QVERIFY(colorsOf(*pane.view()->document(), u"return"_s) != python);
    }

    void darkThemeRecoloursTheDocument()
    {
        Theme theme;
        theme.setMode(Theme::Mode::Light);
        InspectorPane pane(theme, m_highlighter);
        pane.setInspection(inspectMessage(writeFile("/src/tool.py", "return 1\n")));
        QTRY_VERIFY(pane.view()->isComplete());
        const auto light = colorsOf(*pane.view()->document(), u"return"_s);
        theme.setMode(Theme::Mode::Dark);
        QTRY_VERIFY(pane.view()->isComplete());
        const auto dark = colorsOf(*pane.view()->document(), u"return"_s);
        QVERIFY(light != dark);
        for (const QRgb color : dark)
            QVERIFY(contrastRatio(QColor(color), theme.color(Ink::CardAlternate)) >= 4.4);
    }

    void longTextsAreCutUntilAsked()
    {
        Theme theme;
        InspectorPane pane(theme, m_highlighter);
        std::string text;
        for (int i = 0; i < 3000; ++i)
            text += "line " + std::to_string(i) + "\n";
        pane.setInspection(inspectMessage(writeFile("/a.py", text)));
        QTRY_VERIFY(pane.view()->isComplete());
        QVERIFY(!pane.view()->toPlainText().contains(u"line 2999"_s));
        QVERIFY(pane.view()->toPlainText().contains(u"Show all"_s));
        Q_EMIT pane.view()->anchorClicked(QUrl(u"show:1"_s));
        QTRY_VERIFY(pane.view()->isComplete());
        QVERIFY(pane.view()->toPlainText().contains(u"line 2999"_s));
        QVERIFY(!pane.view()->toPlainText().contains(u"Show all"_s));
    }

    void oneSliceIsShort()
    {
        Theme theme;
        InspectorPane pane(theme, m_highlighter);
        pane.resize(600, 400);
        pane.show();
        QElapsedTimer timer;
        timer.start();
        pane.setInspection(inspectMessage(writeFile("/a.json", std::string(3'000'000, 'x'))));
        QVERIFY2(timer.elapsed() < 250,
            QByteArray::number(timer.elapsed())); // never the seconds that laying it all out takes
    }

    void copiesTextOrJson()
    {
        Theme theme;
        InspectorPane pane(theme, m_highlighter);
        Message message;
        message.kind = MessageKind::Human;
        message.content = Value("hello there");
        pane.setInspection(inspectMessage(message));
        pane.copy();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"hello there"_s);
        pane.findChild<QToolButton *>(u"inspectorStored"_s)->click();
        QTRY_VERIFY(pane.view()->isComplete());
        QVERIFY(pane.view()->toPlainText().contains(u"\"content\": \"hello there\""_s));
        pane.copy();
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(u'{'));
    }

    void fetchesNothing()
    {
        Theme theme;
        InspectorPane pane(theme, m_highlighter);
        QVERIFY(!pane.view()
                ->loadResource(QTextDocument::ImageResource, QUrl(u"https://example.invalid/x.png"_s))
                .isValid());
        Message message;
        message.kind = MessageKind::Human;
        message.content = Value("![x](https://example.invalid/x.png) <img src='https://example.invalid/y.png'>");
        pane.setInspection(inspectMessage(message));
        QTRY_VERIFY(pane.view()->isComplete());
        QVERIFY(pane.view()->toPlainText().contains(u"<img src="_s));
    }
};

QTEST_MAIN(TestInspector)
#include "tst_inspector.moc"
