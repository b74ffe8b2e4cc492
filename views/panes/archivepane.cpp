// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/archivepane.h"

#include "core/artifacts/links.h"
#include "core/base/base64.h"
#include "models/display.h"
#include "views/delegates/twolinedelegate.h"
#include "views/theme.h"
#include "views/widgets/elidedlabel.h"

#include <QBuffer>
#include <QImage>
#include <QImageReader>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t longestShown = 128u << 10; ///< bytes of a text shown at once: more would hold up the window
constexpr int largestPicture = 256; ///< MB that a decoded picture may take

/// A text as a document takes it: it makes one line break of two characters.
QString documentText(std::string_view bytes)
{
    return toQString(bytes).replace(u"\r\n"_s, u"\n"_s);
}

/// The bytes of a media block that are in the message itself; empty when they are elsewhere.
QByteArray embeddedBytes(const Value &block)
{
    const std::string &url =
        block["image_url"].isText() ? block["image_url"].asText() : block["image_url"]["url"].asText();
    for (const std::string *data :
        {&block["base64"].asText(), &block["data"].asText(), &block["source"]["data"].asText()}) {
        if (!data->empty())
            return QByteArray::fromBase64(QByteArray::fromStdString(*data));
    }
    const std::string &address = url.empty() ? block["url"].asText() : url;
    const std::size_t comma = address.find(',');
    if (address.starts_with("data:") && comma != std::string::npos)
        return QByteArray::fromBase64(QByteArray::fromStdString(address.substr(comma + 1)));
    return {};
}

/// A picture of whatever format Qt knows; null when it is none, or one of unreasonable size.
QImage decodedBytes(const QByteArray &bytes)
{
    QBuffer buffer;
    buffer.setData(bytes);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer);
    reader.setDecideFormatFromContent(true);
    reader.setAutoTransform(true);
    QImageReader::setAllocationLimit(largestPicture);
    return reader.read();
}

/// The same of bytes that may be base64 text: StateBackend stores an upload that is no UTF-8 so, and says "utf-8"
/// (deepagents/backends/state.py `upload_files`, 0.7.7).
QImage decoded(const QByteArray &bytes)
{
    const QImage image = decodedBytes(bytes);
    if (!image.isNull())
        return image;
    const auto binary = QByteArray::fromBase64Encoding(bytes.trimmed(), QByteArray::AbortOnBase64DecodingErrors);
    return binary ? decodedBytes(*binary) : QImage();
}

} // namespace

ArchivePane::ArchivePane(Focus *focus, Theme *theme, ArchiveModel::Maker maker, QWidget *parent)
    : QWidget(parent)
    , m_focus(focus)
    , m_theme(theme)
    , m_model(new ArchiveModel(focus, std::move(maker), this))
    , m_tree(new QTreeView(this))
    , m_caption(new ElidedLabel(this))
    , m_viewer(new QStackedWidget(this))
    , m_text(new QPlainTextEdit(this))
    , m_picture(new QLabel(this))
    , m_thumbnail(new QLabel(this))
    , m_nothing(new QLabel(this))
{
    setObjectName(u"archivePane"_s);
    m_tree->setObjectName(u"archiveTree"_s);
    m_tree->setAccessibleName(tr("Archives, offloaded results, media and files"));
    m_tree->setModel(m_model);
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(14);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setStyleSheet(u"QTreeView { show-decoration-selected: 0; border: none; }"_s);
    m_tree->setItemDelegate(new TwoLineDelegate(
        theme, TwoLineDelegate::Form::Beside, ArchiveModel::Detail,
        [](const QModelIndex &index) -> std::optional<Ink> {
            switch (static_cast<ArchiveModel::Kind>(index.data(ArchiveModel::NodeKind).toInt())) {
            case ArchiveModel::Kind::Section:
                return Ink::Archive;
            case ArchiveModel::Kind::Offloaded:
                return Ink::Offload;
            case ArchiveModel::Kind::Media:
                return Ink::Media;
            default:
                return {};
            }
        },
        m_tree));
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(tr("Content of the chosen file"));
    m_text->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_picture->setAlignment(Qt::AlignCenter);
    m_picture->setMinimumSize(40, 40);
    m_picture->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    m_nothing->setTextFormat(Qt::PlainText);
    m_nothing->setMargin(16);
    m_caption->setMargin(5);
    m_viewer->addWidget(m_nothing);
    m_viewer->addWidget(m_text);
    m_viewer->addWidget(m_picture);

    auto *below = new QWidget(this);
    auto *lower = new QVBoxLayout(below);
    lower->setContentsMargins(0, 0, 0, 0);
    lower->setSpacing(0);
    lower->addWidget(m_caption);
    m_thumbnail->setFixedHeight(120);
    m_thumbnail->setAlignment(Qt::AlignCenter);
    m_thumbnail->setAccessibleName(tr("Picture of the chosen message"));
    m_thumbnail->hide();
    lower->addWidget(m_thumbnail);
    lower->addWidget(m_viewer, 1);
    auto *splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(m_tree);
    splitter->addWidget(below);
    splitter->setSizes({220, 300});
    splitter->setChildrenCollapsible(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(splitter);
    setFocusProxy(m_tree);

    connect(m_model, &QAbstractItemModel::modelReset, this, &ArchivePane::onReset);
    connect(focus, &Focus::chosenChanged, this, &ArchivePane::onChosen);
    connect(focus, &Focus::sceneChanged, this, &ArchivePane::showChosen);
    connect(theme, &Theme::changed, this, &ArchivePane::restyle);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &current) {
        if (m_quiet || !current.isValid())
            return;
        const std::string path = fromQString(current.data(ArchiveModel::Path).toString());
        if (path.empty())
            return;
        Place place = m_focus->selection()->place();
        place.artifact = path;
        place.section = current.data(ArchiveModel::Section).toInt();
        // A section shows its messages in the raw log: the first of them is chosen, unless one of them is already.
        const MessageLog &log = m_focus->scene()->log;
        const auto [first, end] = m_model->messagesOf(path, place.section);
        const MessageIndex chosen = findMessage(log, place.message);
        if (first.isValid() && first.at() < log.size() && !(chosen >= first && chosen < end)) {
            place.message = messageKey(*log[first.at()], first);
            place.version = -1;
            place.text = {};
        }
        m_focus->selection()->setPlace(place);
    });
    restyle();
    onReset();
}

void ArchivePane::restyle()
{
    // By a style sheet: the application's own would win over a font that is set.
    const QFont code = m_theme->codeFont();
    m_text->setStyleSheet(
        u"QPlainTextEdit { font-family: \"%1\"; font-size: %2pt; }"_s.arg(code.family()).arg(code.pointSizeF()));
    m_caption->setFont(m_theme->smallFont());
    QPalette palette = m_nothing->palette();
    palette.setColor(QPalette::WindowText, m_theme->text(Ink::TextFaint));
    m_nothing->setPalette(palette);
    palette.setColor(QPalette::WindowText, m_theme->text(Ink::TextSecondary));
    m_caption->setPalette(palette);
    showChosen();
}

void ArchivePane::onReset()
{
    // Groups and archives open, so that the sections (where ribbons end) are seen at once.
    for (int group = 0; group < m_model->rowCount(); ++group) {
        const QModelIndex index = m_model->index(group, 0);
        m_tree->setExpanded(index, m_model->rowCount(index) <= 50);
        for (int row = 0; row < m_model->rowCount(index) && group == 0; ++row)
            m_tree->expand(m_model->index(row, 0, index));
    }
    showChosen();
}

void ArchivePane::onChosen(const Place &now, const Place &before)
{
    if (now.message != before.message || now.artifact != before.artifact || now.section != before.section)
        showChosen();
}

void ArchivePane::showChosen()
{
    const Place &place = m_focus->selection()->place();
    const ScenePtr scene = m_focus->scene();
    ArchivePlace where = m_model->placeOf(place.message);
    // A file that was chosen itself goes before the place of the chosen message, unless it is the same file.
    if (!place.artifact.empty()
        && (where.path != place.artifact || (place.section >= 0 && place.section != where.section)))
        where = {place.artifact, place.section, -1};
    if (where.path.empty() && place.message.empty() && scene->inForce > 0) {
        // Nothing is chosen: the section that the event in force wrote.
        const QModelIndex section = m_model->findEvent(scene->inForce);
        if (section.isValid())
            where = {fromQString(section.data(ArchiveModel::Path).toString()),
                section.data(ArchiveModel::Section).toInt(), -1};
    }
    const QModelIndex index = m_model->find(where.path, where.section);
    m_quiet = true;
    if (index.isValid()) {
        m_tree->setCurrentIndex(index);
        m_tree->scrollTo(index);
    } else {
        m_tree->selectionModel()->clear();
    }
    m_quiet = false;
    const MessageIndex at = findMessage(scene->log, place.message);
    const bool section = !where.path.empty() && where.section >= 0;
    showThumbnail(section && at.isValid() ? scene->log[at.at()].get() : nullptr);
    if (!where.path.empty()) {
        showFile(where.path, where.section, where.message);
        return;
    }
    if (at.isValid() && scene->log[at.at()]) {
        showMedia(*scene->log[at.at()]);
        return;
    }
    m_caption->clear();
    m_nothing->setText(scene->checkpoint ? tr("Choose a message that is out of context, or a file.") : QString());
    m_viewer->setCurrentWidget(m_nothing);
}

void ArchivePane::showFile(const std::string &path, int section, int message)
{
    const auto content = m_model->content(path);
    if (!content) {
        m_caption->setText(toQString(path));
        m_nothing->setText(tr("%1 is not at this checkpoint, in no added folder and in no store.\n\nIf the agent wrote "
                              "to a disk, add the folder it wrote to "
                              "(File → Add folder of files).")
                .arg(toQString(path)));
        m_viewer->setCurrentWidget(m_nothing);
        return;
    }
    QString caption =
        toQString(content->artifact.path) + u"  ·  "_s + QLocale().formattedDataSize(content->artifact.size);
    if (!content->rerouted.empty())
        caption += tr("  ·  asked for as %1").arg(toQString(path));
    const QByteArray bytes = QByteArray::fromStdString(content->bytes);
    const bool picture = (isMediaPath(path) || bytes.startsWith("\x89PNG")) && !decoded(bytes).isNull();
    if (!content->text || picture) {
        showPicture(bytes, caption);
        return;
    }
    const Archive *archive = m_model->archive(content->artifact.path);
    const ArchiveSection *part = archive && section >= 0 && section < static_cast<int>(archive->sections.size())
        ? &archive->sections[static_cast<std::size_t>(section)]
        : nullptr;
    const ArchivedMessage *one = part && message >= 0 && message < static_cast<int>(part->messages.size())
        ? &part->messages[static_cast<std::size_t>(message)]
        : nullptr;
    if (content->bytes.size() > longestShown)
        caption += tr("  ·  a part of it; all of it is in the inspector");
    m_caption->setText(caption);
    showText(content->bytes, part, one);
}

void ArchivePane::showText(const std::string &bytes, const ArchiveSection *section, const ArchivedMessage *message)
{
    // Of a long text the part around what is chosen, from the beginning of a line.
    const std::size_t centre = message ? message->begin : section ? section->begin : 0;
    std::size_t begin = 0;
    if (bytes.size() > longestShown && centre > longestShown / 4) {
        const std::size_t line = bytes.rfind('\n', centre - longestShown / 4);
        begin = line == std::string::npos ? 0 : line + 1;
    }
    std::size_t end = std::min(bytes.size(), begin + longestShown);
    if (const std::size_t line = bytes.rfind('\n', end);
        end < bytes.size() && line != std::string::npos && line > begin)
        end = line;
    const auto left = [](std::size_t size) { return QLocale().formattedDataSize(static_cast<qint64>(size)); };
    const QString before = begin > 0 ? tr("… %1 before\n").arg(left(begin)) : QString();
    const std::string_view shown = std::string_view(bytes).substr(begin, end - begin);
    QString text = before + documentText(shown);
    if (end < bytes.size())
        text += tr("\n… %1 more").arg(left(bytes.size() - end));
    if (m_shown != text) {
        m_text->setPlainText(text);
        m_shown = text;
    }
    m_text->setExtraSelections({});
    m_viewer->setCurrentWidget(m_text);
    const auto mark = [&](std::size_t from, std::size_t to, bool chosen) {
        const std::size_t first = std::clamp(from, begin, end) - begin;
        const std::size_t last = std::clamp(to, begin, end) - begin;
        markRange(before.size() + documentText(shown.substr(0, first)).size(),
            documentText(shown.substr(first, last - first)).size(), chosen);
    };
    if (section)
        mark(section->begin, section->end, false);
    if (message)
        mark(message->begin, message->end, true);
}

void ArchivePane::markRange(qsizetype start, qsizetype length, bool chosen)
{
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(m_text->document());
    mark.cursor.setPosition(static_cast<int>(start));
    mark.cursor.setPosition(
        static_cast<int>(std::min<qsizetype>(start + length, m_text->document()->characterCount() - 1)),
        QTextCursor::KeepAnchor);
    mark.format.setBackground(chosen ? m_theme->color(Ink::Match) : m_theme->fill(Ink::Archive));
    QList<QTextEdit::ExtraSelection> all = m_text->extraSelections();
    all.push_back(mark);
    m_text->setExtraSelections(all);
    QTextCursor cursor(m_text->document());
    cursor.setPosition(static_cast<int>(start));
    m_text->setTextCursor(cursor);
    m_text->centerCursor();
}

void ArchivePane::showMedia(const Message &message)
{
    for (const ArtifactLink &link : artifactLinks(message)) {
        if (m_model->content(link.path)) {
            showFile(link.path, -1, -1);
            return;
        }
    }
    for (const Value &block : message.content.asList()) {
        const QByteArray bytes = embeddedBytes(block);
        if (!bytes.isEmpty()) {
            showPicture(bytes, tr("in the message itself  ·  %1").arg(QLocale().formattedDataSize(bytes.size())));
            return;
        }
    }
    m_caption->clear();
    m_nothing->setText(tr("This message is in context and whole: nothing of it is kept elsewhere."));
    m_viewer->setCurrentWidget(m_nothing);
}

QImage ArchivePane::pictureOf(const Message &message) const
{
    for (const Value &block : message.content.asList()) {
        const QByteArray bytes = embeddedBytes(block);
        if (const QImage image = bytes.isEmpty() ? QImage() : decoded(bytes); !image.isNull())
            return image;
    }
    for (const ArtifactLink &link : artifactLinks(message)) {
        const bool media = link.kind == ArtifactLink::Kind::Media || link.kind == ArtifactLink::Kind::Blob;
        const auto content = media ? m_model->content(link.path) : std::nullopt;
        if (const QImage image = content ? decoded(QByteArray::fromStdString(content->bytes)) : QImage();
            !image.isNull())
            return image;
    }
    return {};
}

void ArchivePane::showThumbnail(const Message *message)
{
    const QImage image = message ? pictureOf(*message) : QImage();
    m_thumbnail->setVisible(!image.isNull());
    if (image.isNull())
        return;
    m_original = QPixmap::fromImage(image);
    const bool small = image.height() < m_thumbnail->height() / 2;
    m_thumbnail->setPixmap(m_original.scaled(m_thumbnail->maximumSize().boundedTo({2000, m_thumbnail->height() - 8}),
        Qt::KeepAspectRatio, small ? Qt::FastTransformation : Qt::SmoothTransformation));
}

void ArchivePane::showPicture(const QByteArray &bytes, const QString &what)
{
    const QImage image = decoded(bytes);
    m_caption->setText(what);
    if (image.isNull()) {
        m_nothing->setText(
            tr("%1 of data that are no picture this program can show.").arg(QLocale().formattedDataSize(bytes.size())));
        m_viewer->setCurrentWidget(m_nothing);
        return;
    }
    m_caption->setText(tr("%1  ·  %2 × %3").arg(what).arg(image.width()).arg(image.height()));
    m_original = QPixmap::fromImage(image);
    m_viewer->setCurrentWidget(m_picture);
    scalePicture();
}

void ArchivePane::scalePicture()
{
    if (m_original.isNull())
        return;
    const QSize room = m_picture->size() - QSize(16, 16);
    QSize wanted = m_original.size();
    if (wanted.width() > room.width() || wanted.height() > room.height())
        wanted.scale(room.expandedTo(QSize(16, 16)), Qt::KeepAspectRatio);
    else // Small pictures are enlarged in whole steps, so that their pixels stay sharp.
        wanted *= std::max(
            1, std::min({4, room.width() / std::max(1, wanted.width()), room.height() / std::max(1, wanted.height())}));
    m_picture->setPixmap(m_original.scaled(wanted, Qt::KeepAspectRatio,
        wanted.width() > m_original.width() ? Qt::FastTransformation : Qt::SmoothTransformation));
}

QPixmap ArchivePane::picture() const
{
    return m_viewer->currentWidget() == m_picture || m_thumbnail->isVisible() ? m_original : QPixmap();
}

void ArchivePane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    scalePicture();
    if (!m_text->extraSelections().isEmpty())
        m_text->centerCursor();
}

QRect ArchivePane::visibleRect(QModelIndex index) const
{
    while (index.isValid()) {
        bool shown = true;
        for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
            shown = shown && m_tree->isExpanded(up);
        if (shown)
            return m_tree->visualRect(index);
        index = index.parent();
    }
    return {};
}

QRect ArchivePane::sectionRect(int event) const
{
    return visibleRect(m_model->findEvent(event));
}

QRect ArchivePane::fileRect(const std::string &path) const
{
    return visibleRect(m_model->find(path));
}

} // namespace palimpsest
