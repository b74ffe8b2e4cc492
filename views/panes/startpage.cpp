// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/startpage.h"

#include "views/contrast.h"
#include "views/theme.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// A button that holds a title and a line of words below it.
class Card : public QPushButton {
public:
    Card(const Theme &theme, QString title, QString words, Qt::TextElideMode elide)
        : m_theme(theme)
        , m_title(std::move(title))
        , m_words(std::move(words))
        , m_elide(elide)
    {
        setCursor(Qt::PointingHandCursor);
        setAccessibleName(m_title);
        setAccessibleDescription(m_words);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        setMinimumHeight(QFontMetrics(theme.uiFont()).height() * 2 + 26);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool lit = underMouse() || hasFocus();
        const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(QPen(m_theme.color(lit ? Ink::Accent : Ink::Line), hasFocus() ? 2 : 1));
        painter.setBrush(m_theme.color(isDown() ? Ink::Selection : lit ? Ink::Hover : Ink::Card));
        painter.drawRoundedRect(box, 7, 7);
        const QRect inner = rect().adjusted(14, 9, -14, -9);
        painter.setFont(m_theme.titleFont());
        painter.setPen(m_theme.color(Ink::Text));
        const QFontMetrics titles(m_theme.titleFont());
        painter.drawText(
            inner, Qt::AlignLeft | Qt::AlignTop, titles.elidedText(m_title, Qt::ElideRight, inner.width()));
        painter.setFont(m_theme.smallFont());
        painter.setPen(m_theme.color(Ink::TextSecondary));
        const QFontMetrics small(m_theme.smallFont());
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignBottom, small.elidedText(m_words, m_elide, inner.width()));
    }

    void enterEvent(QEnterEvent *event) override
    {
        QPushButton::enterEvent(event);
        update();
    }

    void leaveEvent(QEvent *event) override
    {
        QPushButton::leaveEvent(event);
        update();
    }

private:
    const Theme &m_theme;
    QString m_title;
    QString m_words;
    Qt::TextElideMode m_elide;
};

void clear(QVBoxLayout &column)
{
    while (QLayoutItem *item = column.takeAt(0)) {
        if (QWidget *widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

QString localFile(const QMimeData &data)
{
    return data.urls().size() == 1 && data.urls().front().isLocalFile() ? data.urls().front().toLocalFile() : QString();
}

} // namespace

StartPage::StartPage(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_headline(new QLabel(tr("Palimpsest")))
    , m_words(new QLabel(
          tr("See why an agent lost its context: the raw log, what the model really saw at each call, and where the "
             "rest went.\nOpens LangGraph and Deep Agents checkpoints. Nothing that is opened is ever changed.")))
    , m_drop(new QLabel(tr("or drop a checkpoint file anywhere here")))
    , m_samplesColumn(new QVBoxLayout)
    , m_recentColumn(new QVBoxLayout)
{
    setObjectName(u"startPage"_s);
    setAcceptDrops(true);
    auto *inside = new QWidget;
    inside->setMaximumWidth(1040);
    auto *column = new QVBoxLayout(inside);
    column->setContentsMargins(40, 36, 40, 36);
    column->setSpacing(6);
    column->addWidget(m_headline);
    m_words->setWordWrap(true);
    column->addWidget(m_words);
    column->addSpacing(16);
    auto *buttons = new QHBoxLayout;
    auto *openFile = new QPushButton(tr("Open file…"));
    openFile->setDefault(true);
    openFile->setObjectName(u"startOpen"_s);
    auto *openFolder = new QPushButton(tr("Open folder…"));
    auto *openAddress = new QPushButton(tr("Open address…"));
    for (QPushButton *button : {openFile, openFolder, openAddress})
        buttons->addWidget(button);
    buttons->addSpacing(8);
    buttons->addWidget(m_drop);
    buttons->addStretch(1);
    column->addLayout(buttons);
    column->addSpacing(22);
    auto *columns = new QGridLayout;
    columns->setHorizontalSpacing(28);
    columns->setVerticalSpacing(8);
    int place = 0;
    for (const auto &[title, list] :
        {std::pair(tr("Look at a sample"), m_samplesColumn), std::pair(tr("Open again"), m_recentColumn)}) {
        auto *label = new QLabel(title);
        m_titles.append(label);
        columns->addWidget(label, 0, place);
        list->setSpacing(8);
        columns->addLayout(list, 1, place);
        columns->setColumnStretch(place, 1);
        ++place;
    }
    column->addLayout(columns);
    column->addStretch(1);
    auto *area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    auto *middle = new QWidget;
    auto *row = new QHBoxLayout(middle);
    row->setContentsMargins(0, 0, 0, 0);
    row->addStretch(1);
    row->addWidget(inside, 100);
    row->addStretch(1);
    area->setWidget(middle);
    area->viewport()->setAutoFillBackground(false);
    middle->setAutoFillBackground(false);
    auto *whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(area);
    connect(openFile, &QPushButton::clicked, this, &StartPage::fileDialogRequested);
    connect(openFolder, &QPushButton::clicked, this, &StartPage::folderDialogRequested);
    connect(openAddress, &QPushButton::clicked, this, &StartPage::addressRequested);
    connect(&m_theme, &Theme::changed, this, &StartPage::restyle);
    restyle();
}

void StartPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    styleFonts(); // a style sheet takes fonts back when a page moves into its window
}

void StartPage::styleFonts()
{
    m_headline->setFont(m_theme.headlineFont());
    for (QLabel *title : std::as_const(m_titles))
        title->setFont(m_theme.titleFont());
}

void StartPage::restyle()
{
    styleFonts();
    const QString quiet = u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name());
    m_words->setStyleSheet(quiet);
    m_drop->setStyleSheet(quiet);
    fill();
    update();
}

void StartPage::setSamples(const QList<SampleThread> &samples)
{
    m_samples = samples;
    fill();
}

void StartPage::setRecent(const QStringList &locations)
{
    m_recent = locations;
    fill();
}

void StartPage::fill()
{
    clear(*m_samplesColumn);
    clear(*m_recentColumn);
    for (const SampleThread &sample : std::as_const(m_samples)) {
        auto *card = new Card(m_theme, sample.title, sample.words, Qt::ElideRight);
        card->setObjectName(u"sample"_s);
        connect(card, &QPushButton::clicked, this, [this, where = sample.location] { Q_EMIT openRequested(where); });
        m_samplesColumn->addWidget(card);
    }
    if (m_samples.isEmpty())
        m_samplesColumn->addWidget(new QLabel(tr("No sample threads are installed.")));
    for (const QString &location : std::as_const(m_recent)) {
        const QFileInfo file(location);
        auto *card =
            new Card(m_theme, file.fileName().isEmpty() ? location : file.fileName(), file.path(), Qt::ElideMiddle);
        card->setObjectName(u"recent"_s);
        connect(card, &QPushButton::clicked, this, [this, location] { Q_EMIT openRequested(location); });
        m_recentColumn->addWidget(card);
    }
    if (m_recent.isEmpty()) {
        auto *hint = new QLabel(
            tr("What you open is listed here.\n\nLangGraph’s SqliteSaver writes one SQLite "
               "file; open that file. Add the artifacts folder beside it as “<name>.files” when the agent used a "
               "disk backend."));
        hint->setWordWrap(true);
        hint->setStyleSheet(u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name()));
        m_recentColumn->addWidget(hint);
    }
    m_samplesColumn->addStretch(1);
    m_recentColumn->addStretch(1);
}

void StartPage::dragEnterEvent(QDragEnterEvent *event)
{
    if (localFile(*event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    m_dropping = true;
    update();
}

void StartPage::dragLeaveEvent(QDragLeaveEvent *)
{
    m_dropping = false;
    update();
}

void StartPage::dropEvent(QDropEvent *event)
{
    m_dropping = false;
    update();
    const QString file = localFile(*event->mimeData());
    if (file.isEmpty())
        return;
    event->acceptProposedAction();
    Q_EMIT openRequested(file);
}

void StartPage::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Ink::Window));
    if (!m_dropping)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(m_theme.color(Ink::Accent), 3, Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(m_theme.color(Ink::Hover));
    painter.drawRoundedRect(QRectF(rect()).adjusted(10, 10, -10, -10), 12, 12);
}

} // namespace palimpsest
