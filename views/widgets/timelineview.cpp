// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/timelineview.h"

#include "views/theme.h"

#include <QAccessible>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace palimpsest {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr double wheelFactor = 1.25;
constexpr double nowhere = -1;

QString number(std::int64_t value)
{
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

QString escaped(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).toHtmlEscaped();
}

} // namespace

TimelineView::TimelineView(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(u"timelineView"_s);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline"));
    setWhatsThis(tr("The context at each model call, stacked by kind. Drag or use the arrow keys to scrub."));
    m_gesture.setSingleShot(true);
    m_gesture.setInterval(400ms);
    connect(&m_player, &QTimer::timeout, this, &TimelineView::advance);
    connect(&m_theme, &Theme::changed, this, [this] {
        layOut();
        redraw();
    });
    grabGesture(Qt::PinchGesture);
}

QSize TimelineView::sizeHint() const
{
    return {800, 176};
}

QSize TimelineView::minimumSizeHint() const
{
    return {240, 110};
}

TimelinePainter TimelineView::timelinePainter() const
{
    return {m_theme, m_scene, m_mapping, m_geometry};
}

void TimelineView::setData(TimelineDataPtr timeline)
{
    const bool wasEmpty = m_mapping.count() == 0;
    m_scene.data = std::move(timeline);
    m_mapping.setCount(m_scene.data ? static_cast<std::int64_t>(m_scene.data->points.size()) : 0);
    if (wasEmpty || m_mapping.count() == 0)
        m_zooms.reset(m_mapping.range());
    if (m_mapping.count() == 0) {
        setPlaying(false);
        m_playhead = nowhere;
    }
    m_hover.reset();
    layOut();
    redraw();
}

void TimelineView::setUnit(ContextUnit unit)
{
    if (m_scene.unit == unit)
        return;
    m_scene.unit = unit;
    redraw();
}

void TimelineView::setLimits(std::vector<TimelineLimit> limits)
{
    if (m_scene.limits == limits)
        return;
    m_scene.limits = std::move(limits);
    redraw();
}

void TimelineView::setWhatIfs(std::vector<TimelineSeries> whatIfs)
{
    if (m_scene.whatIfs == whatIfs)
        return;
    m_scene.whatIfs = std::move(whatIfs);
    redraw();
}

void TimelineView::setTrace(std::vector<TimelineSpan> trace)
{
    if (m_scene.trace == trace)
        return;
    m_scene.trace = std::move(trace);
    layOut();
    redraw();
}

void TimelineView::setPlayhead(double position)
{
    if (m_playhead == position)
        return;
    m_playhead = position;
    if (position > nowhere && m_mapping.ensureVisible(position)) {
        m_layer = QPixmap();
        Q_EMIT zoomChanged();
    }
    announce();
    update();
}

void TimelineView::announce()
{
    const auto point = static_cast<std::int64_t>(std::llround(m_playhead));
    if (m_playhead <= nowhere || point < 0 || point >= m_mapping.count())
        return;
    const TimelinePoint &at = m_scene.data->points[static_cast<std::size_t>(point)];
    setAccessibleDescription(tr("Call %1 of %2, %3 tokens in %4 messages")
            .arg(point + 1)
            .arg(m_mapping.count())
            .arg(at.total(ContextUnit::Tokens))
            .arg(at.total(ContextUnit::Messages)));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

void TimelineView::layOut()
{
    m_geometry = TimelineGeometry::of(size(), m_scene, m_theme);
    m_mapping.setPlot(m_geometry.plot.left(), m_geometry.plot.width());
}

void TimelineView::redraw()
{
    m_layer = QPixmap();
    update();
}

void TimelineView::paintEvent(QPaintEvent *)
{
    const TimelinePainter timeline = timelinePainter();
    if (m_layer.isNull()) {
        const qreal ratio = devicePixelRatioF();
        m_layer = QPixmap(size() * ratio);
        m_layer.setDevicePixelRatio(ratio);
        QPainter painter(&m_layer);
        painter.fillRect(rect(), m_theme.color(Ink::Card));
        timeline.paint(painter);
        if (m_mapping.count() == 0) {
            painter.setPen(m_theme.color(Ink::TextSecondary));
            painter.setFont(m_theme.uiFont());
            painter.drawText(rect(), Qt::AlignCenter,
                m_scene.data ? tr("No checkpoints here yet") : tr("The timeline appears here when a thread is open"));
        }
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_layer);
    if (m_mapping.count() == 0)
        return;
    if (m_hover && m_drag == Drag::None)
        timeline.paintHover(painter, *m_hover);
    if (m_drag == Drag::Box) {
        QRectF box(QPointF(m_dragStart.x(), m_geometry.plot.top()), QPointF(m_dragNow.x(), m_geometry.plot.bottom()));
        box = box.normalized() & m_geometry.plot;
        QColor ground = m_theme.color(Ink::Accent);
        ground.setAlphaF(0.18F);
        painter.fillRect(box, ground);
        painter.setPen(m_theme.color(Ink::Accent));
        painter.drawRect(box);
    }
    if (m_playhead > nowhere)
        timeline.paintPlayhead(painter, m_playhead, hasFocus());
    if (hasFocus()) {
        painter.setPen(m_theme.color(Ink::Accent));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineView::resizeEvent(QResizeEvent *)
{
    layOut();
    redraw();
}

void TimelineView::goTo(std::int64_t point)
{
    if (m_mapping.count() == 0)
        return;
    const std::int64_t there = std::clamp<std::int64_t>(point, 0, m_mapping.count() - 1);
    if (static_cast<double>(there) == m_playhead)
        return;
    setPlayhead(static_cast<double>(there));
    Q_EMIT pointChosen(there);
}

void TimelineView::step(int points)
{
    // From between two calls the next step reaches the neighbour.
    const double from = m_playhead <= nowhere ? -0.5 : m_playhead;
    goTo(static_cast<std::int64_t>(points > 0 ? std::floor(from) + points : std::ceil(from) + points));
}

void TimelineView::scrubTo(double x)
{
    goTo(m_mapping.callAt(x));
}

void TimelineView::setPlaying(bool playing)
{
    if (playing == m_player.isActive() || (playing && m_mapping.count() == 0))
        return;
    if (playing) {
        if (m_playhead >= static_cast<double>(m_mapping.count() - 1))
            goTo(0);
        // The whole thread in about twenty seconds, but never too fast to follow or too slow to wait for.
        m_player.start(std::chrono::milliseconds(std::clamp<std::int64_t>(20'000 / m_mapping.count(), 33, 500)));
    } else {
        m_player.stop();
    }
    Q_EMIT playingChanged(playing);
}

void TimelineView::advance()
{
    if (m_playhead >= static_cast<double>(m_mapping.count() - 1)) {
        setPlaying(false);
        return;
    }
    // Ten thousand calls at thirty a second take minutes: then several at once.
    step(static_cast<int>(std::max<std::int64_t>(1, m_mapping.count() / 600)));
}

void TimelineView::rememberZoom(bool sameGesture)
{
    if (sameGesture && m_gesture.isActive())
        m_zooms.replace(m_mapping.range());
    else
        m_zooms.push(m_mapping.range());
    if (sameGesture)
        m_gesture.start();
    redraw();
    Q_EMIT zoomChanged();
}

void TimelineView::zoomAround(double x, double factor)
{
    m_mapping.zoomAround(x, factor);
    rememberZoom(true);
}

void TimelineView::zoomIn()
{
    m_mapping.zoomAround(m_playhead > nowhere ? m_mapping.xOf(m_playhead) : m_geometry.plot.center().x(), 2);
    rememberZoom(false);
}

void TimelineView::zoomOut()
{
    m_mapping.zoomAround(m_playhead > nowhere ? m_mapping.xOf(m_playhead) : m_geometry.plot.center().x(), 0.5);
    rememberZoom(false);
}

void TimelineView::showAll()
{
    m_mapping.showAll();
    rememberZoom(false);
}

void TimelineView::undoZoom()
{
    m_mapping.setRange(m_zooms.undo());
    redraw();
    Q_EMIT zoomChanged();
}

void TimelineView::redoZoom()
{
    m_mapping.setRange(m_zooms.redo());
    redraw();
    Q_EMIT zoomChanged();
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    m_dragStart = m_dragNow = event->position();
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_drag = Drag::Box;
    } else if (event->button() == Qt::LeftButton) {
        setPlaying(false);
        if (const TimelineMark *mark = timelinePainter().markAt(event->position())) {
            Q_EMIT markChosen(TimelineMark(*mark));
            return;
        }
        m_drag = Drag::Scrub;
        scrubTo(event->position().x());
    } else {
        QWidget::mousePressEvent(event);
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF before = m_dragNow;
    m_dragNow = event->position();
    switch (m_drag) {
    case Drag::Scrub:
        scrubTo(event->position().x());
        break;
    case Drag::Box:
        update();
        break;
    case Drag::Pan:
        m_mapping.panBy(before.x() - m_dragNow.x());
        redraw();
        break;
    case Drag::None: {
        const std::int64_t call = m_mapping.callAt(event->position().x());
        const bool inPlot = call >= 0 && event->position().x() >= m_geometry.plot.left();
        const auto hover = inPlot ? std::optional<double>(static_cast<double>(call)) : std::nullopt;
        if (hover != m_hover) {
            m_hover = hover;
            update();
        }
        setCursor(timelinePainter().markAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
        break;
    }
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Pan) {
        unsetCursor();
        rememberZoom(false);
    } else if (drag == Drag::Box && std::abs(event->position().x() - m_dragStart.x()) > 4) {
        m_mapping.zoomTo(m_dragStart.x(), event->position().x());
        rememberZoom(false);
    }
    update();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_mapping.isZoomed() && m_geometry.axis.contains(event->position()))
        showAll();
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    if (m_mapping.count() == 0) {
        event->ignore();
        return;
    }
    const QPoint turn = event->angleDelta();
    const bool sideways = event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(turn.x()) > std::abs(turn.y());
    if (sideways) {
        const int delta = turn.x() != 0 ? turn.x() : turn.y();
        m_mapping.panBy(-delta / 120.0 * m_geometry.plot.width() / 8);
        rememberZoom(true);
    } else {
        zoomAround(event->position().x(), std::pow(wheelFactor, turn.y() / 120.0));
    }
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        step(-1);
        break;
    case Qt::Key_Right:
        step(1);
        break;
    case Qt::Key_PageUp:
        step(-10);
        break;
    case Qt::Key_PageDown:
        step(10);
        break;
    case Qt::Key_Home:
        goTo(0);
        break;
    case Qt::Key_End:
        goTo(m_mapping.count() - 1);
        break;
    case Qt::Key_Space:
        setPlaying(!isPlaying());
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomIn();
        break;
    case Qt::Key_Minus:
        zoomOut();
        break;
    case Qt::Key_0:
        showAll();
        break;
    case Qt::Key_Backspace:
        if (event->modifiers().testFlag(Qt::ShiftModifier))
            redoZoom();
        else
            undoZoom();
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void TimelineView::leaveEvent(QEvent *)
{
    m_hover.reset();
    update();
}

void TimelineView::focusInEvent(QFocusEvent *)
{
    update();
}

void TimelineView::focusOutEvent(QFocusEvent *)
{
    update();
}

bool TimelineView::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const TimelineMark *mark = timelinePainter().markAt(help->pos())) {
            QString text = escaped(mark->text);
            if (mark->kind == TimelineMark::Kind::Event)
                text = tr("<b>Event %1</b><br>%2").arg(mark->number).arg(text);
            QToolTip::showText(help->globalPos(), u"<qt>"_s + text + u"</qt>"_s, this);
        } else if (m_geometry.plot.contains(help->pos())) {
            QToolTip::showText(help->globalPos(), describe(m_mapping.callAt(help->pos().x())), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    if (event->type() == QEvent::NativeGesture) {
        const auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomAround(gesture->position().x(), 1.0 + gesture->value());
            return true;
        }
    }
    if (event->type() == QEvent::Gesture) {
        if (auto *pinch =
                static_cast<QPinchGesture *>(static_cast<QGestureEvent *>(event)->gesture(Qt::PinchGesture))) {
            zoomAround(mapFromGlobal(pinch->centerPoint()).x(), pinch->scaleFactor());
            return true;
        }
    }
    return QWidget::event(event);
}

QString TimelineView::describe(std::int64_t point) const
{
    if (!m_scene.data || point < 0 || point >= m_mapping.count())
        return {};
    const TimelinePoint &at = m_scene.data->points[static_cast<std::size_t>(point)];
    QString text = m_scene.data->pointsAreCalls ? tr("<b>Call %1</b> · step %2").arg(at.call.value).arg(at.step)
                                                : tr("<b>Checkpoint %1</b> · step %2").arg(point + 1).arg(at.step);
    text += u"<table cellspacing=0>"_s;
    for (std::size_t part = contextParts; part-- > 0;) {
        if (at.tokens[part] == 0 && at.messages[part] == 0)
            continue;
        const auto kind = static_cast<ContextPart>(part);
        text += u"<tr><td><span style='color:%1'>■</span> %2&nbsp;&nbsp;</td><td align=right>%3</td>"_s.arg(
            m_theme.color(inkOf(kind)).name(), escaped(partName(kind)), number(at.tokens[part]));
        text += kind == ContextPart::ToolsAndSystem
            ? u"<td>&nbsp;&nbsp;%1</td></tr>"_s.arg(tr("from the settings, not recorded"))
            : u"<td align=right>&nbsp;&nbsp;%1</td></tr>"_s.arg(
                  tr("%n message(s)", nullptr, static_cast<int>(at.messages[part])));
    }
    text += u"<tr><td><b>%1</b></td><td align=right><b>%2</b></td><td></td></tr></table>"_s.arg(
        tr("tokens, counted"), number(at.total(ContextUnit::Tokens)));
    if (at.reported)
        text += tr("Reported by the provider: %1").arg(number(*at.reported)) + u"<br>"_s;
    for (const TimelineSeries &series : m_scene.whatIfs)
        if (static_cast<std::size_t>(point) < series.tokens.size()
            && series.tokens[static_cast<std::size_t>(point)] >= 0)
            text +=
                escaped(series.label) + u": "_s + number(series.tokens[static_cast<std::size_t>(point)]) + u"<br>"_s;
    if (at.event > 0)
        text += tr("Event %1 in force").arg(at.event) + u"<br>"_s;
    if (at.failed)
        text += tr("The call failed") + u"<br>"_s;
    text += tr("How it is known: %1").arg(escaped(certaintyName(at.certainty)));
    return u"<qt>"_s + text + u"</qt>"_s;
}

} // namespace palimpsest
