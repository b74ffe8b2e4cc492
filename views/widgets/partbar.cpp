// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/partbar.h"

#include <QHelpEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace palimpsest {

PartBar::PartBar(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setAccessibleName(tr("Parts of the request"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PartBar::setParts(std::vector<Part> parts)
{
    m_parts = std::move(parts);
    m_total = 0;
    for (const Part &part : m_parts)
        m_total += part.amount;
    update();
}

QRectF PartBar::rectOf(std::size_t part) const
{
    const QRectF all = QRectF(rect()).adjusted(10, 5, -10, -5);
    double before = 0;
    for (std::size_t i = 0; i < part; ++i)
        before += m_parts[i].amount;
    return {all.left() + all.width() * before / m_total, all.top(), all.width() * m_parts[part].amount / m_total,
        all.height()};
}

int PartBar::partAt(const QPointF &place) const
{
    for (std::size_t i = 0; m_total > 0 && i < m_parts.size(); ++i)
        if (rectOf(i).contains(place))
            return static_cast<int>(i);
    return -1;
}

bool PartBar::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const int at = partAt(help->pos()); at >= 0) {
            const Part &part = m_parts[static_cast<std::size_t>(at)];
            QToolTip::showText(
                help->globalPos(), tr("%1: %2 tokens").arg(part.name, QLocale().toString(part.amount, 'f', 0)), this);
        }
        return true;
    }
    return QWidget::event(event);
}

void PartBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(m_theme.smallFont());
    for (std::size_t i = 0; m_total > 0 && i < m_parts.size(); ++i) {
        const QRectF box = rectOf(i);
        painter.fillRect(box, m_theme.color(m_parts[i].ink));
        painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()), m_theme.color(Ink::Card));
        if (painter.fontMetrics().horizontalAdvance(m_parts[i].name) + 8 < box.width()) {
            painter.setPen(m_theme.onColor(m_parts[i].ink));
            painter.drawText(box.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, m_parts[i].name);
        }
    }
}

void PartBar::mousePressEvent(QMouseEvent *event)
{
    if (const int part = partAt(event->position()); part >= 0)
        Q_EMIT partChosen(part);
}

} // namespace palimpsest
