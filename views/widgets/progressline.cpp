// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/progressline.h"

#include "views/theme.h"

#include <QPainter>

namespace palimpsest {

ProgressLine::ProgressLine(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setAccessibleName(tr("Progress"));
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ProgressLine::setProgress(double fraction, const QString &doing)
{
    m_fraction = fraction;
    m_doing = doing;
    setAccessibleDescription(doing);
    update();
}

QSize ProgressLine::sizeHint() const
{
    return {280, fontMetrics().height() + 4};
}

void ProgressLine::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRect groove(0, height() - 4, width(), 3);
    painter.fillRect(groove, m_theme.color(Ink::Line));
    if (m_fraction > 0) {
        QRect done = groove;
        done.setWidth(static_cast<int>(groove.width() * std::min(m_fraction, 1.0)));
        painter.fillRect(done, m_theme.color(Ink::Accent));
    }
    painter.setPen(m_theme.color(Ink::TextSecondary));
    const QString percent =
        m_fraction < 0 ? QString() : tr(" · %1 %").arg(static_cast<int>(std::min(m_fraction, 1.0) * 100));
    const QRect line = rect().adjusted(2, 0, -2, -4);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(m_doing, Qt::ElideRight, line.width() - fontMetrics().horizontalAdvance(percent))
            + percent);
}

} // namespace palimpsest
