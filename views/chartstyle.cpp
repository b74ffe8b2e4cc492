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
    plot.legend->setIconSize(22, 8);
    plot.legend->setRowSpacing(-3);
    plot.legend->setMargins({5, 2, 5, 2});
}

void placeLegendBeside(QCustomPlot &plot)
{
    auto *side = new QCPLayoutGrid;
    plot.plotLayout()->addElement(0, 1, side);
    side->addElement(0, 0, plot.legend);
    // What is left over below the legend: it keeps its own height instead of the chart's.
    side->addElement(1, 0, new QCPLayoutElement(&plot));
    side->setRowStretchFactor(0, 0.001);
    side->setRowSpacing(0);
    plot.plotLayout()->setColumnStretchFactor(1, 0.001);
}

} // namespace palimpsest
