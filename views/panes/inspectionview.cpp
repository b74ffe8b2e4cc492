// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/inspectionview.h"

#include "models/display.h"
#include "views/theme.h"

#include <QElapsedTimer>
#include <QScrollBar>
#include <QTextTable>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shownLines = 400;
constexpr qsizetype shownCharacters = 60'000;
constexpr qsizetype longestBlock =
    2000; // a longer line becomes several blocks: laying one out cannot be done in slices
constexpr qint64 sliceMilliseconds = 6;

} // namespace

InspectionView::InspectionView(const Theme &theme, Highlighter &highlighter, QWidget *parent)
    : QTextBrowser(parent)
    , m_theme(theme)
    , m_highlighter(highlighter)
{
    setObjectName(u"inspection"_s);
    setOpenLinks(false);
    setUndoRedoEnabled(false);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(10);
    setAccessibleName(tr("Inspector"));
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &InspectionView::writeSlice);
    connect(this, &QTextBrowser::anchorClicked, this, &InspectionView::onLink);
    connect(&m_theme, &Theme::changed, this, &InspectionView::rebuild);
}

QVariant InspectionView::loadResource(int, const QUrl &)
{
    return {}; // looking fetches nothing
}

void InspectionView::setInspection(const Inspection &inspection)
{
    if (inspection == m_inspection)
        return;
    m_inspection = inspection;
    m_whole.clear();
    rebuild();
}

void InspectionView::setStored(bool stored)
{
    if (m_stored == stored)
        return;
    m_stored = stored;
    rebuild();
}

void InspectionView::rebuild()
{
    m_slices.stop();
    m_part.reset();
    m_tasks.clear();
    clear();
    document()->setDefaultFont(m_theme.uiFont());
    m_highlighter.setLook(m_theme.isDark() ? RenderLook::Dark : RenderLook::Light, m_theme.color(Ink::CardAlternate));
    if (m_stored) {
        InspectionSection stored;
        stored.kind = InspectionSection::Kind::Code;
        stored.text = m_inspection.stored;
        stored.syntax = u"JSON"_s;
        m_tasks.append({stored, -1});
    } else {
        for (int i = 0; i < m_inspection.sections.size(); ++i)
            m_tasks.append({m_inspection.sections[i], i});
    }
    writeSlice();
}

void InspectionView::writeSlice()
{
    QElapsedTimer timer;
    timer.start();
    const int place = verticalScrollBar()->value();
    QTextCursor(document()).beginEditBlock();
    do {
        if (m_part) {
            if (m_part->next < m_part->lines.size())
                writeLine(m_part->lines[m_part->next++]);
            else
                endPart();
        } else if (!m_tasks.isEmpty()) {
            beginSection(m_tasks.takeFirst());
        } else {
            break;
        }
    } while (timer.elapsed() < sliceMilliseconds);
    QTextCursor(document()).endEditBlock();
    verticalScrollBar()->setValue(place);
    const bool more = m_part || !m_tasks.isEmpty();
    if (more != m_slices.isActive())
        more ? m_slices.start() : m_slices.stop();
}

void InspectionView::beginSection(const Task &task)
{
    const InspectionSection &section = task.section;
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    if (!section.title.isEmpty()) {
        QTextBlockFormat block;
        block.setTopMargin(document()->isEmpty() ? 0 : 12);
        block.setBottomMargin(3);
        QTextCharFormat format;
        format.setFont(m_theme.titleFont());
        format.setForeground(m_theme.color(Ink::Text));
        if (!document()->isEmpty())
            cursor.insertBlock(block, format);
        else
            cursor.setBlockFormat(block);
        cursor.insertText(section.title, format);
    }
    if (!section.facts.isEmpty())
        writeFacts(section);
    if (section.text.isEmpty())
        return;
    Part part;
    part.section = task.number;
    part.isCode = section.kind == InspectionSection::Kind::Code;
    QString text = section.text;
    text.replace(u"\r\n"_s, u"\n"_s);
    if (!m_whole.contains(task.number) && text.size() > shownCharacters) {
        part.hidden = text.size() - shownCharacters;
        text.truncate(shownCharacters);
    }
    part.lines = text.split(u'\n');
    if (!m_whole.contains(task.number) && part.lines.size() > shownLines) {
        for (qsizetype i = shownLines; i < part.lines.size(); ++i)
            part.hidden += part.lines[i].size() + 1;
        part.lines.resize(shownLines);
    }
    part.run = m_highlighter.begin(m_highlighter.syntaxFor(section.syntax, section.fileName));
    m_part = std::move(part);
}

void InspectionView::writeFacts(const InspectionSection &section)
{
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    for (const auto &[name, value] : section.facts) {
        QTextBlockFormat block;
        block.setTopMargin(1);
        block.setLeftMargin(2);
        const qreal indent = QFontMetricsF(m_theme.uiFont()).averageCharWidth() * 25;
        block.setTabPositions({QTextOption::Tab(indent, QTextOption::LeftTab)});
        QTextCharFormat quiet;
        quiet.setForeground(m_theme.color(Ink::TextSecondary));
        QTextCharFormat plain;
        plain.setForeground(m_theme.color(Ink::Text));
        if (document()->isEmpty())
            cursor.setBlockFormat(block);
        else
            cursor.insertBlock(block, plain);
        cursor.insertText(name + u'\t', quiet);
        cursor.insertText(value.left(longestBlock), plain);
    }
}

void InspectionView::writeLine(const QString &line)
{
    QTextBlockFormat block;
    QTextCharFormat base;
    base.setForeground(m_theme.color(Ink::Text));
    if (m_part->isCode) {
        block.setBackground(m_theme.color(Ink::CardAlternate));
        block.setLeftMargin(2);
        base.setFont(m_theme.codeFont());
    }
    if (!m_part->isCode) // the ground of code has no gaps
        block.setLineHeight(112, QTextBlockFormat::ProportionalHeight);
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    QList<HighlightSpan> spans = m_part->run->next(line);
    std::ranges::stable_sort(spans, {}, &HighlightSpan::start);
    qsizetype span = 0;
    qsizetype done = 0;
    do {
        if (document()->isEmpty() && done == 0)
            cursor.setBlockFormat(block);
        else
            cursor.insertBlock(block, base);
        const qsizetype end = std::min(line.size(), done + longestBlock);
        while (done < end) {
            while (span < spans.size() && spans[span].start + spans[span].length <= done)
                ++span;
            qsizetype to = end;
            QTextCharFormat format = base;
            if (span < spans.size() && spans[span].start <= done) {
                to = std::min<qsizetype>(end, spans[span].start + spans[span].length);
                format.merge(spans[span].format);
            } else if (span < spans.size()) {
                to = std::min<qsizetype>(end, spans[span].start);
            }
            cursor.insertText(line.mid(done, to - done), format);
            done = to;
        }
    } while (done < line.size());
}

void InspectionView::endPart()
{
    if (m_part->hidden > 0) {
        QTextCursor cursor(document());
        cursor.movePosition(QTextCursor::End);
        QTextCharFormat link;
        link.setAnchor(true);
        link.setAnchorHref(u"show:%1"_s.arg(m_part->section));
        link.setForeground(m_theme.text(Ink::Accent));
        link.setFontUnderline(true);
        QTextBlockFormat block;
        block.setTopMargin(4);
        cursor.insertBlock(block, link);
        cursor.insertText(tr("Show all (%1 more)").arg(sizeText(m_part->hidden)), link);
    }
    m_part.reset();
}

void InspectionView::onLink(const QUrl &link)
{
    if (link.scheme() != "show"_L1)
        return;
    m_whole.insert(link.path().toInt());
    const int place = verticalScrollBar()->value();
    rebuild();
    verticalScrollBar()->setValue(place);
}

} // namespace palimpsest
