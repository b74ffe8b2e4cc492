// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace palimpsest {

/// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, "contrast ratio").
double contrastRatio(const QColor &a, const QColor &b);
/// `a` with a part `t` (0 to 1) of `b`.
QColor mixed(const QColor &a, const QColor &b, double t);
/// `ink`, made darker or lighter (its hue kept as long as possible) until it reaches `ratio` on `ground`.
QColor readableOn(const QColor &ink, const QColor &ground, double ratio);

} // namespace palimpsest
