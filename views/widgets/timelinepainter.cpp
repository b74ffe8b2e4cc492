// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/timelinepainter.h"

#include "views/contrast.h"
#include "views/marks.h"
#include "views/theme.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr double densePixels = 2.5; // below this many pixels a call, columns are drawn instead of areas
constexpr double margin = 10;
constexpr double farLimit = 3.0; // a limit this many times above the data is told, not drawn: it would flatten the data

QString tr(const char *text)
{
    return QCoreApplication::translate("Timeline", text);
}

Mark markOf(const TimelineMark &mark)
{
    switch (mark.kind) {
    case TimelineMark::Kind::Turn:
        return Mark::Triangle;
    case TimelineMark::Kind::ToolCalls:
        return Mark::Square;
    case TimelineMark::Kind::Offload:
        return Mark::Diamond;
    case TimelineMark::Kind::Fork:
        return Mark::Branch;
    case TimelineMark::Kind::Failure:
        return Mark::Cross;
    case TimelineMark::Kind::Finding:
        return mark.severity == Finding::Severity::Info ? Mark::Ring : Mark::Bang;
    case TimelineMark::Kind::Event:
        break;
    }
    return Mark::Circle;
}

Ink inkOfMark(const TimelineMark &mark)
{
    switch (mark.kind) {
    case TimelineMark::Kind::Turn:
        return Ink::Human;
    case TimelineMark::Kind::ToolCalls:
        return Ink::Tool;
    case TimelineMark::Kind::Offload:
        return Ink::Offload;
    case TimelineMark::Kind::Fork:
        return Ink::Info;
    case TimelineMark::Kind::Failure:
        return Ink::Error;
    case TimelineMark::Kind::Finding:
        return inkOf(mark.severity);
    case TimelineMark::Kind::Event:
        break;
    }
    return Ink::Event;
}

const std::vector<TimelineMark> &marksOf(const TimelineData &data, TimelineLane::Kind lane)
{
    switch (lane) {
    case TimelineLane::Kind::Turns:
        return data.turns;
    case TimelineLane::Kind::Tools:
        return data.tools;
    case TimelineLane::Kind::Offloads:
        return data.offloads;
    case TimelineLane::Kind::Problems:
    case TimelineLane::Kind::Calls:
    case TimelineLane::Kind::Trace:
        break;
    }
    return data.problems;
}

/// A round step that divides `most` into about `parts`.
double roundStep(double most, int parts)
{
    const double raw = std::max(most / parts, 1e-9);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0})
        if (factor * power >= raw)
            return factor * power;
    return 10 * power;
}

} // namespace

Ink inkOf(ContextPart part)
{
    switch (part) {
    case ContextPart::ToolsAndSystem:
        return Ink::System;
    case ContextPart::Summary:
        return Ink::Summary;
    case ContextPart::Human:
        return Ink::Human;
    case ContextPart::Ai:
        return Ink::Ai;
    case ContextPart::Tool:
        break;
    }
    return Ink::Tool;
}

QString shortNumber(double value)
{
    const QLocale locale(QLocale::English);
    if (std::abs(value) < 10'000)
        return locale.toString(value, 'f', std::floor(value) == value ? 0 : 1);
    if (std::abs(value) < 1'000'000)
        return locale.toString(value / 1000, 'f', std::abs(value) < 100'000 ? 1 : 0) + u'k';
    return locale.toString(value / 1e6, 'f', std::abs(value) < 1e8 ? 1 : 0) + u'M';
}

TimelineGeometry TimelineGeometry::of(const QSizeF &size, const TimelineScene &scene, const Theme &theme)
{
    TimelineGeometry geometry;
    const QFontMetricsF small(theme.smallFont());
    const qreal row = std::max(13.0, small.height() - 1);
    std::vector<std::pair<TimelineLane::Kind, QString>> names;
    if (scene.data) {
        names.emplace_back(TimelineLane::Kind::Calls, scene.data->pointsAreCalls ? tr("calls") : tr("states"));
        if (!scene.data->turns.empty())
            names.emplace_back(TimelineLane::Kind::Turns, tr("turns"));
        if (!scene.data->tools.empty())
            names.emplace_back(TimelineLane::Kind::Tools, tr("tools"));
        if (!scene.data->offloads.empty())
            names.emplace_back(TimelineLane::Kind::Offloads, tr("offloads"));
        if (!scene.data->problems.empty())
            names.emplace_back(TimelineLane::Kind::Problems, tr("problems"));
        if (!scene.trace.empty() && scene.data->pointsAreCalls)
            names.emplace_back(TimelineLane::Kind::Trace, tr("trace"));
    }
    // A low timeline keeps its plot and gives up lanes, what is least looked for first.
    const qreal flagsHeight = small.height() + 5;
    const qreal axisHeight = small.height() + 2;
    const auto tooMany = [&] {
        return !names.empty() && size.height() - flagsHeight - axisHeight - row * static_cast<qreal>(names.size()) < 56;
    };
    for (const TimelineLane::Kind least : {TimelineLane::Kind::Tools, TimelineLane::Kind::Turns,
             TimelineLane::Kind::Offloads, TimelineLane::Kind::Calls, TimelineLane::Kind::Problems})
        if (tooMany())
            std::erase_if(names, [least](const auto &lane) { return lane.first == least; });
    qreal gutter = small.horizontalAdvance(u"000.0k"_s);
    for (const auto &[kind, name] : names)
        gutter = std::max(gutter, small.horizontalAdvance(name));
    geometry.gutter = gutter + margin + 6;
    const qreal lanesHeight = row * static_cast<qreal>(names.size()) + 4;
    const qreal width = std::max(10.0, size.width() - geometry.gutter - margin);
    geometry.flags = QRectF(geometry.gutter, 0, width, flagsHeight);
    geometry.plot = QRectF(
        geometry.gutter, flagsHeight, width, std::max(10.0, size.height() - flagsHeight - axisHeight - lanesHeight));
    geometry.axis = QRectF(geometry.gutter, geometry.plot.bottom(), width, axisHeight);
    qreal y = geometry.axis.bottom();
    for (const auto &[kind, name] : names) {
        geometry.lanes.push_back({kind, QRectF(geometry.gutter, y, width, row), name});
        y += row;
    }
    return geometry;
}

TimelinePainter::TimelinePainter(
    const Theme &theme, const TimelineScene &scene, const TimelineMapping &mapping, const TimelineGeometry &geometry)
    : m_theme(theme)
    , m_scene(scene)
    , m_mapping(mapping)
    , m_geometry(geometry)
    , m_top(findTop())
{
}

double TimelinePainter::findTop() const
{
    if (!m_scene.data)
        return 1;
    double most = static_cast<double>(m_scene.data->most(m_scene.unit));
    for (const TimelineSeries &series : m_scene.whatIfs)
        for (const std::int64_t value : series.values(m_scene.unit))
            most = std::max(most, static_cast<double>(value));
    const double data = std::max(most, 1.0);
    for (const TimelineLimit &limit : m_scene.limits)
        if (limit.unit == m_scene.unit && limit.value <= data * farLimit)
            most = std::max(most, limit.value);
    return std::max(most, 1.0) * 1.1;
}

double TimelinePainter::yOf(double value) const
{
    return m_geometry.plot.bottom() - value / m_top * m_geometry.plot.height();
}

void TimelinePainter::paint(QPainter &painter) const
{
    painter.fillRect(painter.viewport(), m_theme.color(Ink::Card));
    if (!m_scene.data)
        return;
    paintGrid(painter);
    painter.save();
    painter.setClipRect(m_geometry.plot.adjusted(0, 0, 0, 1));
    if (m_mapping.pixelsPerCall() < densePixels)
        paintColumns(painter);
    else
        paintAreas(painter);
    paintSeries(painter);
    painter.restore();
    paintLimits(painter);
    paintSeriesEvents(painter);
    paintEvents(painter);
    paintLanes(painter);
}

void TimelinePainter::paintGrid(QPainter &painter) const
{
    painter.setFont(m_theme.smallFont());
    const QFontMetricsF metrics(m_theme.smallFont());
    const int parts = std::clamp(static_cast<int>(m_geometry.plot.height() / (metrics.height() * 1.8)), 1, 5);
    const double step = std::max(1.0, roundStep(m_top, parts));
    QColor hairInk = m_theme.color(Ink::Line);
    if (m_theme.isHighContrast())
        hairInk.setAlphaF(0.3F);
    const QPen hair(hairInk, 1);
    for (double value = 0; value <= m_top; value += step) {
        const double y = std::round(yOf(value)) + 0.5;
        painter.setPen(hair);
        painter.drawLine(QPointF(m_geometry.plot.left(), y), QPointF(m_geometry.plot.right(), y));
        painter.setPen(m_theme.color(Ink::TextSecondary));
        painter.drawText(
            QRectF(0, y - 10, m_geometry.gutter - 6, 20), Qt::AlignRight | Qt::AlignVCenter, shortNumber(value));
    }
    painter.setPen(m_theme.color(Ink::TextSecondary));
    for (const std::int64_t number : m_mapping.ticks(metrics.horizontalAdvance(u"00000"_s) + 18)) {
        const double x = m_mapping.xOf(static_cast<double>(number - 1));
        if (x < m_geometry.plot.left() - 1 || x > m_geometry.plot.right() + 1)
            continue;
        QRectF box(x - 40, m_geometry.axis.top() + 1, 80, m_geometry.axis.height());
        const double half = metrics.horizontalAdvance(QString::number(number)) / 2;
        box.moveLeft(std::min(box.left(), m_geometry.plot.right() + margin - 2 - half - 40));
        painter.drawText(box, Qt::AlignHCenter | Qt::AlignVCenter, QString::number(number));
    }
}

void TimelinePainter::paintAreas(QPainter &painter) const
{
    const auto &points = m_scene.data->points;
    const std::int64_t begin = m_mapping.visibleBegin();
    const std::int64_t end = m_mapping.visibleEnd();
    if (begin >= end)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    const auto count = static_cast<std::size_t>(end - begin);
    std::vector<double> below(count, 0.0);
    const double half = 0.5;
    for (std::size_t part = 0; part < contextParts; ++part) {
        QPolygonF upper;
        QPolygonF lower;
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto place = begin + static_cast<std::int64_t>(i);
            const TimelinePoint &point = points[static_cast<std::size_t>(place)];
            const auto value = static_cast<double>(point.parts(m_scene.unit)[part]);
            any = any || value > 0;
            const double x = m_mapping.xOf(static_cast<double>(place));
            const double low = yOf(below[i]);
            below[i] += value;
            const double high = yOf(below[i]);
            // The first and the last reach half a call further, so that one call alone has a body too.
            if (place == 0) {
                upper << QPointF(m_mapping.xOf(-half), high);
                lower << QPointF(m_mapping.xOf(-half), low);
            }
            upper << QPointF(x, high);
            lower << QPointF(x, low);
            if (place == m_mapping.count() - 1) {
                upper << QPointF(m_mapping.xOf(static_cast<double>(place) + half), high);
                lower << QPointF(m_mapping.xOf(static_cast<double>(place) + half), low);
            }
        }
        if (!any)
            continue;
        const QColor strong = m_theme.color(inkOf(static_cast<ContextPart>(part)));
        QPolygonF area = upper;
        for (auto it = lower.crbegin(); it != lower.crend(); ++it)
            area << *it;
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.isHighContrast() ? strong : mixed(m_theme.color(Ink::Card), strong, 0.62));
        painter.drawPolygon(area);
        painter.setPen(QPen(m_theme.isHighContrast() ? m_theme.color(Ink::Card) : strong, 1.2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(upper);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelinePainter::paintColumns(QPainter &painter) const
{
    const auto &points = m_scene.data->points;
    std::array<QColor, contextParts> colors;
    for (std::size_t part = 0; part < contextParts; ++part)
        colors[part] = mixed(m_theme.color(Ink::Card), m_theme.color(inkOf(static_cast<ContextPart>(part))),
            m_theme.isHighContrast() ? 1.0 : 0.7);
    const int left = static_cast<int>(std::floor(m_geometry.plot.left()));
    const int right = static_cast<int>(std::ceil(m_geometry.plot.right()));
    for (int x = left; x < right; ++x) {
        const auto begin =
            std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(m_mapping.positionAt(x) - 0.5)), 0);
        auto end = std::min<std::int64_t>(
            static_cast<std::int64_t>(std::ceil(m_mapping.positionAt(x + 1) - 0.5)), m_mapping.count());
        std::int64_t largest = -1;
        std::int64_t most = -1;
        if (end <= begin)
            end = std::min(begin + 1, m_mapping.count());
        for (std::int64_t place = begin; place < end; ++place) {
            const std::int64_t total = points[static_cast<std::size_t>(place)].total(m_scene.unit);
            if (total > most) {
                most = total;
                largest = place;
            }
        }
        if (largest < 0)
            continue;
        const auto &parts = points[static_cast<std::size_t>(largest)].parts(m_scene.unit);
        double below = 0;
        for (std::size_t part = 0; part < contextParts; ++part) {
            if (parts[part] <= 0)
                continue;
            const double low = yOf(below);
            below += static_cast<double>(parts[part]);
            painter.fillRect(QRectF(x, yOf(below), 1, low - yOf(below)), colors[part]);
        }
    }
}

void TimelinePainter::paintLimits(QPainter &painter) const
{
    const QFontMetricsF metrics(m_theme.smallFont());
    painter.setFont(m_theme.smallFont());
    double lastLabel = -1e9;
    for (const TimelineLimit &limit : m_scene.limits) {
        if (limit.unit != m_scene.unit)
            continue;
        const bool beyond = limit.value > m_top;
        const double y = beyond ? m_geometry.plot.top() + 1 : std::round(yOf(limit.value)) + 0.5;
        QPen pen(m_theme.color(Ink::TriggerLine), 1.4);
        pen.setDashPattern({5, 3});
        painter.setPen(pen);
        if (!beyond)
            painter.drawLine(QPointF(m_geometry.plot.left(), y), QPointF(m_geometry.plot.right(), y));
        QString label = QString::fromStdString(limit.label);
        if (beyond)
            label += tr(" ↑ %1").arg(shortNumber(limit.value));
        const double width = metrics.horizontalAdvance(label) + 10;
        double top = beyond ? y + 1 : y - metrics.height() - 1;
        if (top < m_geometry.plot.top())
            top = y + 2;
        if (std::abs(top - lastLabel) < metrics.height())
            top = lastLabel + metrics.height();
        lastLabel = top;
        const QRectF box(m_geometry.plot.right() - width - 4, top, width, metrics.height());
        QColor paper = m_theme.color(Ink::Card);
        paper.setAlphaF(0.82F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(paper);
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(m_theme.text(Ink::TriggerLine));
        painter.drawText(box, Qt::AlignCenter, label);
    }
}

void TimelinePainter::paintSeries(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    const double stride = std::max(1.0, 1.0 / std::max(m_mapping.pixelsPerCall(), 1e-6));
    int number = 0;
    for (const TimelineSeries &series : m_scene.whatIfs) {
        QPen pen = m_theme.linePen(true, 1.8);
        if (number++ % 2 == 1)
            pen.setDashPattern({5, 2, 1, 2});
        const auto &values = series.values(m_scene.unit);
        QPolygonF line;
        for (double place = static_cast<double>(m_mapping.visibleBegin());
            place < static_cast<double>(m_mapping.visibleEnd()); place += stride) {
            const auto index = static_cast<std::size_t>(place);
            if (index < values.size() && values[index] >= 0)
                line << QPointF(m_mapping.xOf(static_cast<double>(index)), yOf(static_cast<double>(values[index])));
        }
        QPen halo(m_theme.color(Ink::Card), 3.6);
        painter.setPen(halo);
        painter.drawPolyline(line);
        painter.setPen(pen);
        painter.drawPolyline(line);
        painter.setFont(m_theme.smallFont());
        const QString label = QString::fromStdString(series.label);
        if (!line.isEmpty() && !label.isEmpty()) {
            const QFontMetricsF metrics(m_theme.smallFont());
            const QPointF anchor = line[line.size() / 3];
            const double width = metrics.horizontalAdvance(label) + 8;
            QRectF box(anchor.x() - width / 2, anchor.y() - metrics.height() - 5, width, metrics.height());
            box.moveTop(std::max(box.top(), m_geometry.plot.top() + 1));
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme.color(Ink::Card));
            painter.drawRoundedRect(box, 3, 3);
            painter.setPen(m_theme.color(Ink::Text));
            painter.drawText(box, Qt::AlignCenter, label);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelinePainter::paintSeriesEvents(QPainter &painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    const double top = m_geometry.plot.top();
    int number = 0;
    for (const TimelineSeries &series : m_scene.whatIfs) {
        QPen pen = m_theme.linePen(true, 1.2);
        if (number++ % 2 == 1)
            pen.setDashPattern({5, 2, 1, 2});
        double last = -1e9;
        for (const double position : series.events) {
            const double x = m_mapping.xOf(position);
            if (x < m_geometry.plot.left() - 1 || x > m_geometry.plot.right() + 1 || x - last < 1)
                continue;
            painter.setPen(pen);
            painter.drawLine(QPointF(x, top), QPointF(x, m_geometry.plot.bottom()));
            if (x - last < 12)
                continue; // its line stays
            last = x;
            // Hollow and pointed where a recorded event's flag is filled and round.
            painter.setPen(QPen(m_theme.color(Ink::WhatIf), 1.5));
            painter.setBrush(m_theme.color(Ink::Card));
            painter.drawPolygon(QPolygonF{{x - 5, top + 1}, {x + 5, top + 1}, {x, top + 10}});
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QRectF TimelinePainter::flagRect(const TimelineMark &event) const
{
    const QFontMetricsF metrics(m_theme.smallFont());
    const double width = std::max(16.0, metrics.horizontalAdvance(QString::number(event.number)) + 9);
    return {
        m_mapping.xOf(event.position) - width / 2, m_geometry.flags.top() + 1, width, m_geometry.flags.height() - 3};
}

void TimelinePainter::paintEvents(QPainter &painter) const
{
    painter.setFont(m_theme.smallFont());
    double lastFlag = -1e9;
    double lastLine = -1e9;
    QColor line = m_theme.color(Ink::Event);
    for (const TimelineMark &event : m_scene.data->events) {
        const double x = m_mapping.xOf(event.position);
        if (x < m_geometry.plot.left() - 1 || x > m_geometry.plot.right() + 1)
            continue;
        if (x - lastLine >= 1) {
            painter.setPen(QPen(line, 1.4));
            painter.drawLine(QPointF(x, m_geometry.flags.bottom() - 2), QPointF(x, m_geometry.plot.bottom()));
            lastLine = x;
        }
        const QRectF flag = flagRect(event);
        if (flag.left() < lastFlag + 2)
            continue; // its line stays; the tooltip has its number
        lastFlag = flag.right();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Ink::Event));
        painter.drawRoundedRect(flag, 4, 4);
        painter.setPen(m_theme.onColor(Ink::Event));
        painter.drawText(flag, Qt::AlignCenter, QString::number(event.number));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
}

void TimelinePainter::paintLanes(QPainter &painter) const
{
    painter.setFont(m_theme.smallFont());
    for (const TimelineLane &lane : m_geometry.lanes) {
        painter.setPen(m_theme.color(Ink::TextSecondary));
        painter.drawText(QRectF(0, lane.rect.top(), m_geometry.gutter - 6, lane.rect.height()),
            Qt::AlignRight | Qt::AlignVCenter, lane.name);
        painter.save();
        painter.setClipRect(lane.rect.adjusted(-4, 0, margin, 0));
        if (lane.kind == TimelineLane::Kind::Calls)
            paintCalls(painter, lane);
        else if (lane.kind == TimelineLane::Kind::Trace)
            paintTrace(painter, lane);
        else
            paintMarks(painter, lane, marksOf(*m_scene.data, lane.kind));
        painter.restore();
    }
}

void TimelinePainter::paintCalls(QPainter &painter, const TimelineLane &lane) const
{
    const double size = std::clamp(m_mapping.pixelsPerCall() * 0.6, 2.0, 6.0);
    const QColor ink = m_theme.color(Ink::Ai);
    const double y = lane.rect.center().y();
    if (m_mapping.pixelsPerCall() < 4) {
        const double from = std::max(m_mapping.xOf(0), m_geometry.plot.left());
        const double to = std::min(m_mapping.xOf(static_cast<double>(m_mapping.count() - 1)), m_geometry.plot.right());
        painter.fillRect(QRectF(from, y - 1.5, std::max(1.0, to - from), 3), ink);
    } else {
        for (std::int64_t i = m_mapping.visibleBegin(); i < m_mapping.visibleEnd(); ++i) {
            const double x = m_mapping.xOf(static_cast<double>(i));
            if (x >= m_geometry.plot.left() && x <= m_geometry.plot.right())
                drawMark(painter, Mark::Circle, {x, y}, size, ink);
        }
    }
}

void TimelinePainter::paintTrace(QPainter &painter, const TimelineLane &lane) const
{
    for (const TimelineSpan &span : m_scene.trace) {
        const double from = std::max(m_mapping.xOf(static_cast<double>(span.from) - 0.5), m_geometry.plot.left());
        const double to = std::min(m_mapping.xOf(static_cast<double>(span.to) + 0.5), m_geometry.plot.right());
        const double height = span.strong ? 8 : 3;
        if (to > from)
            painter.fillRect(QRectF(from, lane.rect.center().y() - height / 2, std::max(1.0, to - from), height),
                m_theme.color(span.ink));
    }
}

void TimelinePainter::paintMarks(
    QPainter &painter, const TimelineLane &lane, const std::vector<TimelineMark> &marks) const
{
    const double y = lane.rect.center().y();
    const auto first = std::ranges::lower_bound(marks, m_mapping.range().first, {}, &TimelineMark::position);
    double last = -1e9;
    Finding::Severity worst = Finding::Severity::Info;
    for (auto it = first; it != marks.end() && it->position <= m_mapping.range().last; ++it) {
        const double x = m_mapping.xOf(it->position);
        // Marks that would cover each other are one, unless the later one is worse.
        if (x - last < 3 && it->severity <= worst)
            continue;
        last = x;
        worst = it->severity;
        const double size = lane.kind == TimelineLane::Kind::Tools ? (it->number > 1 ? 6.5 : 5) : 7;
        const double room = std::max(m_mapping.pixelsPerCall(), 3.0);
        drawMark(painter, markOf(*it), {x, y}, std::min(size, room + 2), m_theme.color(inkOfMark(*it)));
        if (lane.kind == TimelineLane::Kind::Tools && it->number > 1 && room > 44) {
            painter.setPen(m_theme.color(Ink::TextSecondary));
            painter.drawText(QRectF(x + 5, lane.rect.top(), 30, lane.rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                u"×"_s + QString::number(it->number));
        }
    }
}

void TimelinePainter::paintPlayhead(QPainter &painter, double position, bool focused) const
{
    const double x = m_mapping.xOf(position);
    if (x < m_geometry.plot.left() - 1 || x > m_geometry.plot.right() + 1)
        return;
    const QColor ink = m_theme.color(Ink::Playhead);
    const double bottom = m_geometry.lanes.empty() ? m_geometry.plot.bottom() : m_geometry.lanes.back().rect.bottom();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, focused ? 2.4 : 1.8));
    painter.drawLine(QPointF(x, m_geometry.flags.bottom() - 4), QPointF(x, bottom));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    const double top = m_geometry.flags.bottom() - 6;
    painter.drawPolygon(QPolygonF{{x - 6, top}, {x + 6, top}, {x, top + 8}});
    if (m_scene.data && !m_scene.data->points.empty()) {
        const auto place = static_cast<std::size_t>(
            std::clamp<double>(std::round(position), 0, static_cast<double>(m_scene.data->points.size() - 1)));
        const TimelinePoint &point = m_scene.data->points[place];
        painter.drawEllipse(QPointF(x, yOf(static_cast<double>(point.total(m_scene.unit)))), 3.5, 3.5);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelinePainter::paintHover(QPainter &painter, double position) const
{
    const double x = std::round(m_mapping.xOf(position)) + 0.5;
    if (x < m_geometry.plot.left() || x > m_geometry.plot.right())
        return;
    QColor ink = m_theme.color(Ink::TextSecondary);
    ink.setAlphaF(0.5F);
    painter.setPen(QPen(ink, 1));
    painter.drawLine(QPointF(x, m_geometry.plot.top()), QPointF(x, m_geometry.plot.bottom()));
}

const TimelineMark *TimelinePainter::markAt(const QPointF &place) const
{
    if (!m_scene.data)
        return nullptr;
    const auto nearest = [&](const std::vector<TimelineMark> &marks, double reach) -> const TimelineMark * {
        const double position = m_mapping.positionAt(place.x());
        auto it = std::ranges::lower_bound(marks, position, {}, &TimelineMark::position);
        const TimelineMark *best = nullptr;
        double distance = reach;
        for (int step = 0; step < 2; ++step) {
            if (it != marks.end() && std::abs(m_mapping.xOf(it->position) - place.x()) <= distance) {
                best = &*it;
                distance = std::abs(m_mapping.xOf(it->position) - place.x());
            }
            if (it == marks.begin())
                break;
            --it;
        }
        return best;
    };
    if (m_geometry.flags.contains(place))
        return nearest(m_scene.data->events, 12);
    for (const TimelineLane &lane : m_geometry.lanes)
        if (lane.kind != TimelineLane::Kind::Calls && lane.kind != TimelineLane::Kind::Trace
            && lane.rect.contains(place))
            return nearest(marksOf(*m_scene.data, lane.kind), 7);
    return nullptr;
}

} // namespace palimpsest
