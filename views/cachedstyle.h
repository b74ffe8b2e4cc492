// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QIcon>
#include <QProxyStyle>

namespace palimpsest {

/// The style Fusion with boxes to check that are seen on a dark window too, and with icons that are read once. Qt 6.8
/// reads a dock's title buttons from its resources whenever the dock is laid out (QCommonStyle::subElementRect), which
/// is most of what laying out a dozen docks costs.
class CachedStyle : public QProxyStyle {
public:
    CachedStyle();

    QIcon standardIcon(StandardPixmap which, const QStyleOption *option, const QWidget *widget) const override;
    void drawPrimitive(
        PrimitiveElement which, const QStyleOption *option, QPainter *painter, const QWidget *widget) const override;

private:
    mutable QHash<int, QIcon> m_icons;
};

} // namespace palimpsest
