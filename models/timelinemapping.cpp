// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinemapping.h"

#include <algorithm>
#include <cmath>

namespace palimpsest {

namespace {

constexpr double margin = 0.5; // half a call left and right, so that the first and the last are whole
constexpr double narrowest = 2.0; // calls that fill the width at the closest zoom
constexpr std::size_t deepest = 100;

} // namespace

TimelineMapping::Range TimelineMapping::fullRange() const
{
    return {-margin, std::max<double>(static_cast<double>(m_count) - 1.0, 0.0) + margin};
}

void TimelineMapping::setCount(std::int64_t count)
{
    const bool all = !isZoomed() || m_count == 0;
    m_count = std::max<std::int64_t>(count, 0);
    m_range = all ? fullRange() : clamped(m_range);
}

void TimelineMapping::setPlot(double left, double width)
{
    m_left = left;
    m_width = std::max(width, 1.0);
}

double TimelineMapping::xOf(double position) const
{
    return m_left + (position - m_range.first) / (m_range.last - m_range.first) * m_width;
}

double TimelineMapping::positionAt(double x) const
{
    return m_range.first + (x - m_left) / m_width * (m_range.last - m_range.first);
}

std::int64_t TimelineMapping::callAt(double x) const
{
    if (m_count == 0)
        return -1;
    return std::clamp<std::int64_t>(std::llround(positionAt(x)), 0, m_count - 1);
}

double TimelineMapping::pixelsPerCall() const
{
    return m_width / (m_range.last - m_range.first);
}

std::int64_t TimelineMapping::visibleBegin() const
{
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(m_range.first)) - 1, 0, m_count);
}

std::int64_t TimelineMapping::visibleEnd() const
{
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(m_range.last)) + 2, 0, m_count);
}

TimelineMapping::Range TimelineMapping::clamped(Range range) const
{
    const Range full = fullRange();
    const double whole = full.last - full.first;
    const double span = std::clamp(range.last - range.first, std::min(narrowest, whole), whole);
    const double center = (range.first + range.last) / 2;
    double first = std::clamp(center - span / 2, full.first, full.last - span);
    if (span == whole)
        first = full.first;
    return {first, span == whole ? full.last : first + span};
}

void TimelineMapping::zoomAround(double x, double factor)
{
    if (!(factor > 0))
        return;
    const double fixed = positionAt(x);
    const Range full = fullRange();
    const double whole = full.last - full.first;
    const double span = std::clamp((m_range.last - m_range.first) / factor, std::min(narrowest, whole), whole);
    const double part = (x - m_left) / m_width;
    const double first = fixed - part * span;
    m_range = clamped({first, first + span});
}

void TimelineMapping::panBy(double pixels)
{
    const double calls = pixels / pixelsPerCall();
    m_range = clamped({m_range.first + calls, m_range.last + calls});
}

void TimelineMapping::setRange(Range range)
{
    if (range.last > range.first)
        m_range = clamped(range);
}

void TimelineMapping::zoomTo(double x1, double x2)
{
    const double a = positionAt(std::min(x1, x2));
    const double b = positionAt(std::max(x1, x2));
    if (b > a)
        m_range = clamped({a, b});
}

void TimelineMapping::showAll()
{
    m_range = fullRange();
}

bool TimelineMapping::ensureVisible(double position)
{
    const double low = position - margin;
    const double high = position + margin;
    const Range before = m_range;
    if (low < m_range.first)
        m_range = clamped({low, low + (before.last - before.first)});
    else if (high > m_range.last)
        m_range = clamped({high - (before.last - before.first), high});
    return m_range != before;
}

std::vector<std::int64_t> TimelineMapping::ticks(double minimumPixels) const
{
    std::vector<std::int64_t> result;
    if (m_count == 0)
        return result;
    std::int64_t step = 1;
    for (int i = 0; static_cast<double>(step) * pixelsPerCall() < minimumPixels; ++i)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    const auto firstShown = static_cast<std::int64_t>(std::ceil(m_range.first)) + 1; // as a call number
    const auto lastShown = static_cast<std::int64_t>(std::floor(m_range.last)) + 1;
    const std::int64_t low = std::max<std::int64_t>(firstShown, 1);
    const std::int64_t high = std::min<std::int64_t>(lastShown, m_count);
    if (low <= 1 && step > 1)
        result.push_back(1);
    for (std::int64_t number = (low + step - 1) / step * step; number <= high; number += step)
        if (result.empty() || static_cast<double>(number - result.back()) * pixelsPerCall() >= minimumPixels)
            result.push_back(number);
    return result;
}

void ZoomStack::push(TimelineMapping::Range range)
{
    if (m_ranges[m_at] == range)
        return;
    m_ranges.resize(m_at + 1);
    m_ranges.push_back(range);
    if (m_ranges.size() > deepest)
        m_ranges.erase(m_ranges.begin() + 1); // the first, everything, stays reachable
    m_at = m_ranges.size() - 1;
}

void ZoomStack::replace(TimelineMapping::Range range)
{
    m_ranges.resize(m_at + 1);
    m_ranges[m_at] = range;
}

TimelineMapping::Range ZoomStack::undo()
{
    if (canUndo())
        --m_at;
    return m_ranges[m_at];
}

TimelineMapping::Range ZoomStack::redo()
{
    if (canRedo())
        ++m_at;
    return m_ranges[m_at];
}

void ZoomStack::reset(TimelineMapping::Range range)
{
    m_ranges.assign(1, range);
    m_at = 0;
}

} // namespace palimpsest
