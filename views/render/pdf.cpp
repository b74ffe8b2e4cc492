// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/render/pdf.h"

#include "core/artifacts/links.h"
#include "core/compaction/stages/media.h"
#include "core/transcript/writers.h"
#include "core/values/json.h"
#include "views/render/pdfoutline.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>

#include <utility>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr double margin = 42; // points, as all lengths here
constexpr double footer = 24;
constexpr qsizetype longestText = 200'000; // characters of one text: a page holds about 4,000
constexpr double pointsPerInch = 72;
constexpr double textSize = 8.5;
constexpr double codeSize = 7.5;
constexpr std::size_t mostColumns = 6; // a table of more is written row by row

QString toText(std::string_view wtf8)
{
    return QString::fromUtf8(wtf8.data(), static_cast<qsizetype>(wtf8.size()));
}

const QColor humanColour(0x1f, 0x5f, 0xa8);
const QColor aiColour(0x2f, 0x7a, 0x3e);
const QColor toolColour(0x8a, 0x5a, 0x00);
const QColor summaryColour(0x7a, 0x3d, 0x8f);
const QColor badColour(0xb3, 0x26, 0x1e);
const QColor faintColour(0x60, 0x5c, 0x56);
const QColor codeGround(0xf5, 0xf3, 0xee);
const QColor eventGround(0xf4, 0xed, 0xf7);

class Builder {
public:
    Builder()
        : m_cursor(&m_document)
    {
        QFont font(u"DejaVu Sans"_s);
        font.setPointSizeF(textSize);
        m_document.setDefaultFont(font);
    }

    [[nodiscard]] QTextDocument &document() { return m_document; }
    /// Headings that the outline names, by their blocks.
    struct Heading {
        QString title;
        int position = 0;
        int level = 0;
    };
    [[nodiscard]] const QList<Heading> &headings() const { return m_headings; }

    /// All of a transcript; `part`: of a further namespace. Error Cancelled.
    Result<void> add(const Transcript &transcript, bool part, const JobContext &job)
    {
        m_transcript = &transcript;
        head(part);
        for (const TranscriptEntry &entry : transcript.entries) {
            if (job.stopped())
                return failure(Error::Code::Cancelled, {}, "stopped");
            if (const auto *here = std::get_if<TranscriptEvent>(&entry))
                event(*here);
            else if (const auto &one = std::get<TranscriptMessage>(entry); !one.paired)
                message(one);
        }
        for (const TranscriptTable &each : transcript.tables)
            table(each);
        archives();
        return {};
    }

private:
    void head(bool part)
    {
        const Transcript &t = *m_transcript;
        const QString title = toText(t.title.empty() ? t.threadId : t.title);
        if (part)
            mark(u"Subagent: "_s + title, 0);
        paragraph((part ? u"Subagent · "_s : QString()) + toText(t.subject), coloured(summaryColour), part ? 30 : 2);
        paragraph(title, large(), 0, 8);
        fact(u"Thread"_s, t.threadId);
        fact(u"Namespace"_s, t.checkpointNs);
        fact(u"Checkpoint"_s, t.checkpointId);
        fact(u"Model"_s, t.model);
        fact(u"How this is known"_s, t.known);
        if (!t.assumes.empty())
            fact(u"What-if"_s, "Assumes " + t.assumes + ".");
        fact(u"Open"_s, t.place);
        if (!t.settings.isNil()) {
            paragraph(u"Settings"_s, bold());
            code(toText(toJson(t.settings)));
        }
        for (const std::string &note : t.notes)
            paragraph(u"• "_s + toText(note), plain());
    }

    void message(const TranscriptMessage &entry)
    {
        const Message &message = *entry.message;
        const bool turn = message.kind == MessageKind::Human && !isSummary(message);
        QString heading = toText(speaker(message));
        if (turn)
            mark(u"User: "_s + toText(textOf(message)).simplified().left(70), 0);
        QStringList facts;
        if (entry.index >= 0)
            facts << u'#' + QString::number(entry.index);
        facts << toText(shortCount(entry.tokens)) + u" tokens"_s;
        if (!entry.time.empty())
            facts << toText(entry.time.substr(0, 19)).replace(u'T', u' ');
        if (!entry.inContext)
            facts << u"out of context"_s;
        m_ink = entry.inContext ? plain().foreground() : faint().foreground();
        paragraph(heading, kindFormat(message), 9);
        m_cursor.insertText(u"   "_s + facts.join(u" · "_s), small());
        content(message, false);
        std::vector<bool> shown(entry.results.size());
        for (const ToolCallView &call : toolCalls(message)) {
            paragraph(u"→ "_s + toText(call.name), coloured(toolColour), 3);
            code(toText(toJson(*call.args)));
            for (std::size_t i = 0; i < entry.results.size(); ++i) {
                const auto &result = std::get<TranscriptMessage>(m_transcript->entries[entry.results[i]]);
                if (shown[i] || result.message->toolCallId != std::string(call.id))
                    continue;
                shown[i] = true;
                if (result.message->status == "error")
                    paragraph(u"The tool failed"_s, coloured(badColour));
                content(*result.message, true);
            }
        }
        m_ink = plain().foreground();
    }

    void event(const TranscriptEvent &event)
    {
        const QString line = toText(eventLine(event));
        mark(line, 1);
        QTextBlockFormat block;
        block.setTopMargin(12);
        block.setBottomMargin(4);
        block.setAlignment(Qt::AlignHCenter);
        block.setBackground(eventGround);
        newBlock(block);
        m_cursor.insertText(line, coloured(summaryColour));
        if (event.archive) {
            newBlock(block);
            m_cursor.insertText(toText(*event.archive), small());
        }
        if (event.summary)
            content(*event.summary, false);
    }

    void table(const TranscriptTable &table)
    {
        const QString title = toText(table.title);
        mark(title, 0);
        paragraph(title, section(), 14, 4);
        if (table.columns.empty() || table.rows.empty()) {
            paragraph(u"None."_s, faint());
            return;
        }
        if (table.columns.size() > mostColumns)
            records(table);
        else
            grid(table);
    }

    /// Each row as a paragraph of its members: wide tables fit no page.
    void records(const TranscriptTable &table)
    {
        for (const auto &row : table.rows) {
            bool first = true;
            for (std::size_t column = 0; column < std::min(table.columns.size(), row.size()); ++column) {
                const QString cell = toText(cellText(row[column]));
                if (cell.isEmpty())
                    continue;
                paragraph(toText(table.columns[column]) + u": "_s, small(), first ? 7 : 0);
                m_cursor.insertText(cell.left(longestText), first ? bold() : plain());
                first = false;
            }
        }
    }

    void grid(const TranscriptTable &table)
    {
        QTextTableFormat format;
        format.setCellPadding(3);
        format.setCellSpacing(0);
        format.setBorder(0.5);
        format.setBorderBrush(QColor(0xd8, 0xd4, 0xcb));
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setHeaderRowCount(1);
        format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
        QTextTable *cells = m_cursor.insertTable(
            static_cast<int>(table.rows.size()) + 1, static_cast<int>(table.columns.size()), format);
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            cells->cellAt(0, static_cast<int>(column))
                .firstCursorPosition()
                .insertText(toText(table.columns[column]), small());
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            for (std::size_t column = 0; column < std::min(table.columns.size(), table.rows[row].size()); ++column)
                cells->cellAt(static_cast<int>(row) + 1, static_cast<int>(column))
                    .firstCursorPosition()
                    .insertText(toText(cellText(table.rows[row][column])), plain());
        m_cursor.movePosition(QTextCursor::End);
    }

    void archives()
    {
        for (const TranscriptFile &file : m_transcript->files) {
            if (file.kind != TranscriptFile::Kind::Archive)
                continue;
            const QString title = u"Archive "_s + toText(file.path);
            mark(title, 0);
            paragraph(title, section(), 14, 4);
            code(toText(file.bytes));
            for (const std::string &path : mediaPaths(file.bytes)) {
                const TranscriptFile *medium = archivedMedium(*m_transcript, path);
                if (!medium)
                    continue;
                paragraph(toText(medium->path), faint());
                if (medium->mime.starts_with("image/"))
                    picture(QByteArray::fromStdString(medium->bytes), medium->mime);
            }
        }
    }

    static QTextCharFormat coloured(const QColor &colour)
    {
        QTextCharFormat format;
        format.setForeground(colour);
        format.setFontWeight(QFont::Bold);
        return format;
    }
    static QTextCharFormat plain()
    {
        QTextCharFormat format;
        format.setForeground(Qt::black);
        return format;
    }
    static QTextCharFormat bold() { return coloured(Qt::black); }
    static QTextCharFormat faint()
    {
        QTextCharFormat format;
        format.setForeground(faintColour);
        return format;
    }
    static QTextCharFormat small()
    {
        QTextCharFormat format = faint();
        format.setFontPointSize(7);
        return format;
    }
    static QTextCharFormat section()
    {
        QTextCharFormat format = bold();
        format.setFontPointSize(11);
        return format;
    }
    static QTextCharFormat large()
    {
        QTextCharFormat format = bold();
        format.setFontPointSize(15);
        return format;
    }
    static QTextCharFormat kindFormat(const Message &message)
    {
        if (isSummary(message))
            return coloured(summaryColour);
        return coloured(message.kind == MessageKind::Human ? humanColour
                : message.kind == MessageKind::Ai          ? aiColour
                                                           : toolColour);
    }

    void newBlock(const QTextBlockFormat &block)
    {
        if (std::exchange(m_empty, false))
            m_cursor.setBlockFormat(block);
        else
            m_cursor.insertBlock(block);
    }

    void insert(const QString &text, const QTextCharFormat &format)
    {
        m_cursor.insertText(text.left(longestText), format);
        if (text.size() > longestText)
            m_cursor.insertText(
                u"… [%1 characters left out: a PDF of them would have no reader]"_s.arg(text.size() - longestText),
                faint());
    }

    void paragraph(const QString &text, const QTextCharFormat &format, double above = 2, double below = 0)
    {
        QTextBlockFormat block;
        block.setTopMargin(above);
        block.setBottomMargin(below);
        newBlock(block);
        insert(text, format);
    }

    void code(const QString &text)
    {
        QTextBlockFormat block;
        block.setTopMargin(2);
        block.setLeftMargin(8);
        block.setBackground(codeGround);
        newBlock(block);
        QTextCharFormat format;
        format.setForeground(m_ink);
        format.setFontFamilies({u"DejaVu Sans Mono"_s});
        format.setFontPointSize(codeSize);
        // One block for the whole: margins would part the lines.
        insert(QString(text).replace(u'\n', QChar::LineSeparator), format);
    }

    void fact(const QString &name, const std::string &value)
    {
        if (value.empty())
            return;
        paragraph(name + u"  "_s, small(), 1);
        m_cursor.insertText(toText(value), plain());
    }

    void mark(const QString &title, int level) { m_headings.append({title, m_cursor.position() + 1, level}); }

    void content(const Message &message, bool asCode)
    {
        using Kind = ContentPiece::Kind;
        for (const ContentPiece &piece : contentPieces(message)) {
            switch (piece.kind) {
            case Kind::Text:
                if (asCode)
                    code(toText(piece.text));
                else
                    text(toText(piece.text));
                break;
            case Kind::Reasoning:
                paragraph(toText(piece.text), faint());
                break;
            case Kind::Image:
                picture(piece);
                break;
            case Kind::File:
                paragraph(u"[%1]"_s.arg(toText(piece.mime)), faint());
                break;
            case Kind::Reference:
                paragraph(toText(piece.text), faint());
                break;
            case Kind::Other:
                code(toText(piece.text));
                break;
            }
        }
    }

    void text(const QString &whole)
    {
        QTextCharFormat format;
        format.setForeground(m_ink);
        paragraph(whole, format);
    }

    void picture(const ContentPiece &piece)
    {
        const std::optional<DecodedDataUrl> medium = decodeDataUrl(piece.text);
        picture(medium ? QByteArray::fromStdString(medium->bytes) : QByteArray(), piece.mime);
    }

    void picture(const QByteArray &bytes, const std::string &mime)
    {
        QImage image;
        image.loadFromData(bytes);
        if (image.isNull()) {
            paragraph(u"[%1: cannot be shown]"_s.arg(toText(mime)), faint());
            return;
        }
        paragraph({}, plain());
        const QString name = u"picture-%1"_s.arg(m_pictures++);
        m_document.addResource(QTextDocument::ImageResource, QUrl(name), image);
        QTextImageFormat format;
        format.setName(name);
        format.setWidth(std::min<double>(image.width(), 400));
        m_cursor.insertImage(format);
    }

    const Transcript *m_transcript = nullptr;
    QTextDocument m_document;
    QTextCursor m_cursor;
    QList<Heading> m_headings;
    QBrush m_ink = Qt::black; ///< of a message's text: pale when it is out of context
    bool m_empty = true;
    int m_pictures = 0;
};

/// Draws the laid-out document page by page with a footer: title and page.
Result<void> paintPages(QTextDocument &document, QPdfWriter &writer, const QString &title, const JobContext &job)
{
    QPainter painter(&writer);
    if (!painter.isActive())
        return failure(Error::Code::Io, {}, "the pages cannot be drawn");
    const QSizeF page = document.pageSize();
    const int pages = document.pageCount();
    for (int i = 0; i < pages; ++i) {
        if (job.stopped())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (i > 0 && !writer.newPage())
            return failure(Error::Code::Io, {}, "a page cannot be added");
        painter.save();
        painter.translate(margin, margin - i * page.height());
        const QRectF view(0, i * page.height(), page.width(), page.height());
        painter.setClipRect(view);
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = view;
        context.palette.setColor(QPalette::Text, Qt::black);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        QFont small = document.defaultFont();
        small.setPointSizeF(7);
        painter.setFont(small);
        painter.setPen(faintColour);
        const QRectF foot(margin, margin + page.height(), page.width(), footer);
        painter.drawText(foot.adjusted(0, 0, -60, 0), Qt::AlignLeft | Qt::AlignBottom,
            QFontMetricsF(small).elidedText(title, Qt::ElideRight, foot.width() - 80));
        painter.drawText(foot, Qt::AlignRight | Qt::AlignBottom, u"%1 / %2"_s.arg(i + 1).arg(pages));
        if (i % std::max(1, pages / 50) == 0)
            job.report(static_cast<double>(i) / pages, "Drawing pages");
    }
    return {};
}

} // namespace

Result<void> writePdf(QIODevice &device, const Transcript &transcript, const JobContext &job)
{
    Builder builder;
    Result<void> built = builder.add(transcript, false, job);
    for (const Transcript &part : transcript.parts)
        if (built)
            built = builder.add(part, true, job);
    if (!built)
        return built;

    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QTextDocument &document = builder.document();
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(static_cast<int>(pointsPerInch));
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF());
        const QString title = toText(transcript.title.empty() ? transcript.threadId : transcript.title);
        writer.setTitle(title);
        writer.setCreator(u"Palimpsest"_s);
        const QSizeF paper = QPageSize(QPageSize::A4).size(QPageSize::Point);
        document.documentLayout()->setPaintDevice(&writer);
        document.setDocumentMargin(0);
        document.setPageSize({paper.width() - 2 * margin, paper.height() - 2 * margin - footer});
        if (Result<void> done = paintPages(document, writer, title, job); !done)
            return done;
    }
    QList<PdfBookmark> bookmarks;
    const double height = document.pageSize().height();
    for (const Builder::Heading &heading : builder.headings()) {
        const QTextBlock block = document.findBlock(heading.position);
        const double y = document.documentLayout()->blockBoundingRect(block).top();
        const int page = static_cast<int>(y / height);
        bookmarks.append({heading.title, page, margin + y - page * height, heading.level});
    }
    const Result<QByteArray> done = withOutline(bytes, bookmarks);
    if (!done)
        return tl::unexpected(done.error());
    if (device.write(*done) != done->size())
        return failure(Error::Code::Io, {}, device.errorString().toStdString());
    return {};
}

} // namespace palimpsest
