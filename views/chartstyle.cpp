// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/chartstyle.h"

#include "views/charts.h"
#include "views/theme.h"

namespace palimpsest {

void styleAxis(QCPAxis &axis, const Theme &theme)
{
    axis.setBasePen(QPen(theme.color(Ink::LineStrong)));
    axis.setTickPen(QPen(theme.color(Ink::LineStrong)));
    axis.setSubTickPen(Qt::NoPen);
    axis.setTickLabelColor(theme.color(Ink::TextSecondary));
    axis.setLabelColor(theme.color(Ink::Text));
    axis.setTickLabelFont(theme.smallFont());
    axis.setLabelFont(theme.smallFont());
}

void styleChart(QCustomPlot &plot, const Theme &theme)
{
    plot.setBackground(theme.color(Ink::Card));
    for (QCPAxis *axis : {plot.xAxis, plot.yAxis}) {
        styleAxis(*axis, theme);
        axis->grid()->setPen(QPen(theme.color(Ink::Line), 1));
    }
    plot.legend->setFont(theme.smallFont());
    plot.legend->setTextColor(theme.color(Ink::Text));
    plot.legend->setBrush(theme.color(Ink::Card));
    plot.legend->setBorderPen(QPen(theme.color(Ink::Line)));
}

} // namespace palimpsest
