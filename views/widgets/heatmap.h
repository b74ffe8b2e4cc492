// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/sweepstudy.h"

#include <QWidget>

class QCustomPlot;
class QCPColorMap;
class QCPColorScale;
class QCPGraph;
class QCPItemRect;

namespace palimpsest {

class Theme;

/// A sweep's figure over two parameters: a cell a setting, its number in it where there is room. Rings mark the cells
/// that no other beats, crosses those that cannot work. Click or arrow keys choose a cell, Enter takes it.
class HeatMap : public QWidget {
    Q_OBJECT
public:
    explicit HeatMap(const Theme &theme, QWidget *parent = nullptr);
    ~HeatMap() override;

    /// `study` must outlive the next call.
    void setStudy(
        const SweepStudy *study, SweepFigure figure, SweepStat stat, const QString &columnName, const QString &rowName);
    [[nodiscard]] QCustomPlot *plot() const { return m_plot; }
    [[nodiscard]] QPoint cursor() const { return m_cursor; }
    void setCursorCell(const QPoint &cell);
    /// Where a cell is on the plot, in its pixels.
    [[nodiscard]] QPointF pixelOf(const QPoint &cell) const;

Q_SIGNALS:
    void cellHovered(const QPoint &cell);
    /// Column and row of a cell that was clicked, or chosen with Enter.
    void cellChosen(const QPoint &cell);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void restyle();
    void fillAxis(bool columns);
    void fillMarks();
    /// No cell has room for a number beside a mark.
    [[nodiscard]] bool isDense() const;
    void fillNumbers();
    [[nodiscard]] QPoint cellAt(const QPointF &pixel) const;

    const Theme &m_theme;
    const SweepStudy *m_study = nullptr;
    SweepFigure m_figure = SweepFigure::Events;
    SweepStat m_stat = SweepStat::Total;
    QPoint m_cursor{0, 0};
    QCustomPlot *m_plot;
    QCPColorMap *m_map;
    QCPColorScale *m_scale;
    QCPGraph *m_front;
    QCPGraph *m_unworkable;
    QCPItemRect *m_frame;
};

} // namespace palimpsest
