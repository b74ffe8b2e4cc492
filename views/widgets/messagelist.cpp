// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/messagelist.h"

#include "models/display.h"
#include "models/messagemodel.h"
#include "views/delegates/messagedelegate.h"
#include "views/theme.h"
#include "views/widgets/foldstate.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <utility>

namespace palimpsest {

MessageList::MessageList(MessageModel *model, Theme *theme, FoldState *folds, QWidget *parent)
    : QAbstractItemView(parent)
    , m_messages(model)
    , m_theme(theme)
    , m_folds(folds)
    , m_delegate(new MessageDelegate(theme, this))
{
    setItemDelegate(m_delegate);
    setSelectionMode(ExtendedSelection);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(NoEditTriggers);
    setFrameShape(NoFrame);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setModel(model);
    connect(verticalScrollBar(), &QScrollBar::sliderMoved, this, [this] { m_following = false; });
    connect(model, &QAbstractItemModel::dataChanged, this, [this] {
        m_delegate->forget(); // another version of a body
        layExtras();
        viewport()->update();
        Q_EMIT viewChanged();
    });
    connect(folds, &FoldState::changed, this, [this] {
        layExtras();
        updateGeometries();
        viewport()->update();
        Q_EMIT viewChanged();
    });
    connect(theme, &Theme::changed, this, [this] {
        layRows();
        viewport()->update();
    });
    layRows();
}

int MessageList::origin() const
{
    return m_led ? *m_led : m_padding - verticalScrollBar()->value();
}

void MessageList::setOrigin(std::optional<int> origin)
{
    if (origin == m_led)
        return;
    const std::optional<int> before = std::exchange(m_led, origin);
    if (before.has_value() != isLed()) {
        setVerticalScrollBarPolicy(isLed() ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
        updateGeometries();
    }
    // The words above the first row stay in the middle of their room: with them all is painted anew.
    if (before && m_led && *before <= 0 && *m_led <= 0)
        moveRows(*m_led - *before);
    else
        viewport()->update();
    Q_EMIT viewChanged();
}

void MessageList::moveRows(int by)
{
    viewport()->scroll(0, by, viewport()->rect());
}

void MessageList::setPadding(int padding)
{
    if (padding == m_padding)
        return;
    const int value = verticalScrollBar()->value();
    const bool moved = value > 0;
    const int by = padding - m_padding;
    m_padding = padding;
    updateGeometries();
    if (moved) // what is in view stays where it is
        verticalScrollBar()->setValue(value + by);
    viewport()->update();
    Q_EMIT viewChanged();
}

QRect MessageList::rowRect(int row) const
{
    return {0, origin() + m_rows.top(row), viewport()->width(), m_rows.height(row)};
}

void MessageList::showRow(int row)
{
    const QModelIndex index = m_messages->index(row, 0);
    m_following = index.isValid();
    m_quiet = true;
    if (index != currentIndex()) // the row that was chosen may be one of several that are selected
        setCurrentIndex(index);
    m_quiet = false;
    if (!index.isValid())
        selectionModel()->clear();
    viewport()->update();
}

void MessageList::showContext(int cut)
{
    showRow(-1);
    m_cut = cut;
    m_following = true;
    applyContext();
}

void MessageList::applyContext()
{
    if (isLed())
        return;
    QScrollBar *bar = verticalScrollBar();
    bar->setValue(m_cut > 0 ? std::min(bar->maximum(), m_padding + m_rows.top(m_cut) - viewport()->height() * 3 / 10)
                            : bar->maximum());
}

void MessageList::setLeadText(const QString &text)
{
    m_leadText = text;
    viewport()->update();
}

void MessageList::paintLead(QPainter *painter, int height) const
{
    if (height < 3 * m_rows.base() || m_leadText.isEmpty())
        return;
    painter->setFont(m_theme->uiFont());
    painter->setPen(m_theme->text(Ink::TextSecondary));
    const QRect room(24, 0, viewport()->width() - 48, std::min(height, viewport()->height()));
    painter->drawText(room, Qt::AlignCenter | Qt::TextWordWrap, m_leadText);
}

void MessageList::setHits(const QSet<QString> &keys, const QString &current)
{
    m_hits = keys;
    m_currentHit = current;
    viewport()->update();
}

void MessageList::layRows()
{
    m_rows.reset(m_messages->rowCount(), m_delegate->baseHeight());
    layExtras();
    updateGeometries();
    Q_EMIT viewChanged();
}

void MessageList::layExtras()
{
    m_rows.clearExtras();
    for (const QString &key : m_folds->open()) {
        const int row = m_messages->rowOf(fromQString(key));
        if (row >= 0)
            m_rows.setExtra(row, m_delegate->extraHeight(m_messages->index(row, 0), viewport()->width()));
    }
}

void MessageList::foldRow(int row)
{
    if (row >= 0)
        m_folds->toggle(m_messages->describe(row).key);
}

void MessageList::reset()
{
    QAbstractItemView::reset();
    m_hover = -1;
    m_delegate->forget();
    layRows();
}

void MessageList::updateGeometries()
{
    QAbstractItemView::updateGeometries();
    verticalScrollBar()->setSingleStep(m_rows.base());
    verticalScrollBar()->setPageStep(viewport()->height());
    // Rows that fit are not scrolled for the margin below them: the first would go half under the head beside.
    const int beyond = m_padding + m_rows.total() - viewport()->height();
    verticalScrollBar()->setRange(0, beyond > 0 ? beyond + m_rows.base() / 3 : 0);
}

QRect MessageList::visualRect(const QModelIndex &index) const
{
    return index.isValid() ? rowRect(index.row()) : QRect();
}

void MessageList::scrollTo(const QModelIndex &index, ScrollHint hint)
{
    if (!index.isValid())
        return;
    const QRect rect = rowRect(index.row());
    const int height = viewport()->height();
    int by = 0;
    if (hint == PositionAtCenter)
        by = rect.center().y() - height / 2;
    else if (hint == PositionAtTop || rect.top() < 0)
        by = rect.top();
    else if (hint == PositionAtBottom || rect.bottom() >= height)
        by = std::min(rect.top(), rect.bottom() - height + 1);
    if (by == 0)
        return;
    // A jump far away lands in the middle, where there is context on both sides.
    if (hint == EnsureVisible && std::abs(by) > height)
        by = rect.center().y() - height / 2;
    if (isLed())
        Q_EMIT scrollWanted(by);
    else
        verticalScrollBar()->setValue(verticalScrollBar()->value() + by);
}

QModelIndex MessageList::indexAt(const QPoint &point) const
{
    const int y = point.y() - origin();
    if (y < 0 || y >= m_rows.total())
        return {};
    return m_messages->index(m_rows.rowAt(y), 0);
}

QModelIndex MessageList::moveCursor(CursorAction action, Qt::KeyboardModifiers)
{
    const int rows = m_messages->rowCount();
    if (rows == 0 || m_focusing)
        return {};
    const int page = std::max(1, viewport()->height() / m_rows.base() - 1);
    int row = currentIndex().isValid() ? currentIndex().row() : -1;
    switch (action) {
    case MoveUp:
    case MovePrevious:
        row = row < 0 ? rows - 1 : row - 1;
        break;
    case MoveDown:
    case MoveNext:
        row += 1;
        break;
    case MovePageUp:
        row -= page;
        break;
    case MovePageDown:
        row += page;
        break;
    case MoveHome:
        row = 0;
        break;
    case MoveEnd:
        row = rows - 1;
        break;
    case MoveLeft:
    case MoveRight:
        break;
    }
    return m_messages->index(std::clamp(row, 0, rows - 1), 0);
}

void MessageList::setSelection(const QRect &rect, QItemSelectionModel::SelectionFlags command)
{
    // With Shift the rectangle reaches from the row where the selection began, which may be out of view.
    const QRect area = rect.normalized();
    const int rows = m_messages->rowCount();
    if (rows == 0 || m_rows.total() == 0)
        return;
    const auto rowAt = [&](int y) { return m_rows.rowAt(std::clamp(y - origin(), 0, m_rows.total() - 1)); };
    if (area.bottom() < origin() || area.top() >= origin() + m_rows.total())
        return;
    selectionModel()->select(
        QItemSelection(m_messages->index(rowAt(area.top()), 0), m_messages->index(rowAt(area.bottom()), 0)), command);
}

QList<int> MessageList::selectedRows() const
{
    QList<int> rows;
    const QModelIndexList selected = selectionModel()->selectedIndexes();
    for (const QModelIndex &index : selected)
        rows << index.row();
    std::ranges::sort(rows);
    return rows;
}

QRegion MessageList::visualRegionForSelection(const QItemSelection &selection) const
{
    QRegion region;
    const QModelIndexList indexes = selection.indexes();
    for (const QModelIndex &index : indexes)
        region += visualRect(index);
    return region;
}

void MessageList::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QAbstractItemView::currentChanged(current, previous);
    if (current.isValid()) {
        if (m_quiet && !isLed())
            scrollTo(current); // a led list is brought there by its leader
        else if (!m_quiet)
            Q_EMIT chosen(current.row());
    }
    viewport()->update();
}

void MessageList::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(event->rect(), m_theme->color(Ink::Card));
    const int rows = m_rows.rows();
    const int start = origin();
    if (rows == 0 || rows != m_messages->rowCount())
        return;
    if (isLed())
        paintLead(&painter, start);
    const QRect dirty = event->rect();
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    const int selected = currentIndex().isValid() ? currentIndex().row() : -1;
    const QItemSelection several = selectionModel()->selection();
    const QString partner = selected >= 0 ? m_messages->describe(selected).partner : QString();
    const QString chosenKey = selected >= 0 ? m_messages->describe(selected).key : QString();
    for (int row = std::max(0, m_rows.rowAt(dirty.top() - start)); row < rows; ++row) {
        const QRect rect(0, start + m_rows.top(row), viewport()->width(), m_rows.height(row));
        if (rect.top() > dirty.bottom())
            break;
        if (rect.bottom() < dirty.top())
            continue;
        const QModelIndex index = m_messages->index(row, 0);
        const MessageRow described = m_messages->describe(row);
        MessageDelegate::Look look;
        look.selected = row == selected || several.contains(index);
        look.focused = hasFocus();
        look.hovered = row == m_hover;
        look.open = m_rows.extra(row) > 0;
        look.partner =
            !chosenKey.isEmpty() && !look.selected && (described.key == partner || described.partner == chosenKey);
        look.hit = !m_hits.isEmpty() && m_hits.contains(described.key);
        look.currentHit = described.key == m_currentHit;
        m_delegate->paintCard(&painter, rect, index, described, look);
    }
}

void MessageList::resizeEvent(QResizeEvent *event)
{
    QAbstractItemView::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        layExtras();
    updateGeometries();
    if (m_following && !isLed() && currentIndex().isValid())
        scrollTo(currentIndex());
    else if (m_following)
        applyContext();
    Q_EMIT viewChanged();
}

void MessageList::scrollContentsBy(int, int dy)
{
    if (!isLed())
        moveRows(dy);
    Q_EMIT viewChanged();
}

void MessageList::wheelEvent(QWheelEvent *event)
{
    m_following = false;
    if (!isLed()) {
        QAbstractItemView::wheelEvent(event);
        return;
    }
    const QPoint pixels = event->pixelDelta();
    const int by = !pixels.isNull() ? -pixels.y() : -event->angleDelta().y() * 3 * m_rows.base() / 120;
    Q_EMIT scrollWanted(by);
    event->accept();
}

void MessageList::mousePressEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    if (index.isValid() && event->button() == Qt::LeftButton
        && m_delegate->foldMark(rowRect(index.row())).contains(event->position().toPoint())) {
        foldRow(index.row());
        return;
    }
    const QModelIndex before = currentIndex();
    QAbstractItemView::mousePressEvent(event);
    if (index.isValid() && before == index && event->button() == Qt::LeftButton)
        Q_EMIT chosen(index.row()); // chosen again: the other panes show it again
}

void MessageList::mouseMoveEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    const int row = index.isValid() ? index.row() : -1;
    if (row != m_hover) {
        m_hover = row;
        viewport()->update();
    }
    QAbstractItemView::mouseMoveEvent(event);
}

void MessageList::leaveEvent(QEvent *event)
{
    m_hover = -1;
    viewport()->update();
    QAbstractItemView::leaveEvent(event);
}

void MessageList::mouseDoubleClickEvent(QMouseEvent *event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    if (index.isValid())
        foldRow(index.row());
}

void MessageList::focusInEvent(QFocusEvent *event)
{
    // Qt makes the first row current when the focus comes to a list that has none: nobody chose it, and the other panes
    // would follow.
    m_focusing = true;
    QAbstractItemView::focusInEvent(event);
    m_focusing = false;
    viewport()->update();
}

void MessageList::keyPressEvent(QKeyEvent *event)
{
    const int row = currentIndex().isValid() ? currentIndex().row() : -1;
    if (row >= 0 && event->key() == Qt::Key_Space) {
        foldRow(row);
    } else if (row >= 0 && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        Q_EMIT opened(row);
    } else if (!event->text().isEmpty() && event->text().at(0).isPrint()) {
        event->ignore(); // letters are commands of the window, not a search by typing
    } else {
        QAbstractItemView::keyPressEvent(event);
    }
}

bool MessageList::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const QModelIndex index = indexAt(help->pos());
        if (index.isValid())
            QToolTip::showText(help->globalPos(), m_delegate->explain(m_messages->describe(index.row())), viewport(),
                rowRect(index.row()));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractItemView::viewportEvent(event);
}

} // namespace palimpsest
