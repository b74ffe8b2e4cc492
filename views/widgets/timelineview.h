// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/timelinemapping.h"
#include "views/widgets/timelinepainter.h"

#include <QPixmap>
#include <QTimer>
#include <QWidget>

#include <optional>

namespace palimpsest {

class Theme;

/// The timeline: the context filling up call by call, and a playhead that is dragged, moved by keys or plays.
/// Drag scrubs, Shift+drag zooms into a box, the middle button pans, the wheel zooms, Shift+wheel pans; arrow keys
/// step, Page keys step by ten, Home and End go to the ends, Space plays, + - 0 zoom, Backspace undoes a zoom. Takes
/// plain data; knows no thread.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(const Theme &theme, QWidget *parent = nullptr);

    void setData(TimelineDataPtr timeline);
    void setUnit(ContextUnit unit);
    void setLimits(std::vector<TimelineLimit> limits);
    void setWhatIfs(std::vector<TimelineSeries> whatIfs);
    /// A lane that says where a text is at each call; empty: none.
    void setTrace(std::vector<TimelineSpan> trace);
    /// Moves the playhead without telling anyone: the selection changed elsewhere. Negative below -0.5: none.
    void setPlayhead(double position);

    [[nodiscard]] const TimelineScene &scene() const { return m_scene; }
    [[nodiscard]] const TimelineMapping &mapping() const { return m_mapping; }
    [[nodiscard]] const TimelineGeometry &geometryOfParts() const { return m_geometry; }
    [[nodiscard]] double playhead() const { return m_playhead; }
    [[nodiscard]] bool isPlaying() const { return m_player.isActive(); }
    /// What is said of a point: numbers by kind, how it is known.
    [[nodiscard]] QString describe(std::int64_t point) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

public Q_SLOTS:
    void setPlaying(bool playing);
    /// Steps the playhead by points; tells it.
    void step(int points);
    void goTo(std::int64_t point);
    void zoomIn();
    void zoomOut();
    void showAll();
    void undoZoom();
    void redoZoom();

Q_SIGNALS:
    /// The user moved the playhead to a point (a call, or a checkpoint where there are no calls).
    void pointChosen(std::int64_t point);
    void markChosen(const palimpsest::TimelineMark &mark);
    void playingChanged(bool playing);
    void zoomChanged();

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    enum class Drag { None, Scrub, Box, Pan };

    [[nodiscard]] TimelinePainter timelinePainter() const;
    void layOut();
    void redraw();
    void scrubTo(double x);
    void zoomAround(double x, double factor);
    void rememberZoom(bool sameGesture);
    void announce();
    void advance();

    const Theme &m_theme;
    TimelineScene m_scene;
    TimelineMapping m_mapping;
    TimelineGeometry m_geometry;
    ZoomStack m_zooms;
    QTimer m_player;
    QTimer m_gesture; ///< running: wheel steps belong to one entry of the zoom stack
    QPixmap m_layer; ///< all but playhead, hover and box; null: to be drawn
    double m_playhead = -1;
    std::optional<double> m_hover;
    Drag m_drag = Drag::None;
    QPointF m_dragStart;
    QPointF m_dragNow;
};

} // namespace palimpsest
