// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/contrast.h"

#include <algorithm>
#include <cmath>

namespace palimpsest {

namespace {

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

} // namespace

double contrastRatio(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor mixed(const QColor &a, const QColor &b, double t)
{
    const auto between = [t](float x, float y) { return static_cast<float>(std::clamp(x + (y - x) * t, 0.0, 1.0)); };
    return QColor::fromRgbF(
        between(a.redF(), b.redF()), between(a.greenF(), b.greenF()), between(a.blueF(), b.blueF()));
}

QColor readableOn(const QColor &ink, const QColor &ground, double ratio)
{
    if (contrastRatio(ink, ground) >= ratio)
        return ink;
    const QColor end = contrastRatio(Qt::black, ground) >= contrastRatio(Qt::white, ground) ? Qt::black : Qt::white;
    for (int step = 1; step < 32; ++step) {
        const QColor candidate = mixed(ink, end, step / 32.0);
        if (contrastRatio(candidate, ground) >= ratio)
            return candidate;
    }
    return end;
}

} // namespace palimpsest
