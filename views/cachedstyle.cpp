// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cachedstyle.h"

#include <QStyleOptionButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

CachedStyle::CachedStyle()
    : QProxyStyle(u"Fusion"_s)
{
}

QIcon CachedStyle::standardIcon(StandardPixmap which, const QStyleOption *option, const QWidget *widget) const
{
    // Only these are asked for over and over; others may differ by option and widget.
    if (which != SP_TitleBarCloseButton && which != SP_TitleBarNormalButton && which != SP_DockWidgetCloseButton)
        return QProxyStyle::standardIcon(which, option, widget);
    const auto found = m_icons.constFind(which);
    if (found != m_icons.constEnd())
        return *found;
    return *m_icons.insert(which, QProxyStyle::standardIcon(which, option, widget));
}

void CachedStyle::drawPrimitive(
    PrimitiveElement which, const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
    if (!button || (which != PE_IndicatorCheckBox && which != PE_IndicatorRadioButton)) {
        QProxyStyle::drawPrimitive(which, option, painter, widget);
        return;
    }
    // Fusion draws the outline 40 % darker than the window: on a dark window nothing is seen of an empty box.
    QStyleOptionButton seen = *button;
    const QColor line = option->palette.color(QPalette::Dark);
    const bool dark = option->palette.color(QPalette::Window).lightness() < 128;
    seen.palette.setColor(QPalette::Window, dark ? line.lighter(140) : line);
    QProxyStyle::drawPrimitive(which, &seen, painter, widget);
}

} // namespace palimpsest
