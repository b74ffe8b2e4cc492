// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCPAxis;
class QCustomPlot;

namespace palimpsest {

class Theme;

/// An axis in the theme's colours and small font.
void styleAxis(QCPAxis &axis, const Theme &theme);
/// Ground, both axes with their grids, and legend.
void styleChart(QCustomPlot &plot, const Theme &theme);
/// The legend at the right of the axes instead of on them: in a low pane it would cover the curves. Once a plot.
void placeLegendBeside(QCustomPlot &plot);

} // namespace palimpsest
