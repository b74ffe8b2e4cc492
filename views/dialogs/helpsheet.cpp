// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialogs/helpsheet.h"

#include "views/dialogs/commandpalette.h"
#include "views/theme.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QLabel>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

using Row = std::pair<QString, QString>;

QString table(const Theme &theme, const QString &title, const QList<Row> &rows)
{
    QString html = u"<h3>%1</h3><table cellspacing=0 cellpadding=3>"_s.arg(title.toHtmlEscaped());
    for (const Row &row : rows)
        html += u"<tr><td width=210 style='color:%1'><b>%2</b></td><td>%3</td></tr>"_s.arg(
            theme.text(Ink::Accent).name(), row.first.toHtmlEscaped(), row.second.toHtmlEscaped());
    return html + u"</table>"_s;
}

void addClose(QDialog &dialog, QVBoxLayout &column)
{
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::close);
    column.addWidget(buttons);
}

} // namespace

QString HelpSheet::html(const Theme &theme, const QList<Group> &groups)
{
    QString html;
    for (const Group &group : groups) {
        QList<Row> rows;
        for (const QAction *action : group.actions)
            if (!action->shortcuts().isEmpty())
                rows.append({QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)
                                 .replace(u"; "_s, u"  or  "_s),
                    CommandPalette::plainText(*action)});
        if (!rows.isEmpty())
            html += table(theme, group.title, rows);
    }
    html += table(theme, tr("In the timeline"),
        {{tr("Drag, Left, Right"), tr("scrub call by call; Page Up and Page Down by ten, Home and End to the ends")},
            {tr("Space"), tr("play and pause")}, {tr("Wheel, +, -"), tr("zoom; 0 shows all calls")},
            {tr("Shift+drag"), tr("zoom into a box")}, {tr("Shift+wheel, middle button"), tr("pan")},
            {tr("Backspace"), tr("undo the last zoom, with Shift redo it")},
            {tr("Click on a flag or mark"), tr("go to that event, turn, tool call or problem")}});
    html += table(theme, tr("Words"),
        {{tr("raw log"), tr("the thread's messages: append-only, never shortened by Deep Agents")},
            {tr("event"), tr("a summarization: what stood before its cutoff is replaced by its summary")},
            {tr("effective messages"), tr("what an event leaves of the raw log: summary and the messages kept")},
            {tr("request"), tr("what the model received at a call")},
            {tr("archive"), tr("the file into which summarized messages were offloaded")},
            {tr("what-if"), tr("the compaction run again with other settings; always dashed or hatched")}});
    return html;
}

HelpSheet::HelpSheet(const Theme &theme, const QList<Group> &groups, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"helpSheet"_s);
    setWindowTitle(tr("Keys and words"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *page = new QTextBrowser;
    page->setOpenLinks(false);
    page->setFrameShape(QFrame::NoFrame);
    page->document()->setDocumentMargin(14);
    page->setHtml(html(theme, groups));
    auto *column = new QVBoxLayout(this);
    column->addWidget(page, 1);
    addClose(*this, *column);
    resize(760, 640);
}

AboutDialog::AboutDialog(const Theme &theme, const QString &version, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(u"about"_s);
    setWindowTitle(tr("About Palimpsest"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *words = new QLabel(
        tr("<h2>Palimpsest %1</h2>"
           "<p>A palimpsest is a page that was scraped and written over, where the first text can still be read.<br>"
           "So is an agent's context after compaction. This program shows both, and where the old text went.</p>"
           "<p>It reads LangGraph and Deep Agents checkpoints. It never changes what it opens, runs nothing that is<br>"
           "stored in it, and fetches nothing unless you ask.</p>"
           "<p>Free software under the GNU General Public License, version 3 or later.<br>"
           "Built with Qt, KSyntaxHighlighting, QCustomPlot, nlohmann/json, msgpack-cxx, immer, Botan and CLI11.</p>")
            .arg(version.toHtmlEscaped()));
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->setFont(theme.uiFont());
    words->setMargin(12);
    auto *column = new QVBoxLayout(this);
    column->addWidget(words);
    addClose(*this, *column);
}

} // namespace palimpsest
