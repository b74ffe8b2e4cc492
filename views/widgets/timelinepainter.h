// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/timelinedata.h"
#include "models/timelinemapping.h"

#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace palimpsest {

class Theme;
enum class Ink;
enum class Mark;

/// A stretch of points in one colour: where something is said of each.
struct TimelineSpan {
    std::int64_t from = 0; ///< points, both included
    std::int64_t to = 0;
    Ink ink{};
    bool strong = true; ///< false: a thin line

    bool operator==(const TimelineSpan &) const = default;
};

/// Everything the timeline shows, playhead excepted.
struct TimelineScene {
    TimelineDataPtr data; ///< null: nothing to show
    ContextUnit unit = ContextUnit::Tokens;
    std::vector<TimelineLimit> limits;
    std::vector<TimelineSeries> whatIfs;
    std::vector<TimelineSpan> trace; ///< where a text is, call by call; empty: no text is followed
};

/// A row of marks below the plot.
struct TimelineLane {
    enum class Kind { Calls, Turns, Tools, Offloads, Problems, Trace };
    Kind kind = Kind::Calls;
    QRectF rect;
    QString name;
};

/// Where the parts of the timeline are, for a size in pixels.
struct TimelineGeometry {
    QRectF flags; ///< event flags
    QRectF plot;
    QRectF axis; ///< call numbers
    std::vector<TimelineLane> lanes;
    qreal gutter = 0; ///< width of the names at the left

    static TimelineGeometry of(const QSizeF &size, const TimelineScene &scene, const Theme &theme);
};

/// Colour of a part of the context.
Ink inkOf(ContextPart part);
/// "1,412" below ten thousand, "31.2k" and "1.4M" above.
QString shortNumber(double value);

/// Draws a timeline: a value without a widget, so that it also makes pictures. Costs O(pixels), whatever the number of
/// calls.
class TimelinePainter {
public:
    TimelinePainter(const Theme &theme, const TimelineScene &scene, const TimelineMapping &mapping,
        const TimelineGeometry &geometry);

    void paint(QPainter &painter) const;
    /// The playhead over what `paint` drew, with the number of its call.
    void paintPlayhead(QPainter &painter, double position, bool focused) const;
    /// A hair line where the pointer is.
    void paintHover(QPainter &painter, double position) const;

    /// The flag of an event, in pixels.
    [[nodiscard]] QRectF flagRect(const TimelineMark &event) const;
    /// The largest value that the height shows.
    [[nodiscard]] double top() const { return m_top; }
    [[nodiscard]] double yOf(double value) const;
    /// The mark at a place of the screen, or null.
    [[nodiscard]] const TimelineMark *markAt(const QPointF &place) const;

private:
    [[nodiscard]] double findTop() const;
    void paintGrid(QPainter &painter) const;
    void paintAreas(QPainter &painter) const;
    void paintColumns(QPainter &painter) const;
    void paintLimits(QPainter &painter) const;
    void paintSeries(QPainter &painter) const;
    void paintSeriesEvents(QPainter &painter) const;
    void paintEvents(QPainter &painter) const;
    void paintLanes(QPainter &painter) const;
    void paintCalls(QPainter &painter, const TimelineLane &lane) const;
    void paintTrace(QPainter &painter, const TimelineLane &lane) const;
    void paintMarks(QPainter &painter, const TimelineLane &lane, const std::vector<TimelineMark> &marks) const;

    const Theme &m_theme;
    const TimelineScene &m_scene;
    const TimelineMapping &m_mapping;
    const TimelineGeometry &m_geometry;
    double m_top = 1;
};

} // namespace palimpsest
