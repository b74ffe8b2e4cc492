// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/marks.h"

#include <QPainter>
#include <QPainterPath>

namespace palimpsest {

void drawMark(QPainter &painter, Mark mark, const QPointF &center, qreal size, const QColor &color)
{
    const qreal r = size / 2;
    const QPointF c = center;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    QPen line(color, qMax(1.4, size / 5), Qt::SolidLine, Qt::RoundCap);
    switch (mark) {
    case Mark::Circle:
        painter.drawEllipse(c, r, r);
        break;
    case Mark::Square:
        painter.drawRoundedRect(QRectF(c.x() - r, c.y() - r, size, size), 1, 1);
        break;
    case Mark::Triangle:
        painter.drawPolygon(QPolygonF{{c.x() - r, c.y() - r}, {c.x() + r, c.y()}, {c.x() - r, c.y() + r}});
        break;
    case Mark::Diamond:
        painter.drawPolygon(QPolygonF{{c.x(), c.y() - r}, {c.x() + r, c.y()}, {c.x(), c.y() + r}, {c.x() - r, c.y()}});
        break;
    case Mark::Cross:
        painter.setPen(line);
        painter.drawLine(c + QPointF(-r, -r), c + QPointF(r, r));
        painter.drawLine(c + QPointF(-r, r), c + QPointF(r, -r));
        break;
    case Mark::Ring:
        painter.setPen(line);
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(c, r - 0.7, r - 0.7);
        break;
    case Mark::Bang: {
        QPainterPath path;
        path.addPolygon(QPolygonF{{c.x(), c.y() - r}, {c.x() + r, c.y() + r}, {c.x() - r, c.y() + r}});
        path.closeSubpath();
        path.addEllipse(c + QPointF(0, r * 0.35), r * 0.28, r * 0.28);
        painter.drawPath(path);
        break;
    }
    case Mark::Branch:
        painter.setPen(line);
        painter.drawLine(c + QPointF(-r, 0), c);
        painter.drawLine(c, c + QPointF(r, -r));
        painter.drawLine(c, c + QPointF(r, r));
        break;
    }
    painter.restore();
}

} // namespace palimpsest
