// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/ribbonlayer.h"

#include "models/messagemodel.h"
#include "views/theme.h"
#include "views/widgets/board.h"
#include "views/widgets/messagelist.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

namespace palimpsest {

namespace {

const QDockWidget *dockOf(const QWidget *widget)
{
    while (widget) {
        if (const auto *dock = qobject_cast<const QDockWidget *>(widget))
            return dock;
        widget = widget->parentWidget();
    }
    return nullptr;
}

} // namespace

RibbonLayer::RibbonLayer(
    Focus *focus, Theme *theme, Board *board, MessageList *raw, MessageList *effective, ArchiveEnd archive)
    : QWidget(board)
    , m_focus(focus)
    , m_theme(theme)
    , m_board(board)
    , m_raw(raw)
    , m_effective(effective)
    , m_archive(std::move(archive))
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    const auto refresh = &RibbonLayer::refresh;
    connect(raw, &MessageList::viewChanged, this, refresh);
    connect(effective, &MessageList::viewChanged, this, refresh);
    connect(focus, &Focus::sceneChanged, this, refresh);
    connect(focus, &Focus::chosenChanged, this, refresh);
    connect(theme, &Theme::changed, this, refresh);
    connect(board, &Board::laidOut, this, refresh);
    if (m_archive.view) {
        connect(m_archive.view->verticalScrollBar(), &QScrollBar::valueChanged, this, refresh);
        connect(m_archive.view->model(), &QAbstractItemModel::modelReset, this, refresh);
    }
    board->setOverlay(this);
}

void RibbonLayer::refresh()
{
    QRegion gaps;
    const auto add = [&gaps](const std::optional<Gap> &gap) {
        if (gap)
            gaps += gap->rect().toAlignedRect();
    };
    add(gapBetween(m_raw, m_effective));
    if (m_archive.view)
        add(gapBetween(m_effective, m_archive.view));
    if (gaps != m_gaps) {
        m_gaps = gaps;
        // An empty region would be no mask at all.
        setMask(gaps.isEmpty() ? QRegion(-1, -1, 1, 1) : gaps);
    }
    update(gaps);
}

std::optional<RibbonLayer::Gap> RibbonLayer::gapBetween(const QWidget *left, const QWidget *right) const
{
    const QDockWidget *a = dockOf(left);
    const QDockWidget *b = dockOf(right);
    if (!a || !b || a->isFloating() || b->isFloating() || !left->isVisible() || !right->isVisible())
        return {};
    const QRect ra(a->mapTo(m_board, QPoint()), a->size());
    const QRect rb(b->mapTo(m_board, QPoint()), b->size());
    const int gap = rb.left() - ra.right();
    if (gap < 8 || gap > Board::gap * 3)
        return {};
    const qreal top = std::min(left->mapTo(m_board, QPoint()).y(), right->mapTo(m_board, QPoint()).y());
    const qreal bottom = std::max(
        left->mapTo(m_board, QPoint(0, left->height())).y(), right->mapTo(m_board, QPoint(0, right->height())).y());
    if (bottom - top < 20)
        return {};
    return Gap{ra.right() + 1.0, rb.left() - 0.0, {top, bottom}};
}

RibbonEnds RibbonLayer::ends(const Span &window) const
{
    const auto spanOf = [this](const MessageList *list, int row) -> std::optional<Span> {
        if (row < 0)
            return {};
        const QRect rect = list->rowRect(row);
        const qreal y = list->viewport()->mapTo(m_board, QPoint()).y();
        return Span{y + rect.top(), y + rect.bottom() + 1};
    };
    return {[this, spanOf](MessageIndex index) { return spanOf(m_raw, m_raw->messages()->rowOf(index)); },
        [this, spanOf](EffectiveIndex row) { return spanOf(m_effective, m_effective->messages()->rowOf(row)); },
        window};
}

std::vector<Ribbon> RibbonLayer::between(const Span &window) const
{
    const ScenePtr scene = m_focus->scene();
    const RowGeometry &rows = m_raw->geometry();
    if (!scene->checkpoint || rows.rows() == 0 || m_raw->messages()->rowCount() != rows.rows())
        return {};
    MessageIndex first = m_raw->messages()->indexAt(rows.rowAt(-m_raw->origin()));
    MessageIndex last = m_raw->messages()->indexAt(rows.rowAt(m_raw->viewport()->height() - m_raw->origin()));
    if (!first.isValid())
        first = MessageIndex(std::int64_t{0});
    if (!last.isValid())
        last = first + m_raw->viewport()->height() / rows.base();
    // A band may also begin below the view and end in it.
    const RowGeometry &effective = m_effective->geometry();
    if (effective.rows() > 0) {
        const MessageIndex shown = m_effective->messages()->indexAt(
            effective.rowAt(m_effective->viewport()->height() - m_effective->origin()));
        last = std::max(last, shown);
    }
    return contextRibbons(
        scene->fates, first, last, findMessage(scene->log, m_focus->selection()->place().message), ends(window));
}

std::vector<Ribbon> RibbonLayer::toArchive(const Span &window) const
{
    const ScenePtr scene = m_focus->scene();
    const RowGeometry &rows = m_effective->geometry();
    if (!scene->checkpoint || !m_archive.view || rows.rows() == 0)
        return {};
    const qreal y = m_archive.view->viewport()->mapTo(m_board, QPoint()).y();
    const QRect seen = m_archive.view->viewport()->rect();
    const auto span = [y, seen](QRect rect) -> std::optional<Span> {
        if (!rect.isValid())
            return {};
        // What is scrolled out of the tree's view leaves through its edge.
        rect.moveTop(std::clamp(rect.top(), seen.top() - rect.height() + 4, seen.bottom() - 4));
        rect = rect.intersected(seen.adjusted(0, 0, 0, 1));
        return Span{y + rect.top() + 2, y + rect.bottom() - 1};
    };
    return archiveRibbons(
        scene->fates, EffectiveIndex(rows.rowAt(-m_effective->origin())),
        EffectiveIndex(rows.rowAt(m_effective->viewport()->height() - m_effective->origin())),
        findMessage(scene->log, m_focus->selection()->place().message), ends(window),
        [&](int event) { return span(m_archive.section(event)); },
        [&](const std::string &path) { return span(m_archive.file(path)); });
}

std::vector<Ribbon> RibbonLayer::ribbons() const
{
    std::vector<Ribbon> all;
    if (const auto gap = gapBetween(m_raw, m_effective))
        all = between(gap->window);
    if (!m_archive.view)
        return all;
    if (const auto gap = gapBetween(m_effective, m_archive.view)) {
        const std::vector<Ribbon> more = toArchive(gap->window);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

void RibbonLayer::paintRibbon(QPainter &painter, const Gap &gap, const Ribbon &ribbon) const
{
    const qreal middle = (gap.left + gap.right) / 2;
    QPainterPath path(QPointF(gap.left, ribbon.left.top));
    path.cubicTo({middle, ribbon.left.top}, {middle, ribbon.right.top}, {gap.right, ribbon.right.top});
    path.lineTo(gap.right, std::max(ribbon.right.bottom, ribbon.right.top + 1.5));
    path.cubicTo({middle, ribbon.right.bottom}, {middle, ribbon.left.bottom}, {gap.left, ribbon.left.bottom});
    path.closeSubpath();
    QColor color = m_theme->color(inkOf(ribbon.kind));
    const bool kept = ribbon.kind == Ribbon::Kind::Kept;
    // Older events are paler: their messages went through more than one summary.
    color.setAlphaF(ribbon.chosen ? 0.55f : kept ? 0.16f : 0.26f);
    painter.setBrush(color);
    if (ribbon.chosen || !kept) {
        color.setAlphaF(ribbon.chosen ? 0.9f : 0.45f);
        painter.setPen(QPen(color, 1));
    } else {
        painter.setPen(Qt::NoPen);
    }
    painter.drawPath(path);
}

void RibbonLayer::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto paintGap = [&](const std::optional<Gap> &gap, const std::vector<Ribbon> &ribbons) {
        painter.save();
        painter.setClipRect(gap->rect());
        for (const bool chosen : {false, true}) { // the chosen one on top
            for (const Ribbon &ribbon : ribbons) {
                if (ribbon.chosen == chosen)
                    paintRibbon(painter, *gap, ribbon);
            }
        }
        painter.restore();
    };
    const auto isDirty = [&](const std::optional<Gap> &gap) {
        return gap && event->region().intersects(gap->rect().toAlignedRect());
    };
    if (const auto gap = gapBetween(m_raw, m_effective); isDirty(gap))
        paintGap(gap, between(gap->window));
    if (!m_archive.view)
        return;
    if (const auto gap = gapBetween(m_effective, m_archive.view); isDirty(gap))
        paintGap(gap, toArchive(gap->window));
}

} // namespace palimpsest
