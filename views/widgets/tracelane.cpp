// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/tracelane.h"

#include "models/tracemodel.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace palimpsest {

namespace {

constexpr int side = 10; ///< room at both ends

} // namespace

Ink inkOf(TraceKind kind)
{
    switch (kind) {
    case TraceKind::NotYet:
        return Ink::Line;
    case TraceKind::Verbatim:
        return Ink::Good;
    case TraceKind::ArgumentTruncated:
        return Ink::Truncation;
    case TraceKind::StubPreview:
        return Ink::Eviction;
    case TraceKind::File:
        return Ink::Offload;
    case TraceKind::Summary:
        return Ink::Summary;
    case TraceKind::Similar:
        return Ink::Info;
    case TraceKind::Archive:
        return Ink::Archive;
    case TraceKind::Nowhere:
        break;
    }
    return Ink::Error;
}

TraceLane::TraceLane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(QStringLiteral("traceLane"));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Where the text is at each call"));
    setCursor(Qt::PointingHandCursor);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void TraceLane::setKinds(std::vector<TraceKind> kinds)
{
    m_kinds = std::move(kinds);
    update();
}

void TraceLane::setCurrent(int call)
{
    m_current = call;
    update();
}

int TraceLane::callAt(qreal x) const
{
    const double width = std::max(1, this->width() - 2 * side);
    const double at = (x - side) / width * static_cast<double>(m_kinds.size());
    return m_kinds.empty() ? -1 : std::clamp(static_cast<int>(at), 0, static_cast<int>(m_kinds.size()) - 1);
}

bool TraceLane::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const int call = callAt(help->pos().x()); call >= 0)
            QToolTip::showText(help->globalPos(),
                tr("Call %1: %2").arg(call + 1).arg(traceKindText(m_kinds[static_cast<std::size_t>(call)])), this);
        return true;
    }
    return QWidget::event(event);
}

void TraceLane::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (m_kinds.empty())
        return;
    const double width = this->width() - 2 * side;
    const auto xOf = [&](std::size_t call) {
        return side + width * static_cast<double>(call) / static_cast<double>(m_kinds.size());
    };
    const QRectF bar(side, 6, width, height() - 12);
    for (std::size_t from = 0; from < m_kinds.size();) {
        std::size_t to = from + 1;
        while (to < m_kinds.size() && m_kinds[to] == m_kinds[from])
            ++to;
        const QRectF run(xOf(from), bar.top(), std::max(1.0, xOf(to) - xOf(from)), bar.height());
        const Ink ink = inkOf(m_kinds[from]);
        const bool seen = m_kinds[from] == TraceKind::Verbatim || m_kinds[from] == TraceKind::Summary;
        painter.fillRect(run, seen ? m_theme.color(ink) : m_theme.fill(ink));
        painter.fillRect(QRectF(run.left(), run.bottom() - 3, run.width(), 3), m_theme.color(ink));
        const QString text = traceKindText(m_kinds[from]);
        painter.setFont(m_theme.smallFont());
        if (painter.fontMetrics().horizontalAdvance(text) + 10 < run.width()) {
            painter.setPen(seen ? m_theme.onColor(ink) : m_theme.color(Ink::Text));
            painter.drawText(run.adjusted(5, 0, -5, -2), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        from = to;
    }
    if (m_current >= 0 && m_current < static_cast<int>(m_kinds.size())) {
        const auto at = static_cast<std::size_t>(m_current);
        painter.setPen(QPen(m_theme.color(Ink::Playhead), 2));
        painter.drawRect(QRectF(xOf(at), 3, std::max(3.0, xOf(at + 1) - xOf(at)), height() - 6));
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Ink::Accent), 1, Qt::DotLine));
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void TraceLane::mousePressEvent(QMouseEvent *event)
{
    if (const int call = callAt(event->position().x()); call >= 0 && event->button() == Qt::LeftButton)
        Q_EMIT callChosen(call);
}

void TraceLane::keyPressEvent(QKeyEvent *event)
{
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step == 0 || m_kinds.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    Q_EMIT callChosen(std::clamp(m_current + step, 0, static_cast<int>(m_kinds.size()) - 1));
}

} // namespace palimpsest
