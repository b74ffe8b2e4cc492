// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace palimpsest {

/// Where the calls of a timeline stand on the screen: calls are spaced evenly, call `i` (from 0) at position `i`, and a
/// part of them [first, last] fills the width. Positions are doubles so that zoom and pan are smooth. A value: tested
/// without a window.
class TimelineMapping {
public:
    struct Range {
        double first = 0;
        double last = 1; ///< greater than first
        bool operator==(const Range &) const = default;
    };

    TimelineMapping() = default;

    /// Number of calls; the range goes back to all of them when it was all of them before, else it is kept as far as it
    /// exists.
    void setCount(std::int64_t count);
    /// Left edge and width of the plot in pixels.
    void setPlot(double left, double width);

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double left() const { return m_left; }
    [[nodiscard]] double width() const { return m_width; }
    [[nodiscard]] Range range() const { return m_range; }
    [[nodiscard]] Range fullRange() const;
    [[nodiscard]] bool isZoomed() const { return m_range != fullRange(); }

    [[nodiscard]] double xOf(double position) const;
    [[nodiscard]] double positionAt(double x) const;
    /// The call nearest to `x`, within the calls there are; -1 when there are none.
    [[nodiscard]] std::int64_t callAt(double x) const;
    /// Pixels between two calls.
    [[nodiscard]] double pixelsPerCall() const;
    /// The calls that touch the plot (one more on each side), as [begin, end).
    [[nodiscard]] std::int64_t visibleBegin() const;
    [[nodiscard]] std::int64_t visibleEnd() const;

    /// `factor` > 1 zooms in; what is under `x` stays there.
    void zoomAround(double x, double factor);
    void panBy(double pixels);
    void setRange(Range range);
    /// The part between two places of the screen.
    void zoomTo(double x1, double x2);
    void showAll();
    /// Moves the range just so far that `position` is in it. True when it moved.
    bool ensureVisible(double position);

    /// Round positions for axis labels, at least `minimumPixels` apart: 1, 2, 5, 10, … as call numbers (from 1).
    [[nodiscard]] std::vector<std::int64_t> ticks(double minimumPixels) const;

    bool operator==(const TimelineMapping &) const = default;

private:
    [[nodiscard]] Range clamped(Range range) const;

    std::int64_t m_count = 0;
    double m_left = 0;
    double m_width = 1;
    Range m_range;
};

/// Ranges one can come back to. Views that show the same calls share one.
class ZoomStack {
public:
    /// Remembers `range`; what was undone is forgotten. A range equal to the current one changes nothing.
    void push(TimelineMapping::Range range);
    /// Overwrites the current entry: the steps of one wheel gesture are one entry.
    void replace(TimelineMapping::Range range);
    [[nodiscard]] bool canUndo() const { return m_at > 0; }
    [[nodiscard]] bool canRedo() const { return m_at + 1 < m_ranges.size(); }
    TimelineMapping::Range undo();
    TimelineMapping::Range redo();
    void reset(TimelineMapping::Range range);
    [[nodiscard]] std::size_t depth() const { return m_ranges.size(); }

private:
    std::vector<TimelineMapping::Range> m_ranges{TimelineMapping::Range{}};
    std::size_t m_at = 0;
};

} // namespace palimpsest
