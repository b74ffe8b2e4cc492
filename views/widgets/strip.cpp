// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/strip.h"

#include "models/messagemodel.h"
#include "views/theme.h"
#include "views/widgets/messagelist.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace palimpsest {

namespace {
constexpr qreal tallestBar = 9;
}

Strip::Strip(MessageList *list, Theme *theme, QWidget *parent)
    : QWidget(parent)
    , m_list(list)
    , m_theme(theme)
{
    setFixedWidth(26);
    setCursor(Qt::PointingHandCursor);
    setToolTip(tr("The whole list: a bar a message, long by its tokens, pale when out of context. Click to go there."));
    connect(list->messages(), &QAbstractItemModel::modelReset, this, &Strip::forget);
    connect(theme, &Theme::changed, this, &Strip::forget);
    connect(list, &MessageList::viewChanged, this, qOverload<>(&QWidget::update));
}

void Strip::forget()
{
    m_image = {};
    update();
}

void Strip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    forget();
}

std::vector<StripBar> Strip::condense(const std::vector<StripBar> &bars, int lines)
{
    const auto count = static_cast<qint64>(bars.size());
    if (lines <= 0 || count <= lines)
        return bars;
    std::vector<StripBar> out(static_cast<std::size_t>(lines));
    std::vector<bool> set(out.size());
    for (qint64 i = 0; i < count; ++i) {
        const auto line = static_cast<std::size_t>(i * lines / count);
        if (!set[line] || bars[static_cast<std::size_t>(i)].tokens > out[line].tokens)
            out[line] = bars[static_cast<std::size_t>(i)];
        set[line] = true;
    }
    return out;
}

void Strip::draw()
{
    const qreal ratio = devicePixelRatioF();
    m_image = QImage(size() * ratio, QImage::Format_ARGB32_Premultiplied);
    m_image.setDevicePixelRatio(ratio);
    m_image.fill(m_theme->color(Ink::Card));
    const std::vector<StripBar> all = m_list->messages()->strip();
    m_rows = static_cast<int>(all.size());
    const std::vector<StripBar> bars = condense(all, height());
    if (bars.empty())
        return;
    const qreal pitch = std::min(tallestBar, height() / static_cast<qreal>(bars.size()));
    m_used = pitch * static_cast<qreal>(bars.size());
    // A square root, so that one giant leaves the others visible.
    qreal most = 1;
    for (const StripBar &bar : bars)
        most = std::max(most, std::sqrt(static_cast<qreal>(bar.tokens)));
    QPainter painter(&m_image);
    painter.setPen(Qt::NoPen);
    const qreal full = width() - 8;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        QColor color = m_theme->color(inkOf(bars[i].kind, bars[i].summary));
        if (!bars[i].inContext)
            color.setAlphaF(0.32f);
        const qreal length = std::max(3.0, full * std::sqrt(static_cast<qreal>(bars[i].tokens)) / most);
        painter.fillRect(
            QRectF(4, pitch * static_cast<qreal>(i), length, std::max(pitch - (pitch > 3 ? 1.0 : 0.0), 1.0)), color);
    }
}

void Strip::paintEvent(QPaintEvent *)
{
    if (m_image.isNull())
        draw();
    QPainter painter(this);
    painter.drawImage(0, 0, m_image);
    painter.setPen(m_theme->color(Ink::Line));
    painter.drawLine(0, 0, 0, height());
    const int total = m_list->geometry().total();
    if (m_rows == 0 || total <= 0)
        return;
    const qreal scale = m_used / total;
    const qreal top = std::clamp(-m_list->origin() * scale, 0.0, m_used);
    const qreal bottom = std::clamp((-m_list->origin() + m_list->viewport()->height()) * scale, 0.0, m_used);
    if (bottom - top >= m_used - 1)
        return;
    QColor veil = m_theme->color(Ink::Accent);
    painter.setPen(QPen(veil, 1));
    veil.setAlphaF(0.14f);
    painter.setBrush(veil);
    painter.drawRoundedRect(QRectF(1.5, top + 0.5, width() - 3, std::max(bottom - top - 1, 6.0)), 2, 2);
}

void Strip::goTo(int y)
{
    const int total = m_list->geometry().total();
    if (m_used <= 0 || total <= 0)
        return;
    const int wanted = static_cast<int>(std::clamp(y / m_used, 0.0, 1.0) * total) - m_list->viewport()->height() / 2;
    if (m_list->isLed())
        Q_EMIT m_list->scrollWanted(wanted + m_list->origin());
    else
        m_list->verticalScrollBar()->setValue(wanted);
}

void Strip::mousePressEvent(QMouseEvent *event)
{
    goTo(static_cast<int>(event->position().y()));
}

void Strip::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        goTo(static_cast<int>(event->position().y()));
}

} // namespace palimpsest
