// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cachedstyle.h"

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

} // namespace palimpsest
