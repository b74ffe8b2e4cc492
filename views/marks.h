// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPointF>

class QPainter;

namespace palimpsest {

/// Shapes that say a meaning without colour.
enum class Mark {
    Circle, ///< a call
    Square, ///< tool calls
    Triangle, ///< a human turn
    Diamond, ///< an offload
    Cross, ///< a failure
    Ring, ///< an info
    Bang, ///< a warning: a triangle with a hole
    Branch, ///< a fork
};

/// Draws a mark of `size` pixels around `center`.
void drawMark(QPainter &painter, Mark mark, const QPointF &center, qreal size, const QColor &color);

} // namespace palimpsest
