// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/render/pdf.h"

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

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr double margin = 42; // points, as all lengths here
constexpr double footer = 24;
constexpr qsizetype longestText = 200'000; // characters of one text: a page holds about 4,000
constexpr double pointsPerInch = 72;

QString toText(std::string_view wtf8)
{
    return QString::fromUtf8(wtf8.data(), static_cast<qsizetype>(wtf8.size()));
}

class Builder {
public:
    explicit Builder(const Transcript &transcript)
        : m_transcript(transcript)
        , m_cursor(&m_document)
    {
        QFont font(u"DejaVu Sans"_s);
        font.setPointSizeF(9);
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

    void head()
    {
        const Transcript &t = m_transcript;
        paragraph(toText(t.title.empty() ? t.threadId : t.title), large());
        paragraph(toText(t.subject), bold());
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
    }

    void message(const TranscriptMessage &entry)
    {
        const Message &message = *entry.message;
        const bool turn = message.kind == MessageKind::Human && !isSummary(message);
        QString heading = toText(speaker(message));
        if (turn)
            mark(u"User: "_s + toText(textOf(message)).simplified().left(70), 0);
        if (!entry.inContext)
            heading += u" · out of context"_s;
        paragraph(heading, kindFormat(message), 8);
        content(message, false);
        std::vector<bool> shown(entry.results.size());
        for (const ToolCallView &call : toolCalls(message)) {
            paragraph(u"→ "_s + toText(call.name), bold());
            code(toText(toJson(*call.args)));
            for (std::size_t i = 0; i < entry.results.size(); ++i) {
                const auto &result = std::get<TranscriptMessage>(m_transcript.entries[entry.results[i]]);
                if (shown[i] || result.message->toolCallId != std::string(call.id))
                    continue;
                shown[i] = true;
                paragraph(result.message->status == "error" ? u"Result (error)"_s : u"Result"_s, faint());
                content(*result.message, true);
            }
        }
    }

    void event(const TranscriptEvent &event)
    {
        const QString line = toText(eventLine(event));
        mark(line, 1);
        QTextCharFormat format = bold();
        format.setForeground(QColor(0x7a, 0x3d, 0x8f));
        paragraph(line, format, 10);
        if (event.summary)
            content(*event.summary, false);
    }

    void table(const TranscriptTable &table)
    {
        const QString title = toText(table.title);
        mark(title, 0);
        paragraph(title, bold(), 10);
        if (table.columns.empty())
            return;
        QTextTableFormat format;
        format.setCellPadding(3);
        format.setBorderCollapse(true);
        format.setHeaderRowCount(1);
        QTextTable *grid = m_cursor.insertTable(
            static_cast<int>(table.rows.size()) + 1, static_cast<int>(table.columns.size()), format);
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            grid->cellAt(0, static_cast<int>(column))
                .firstCursorPosition()
                .insertText(toText(table.columns[column]), bold());
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            for (std::size_t column = 0; column < std::min(table.columns.size(), table.rows[row].size()); ++column)
                grid->cellAt(static_cast<int>(row) + 1, static_cast<int>(column))
                    .firstCursorPosition()
                    .insertText(toText(cellText(table.rows[row][column])), plain());
        m_cursor.movePosition(QTextCursor::End);
    }

    void archives()
    {
        for (const TranscriptFile &file : m_transcript.files) {
            if (file.kind != TranscriptFile::Kind::Archive)
                continue;
            const QString title = u"Archive "_s + toText(file.path);
            mark(title, 0);
            paragraph(title, bold(), 10);
            code(toText(file.bytes));
        }
    }

private:
    static QTextCharFormat plain()
    {
        QTextCharFormat format;
        format.setForeground(Qt::black);
        return format;
    }
    static QTextCharFormat bold()
    {
        QTextCharFormat format = plain();
        format.setFontWeight(QFont::Bold);
        return format;
    }
    static QTextCharFormat faint()
    {
        QTextCharFormat format;
        format.setForeground(QColor(0x55, 0x55, 0x55));
        return format;
    }
    static QTextCharFormat large()
    {
        QTextCharFormat format = bold();
        format.setFontPointSize(14);
        return format;
    }
    static QTextCharFormat kindFormat(const Message &message)
    {
        QTextCharFormat format = bold();
        if (isSummary(message))
            format.setForeground(QColor(0x7a, 0x3d, 0x8f));
        else if (message.kind == MessageKind::Human)
            format.setForeground(QColor(0x1f, 0x5f, 0xa8));
        else if (message.kind == MessageKind::Ai)
            format.setForeground(QColor(0x2f, 0x7a, 0x3e));
        else
            format.setForeground(QColor(0x8a, 0x5a, 0x00));
        return format;
    }

    void paragraph(const QString &text, const QTextCharFormat &format, double above = 2)
    {
        QTextBlockFormat block;
        block.setTopMargin(above);
        if (m_empty) {
            m_cursor.setBlockFormat(block);
            m_empty = false;
        } else {
            m_cursor.insertBlock(block);
        }
        m_cursor.insertText(text.left(longestText), format);
        if (text.size() > longestText)
            m_cursor.insertText(
                u"… [%1 characters left out: a PDF of them would have no reader]"_s.arg(text.size() - longestText),
                faint());
    }

    void code(const QString &text)
    {
        QTextCharFormat format = plain();
        format.setFontFamilies({u"DejaVu Sans Mono"_s});
        format.setFontPointSize(8);
        format.setBackground(QColor(0xf3, 0xf1, 0xec));
        paragraph(text, format);
    }

    void fact(const QString &name, const std::string &value)
    {
        if (!value.empty())
            paragraph(name + u": "_s + toText(value), faint());
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
                    paragraph(toText(piece.text), plain());
                break;
            case Kind::Reasoning:
                paragraph(toText(piece.text), faint());
                break;
            case Kind::Image:
                picture(piece);
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

    void picture(const ContentPiece &piece)
    {
        const std::optional<DecodedDataUrl> medium = decodeDataUrl(piece.text);
        QImage image;
        if (medium)
            image.loadFromData(QByteArray::fromStdString(medium->bytes));
        if (image.isNull()) {
            paragraph(u"[%1: cannot be shown]"_s.arg(toText(piece.mime)), faint());
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

    const Transcript &m_transcript;
    QTextDocument m_document;
    QTextCursor m_cursor;
    QList<Heading> m_headings;
    bool m_empty = true;
    int m_pictures = 0;
};

/// Draws the laid-out document page by page with a footer.
Result<void> paintPages(QTextDocument &document, QPdfWriter &writer, const JobContext &job)
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
        painter.setPen(QColor(0x55, 0x55, 0x55));
        painter.drawText(QRectF(margin, margin + page.height(), page.width(), footer), Qt::AlignRight | Qt::AlignBottom,
            u"%1 / %2"_s.arg(i + 1).arg(pages));
        if (i % std::max(1, pages / 50) == 0)
            job.report(static_cast<double>(i) / pages, "Drawing pages");
    }
    return {};
}

} // namespace

Result<void> writePdf(QIODevice &device, const Transcript &transcript, const JobContext &job)
{
    Builder builder(transcript);
    builder.head();
    for (const TranscriptEntry &entry : transcript.entries) {
        if (job.stopped())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (const auto *event = std::get_if<TranscriptEvent>(&entry))
            builder.event(*event);
        else if (const auto &message = std::get<TranscriptMessage>(entry); !message.paired)
            builder.message(message);
    }
    for (const TranscriptTable &table : transcript.tables)
        builder.table(table);
    builder.archives();

    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QTextDocument &document = builder.document();
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(static_cast<int>(pointsPerInch));
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(toText(transcript.title.empty() ? transcript.threadId : transcript.title));
        writer.setCreator(u"Palimpsest"_s);
        const QSizeF paper = QPageSize(QPageSize::A4).size(QPageSize::Point);
        document.documentLayout()->setPaintDevice(&writer);
        document.setDocumentMargin(0);
        document.setPageSize({paper.width() - 2 * margin, paper.height() - 2 * margin - footer});
        if (Result<void> done = paintPages(document, writer, job); !done)
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
