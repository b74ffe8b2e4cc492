// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/sweepstudy.h"
#include "views/panes/sweepform.h"

#include <QWidget>

class QComboBox;
class QCustomPlot;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QTreeWidget;

namespace palimpsest {

class EmptyState;
class HeatMap;
class Theme;

/// Many settings at once, over one thread or many: a grid as a heat map and as curves, with needles that should be
/// kept. A click on a cell takes its settings over and lists its worst threads. A sweep that was stopped goes on where
/// it was.
class SweepPane : public QWidget {
    Q_OBJECT
public:
    explicit SweepPane(const Theme &theme, QWidget *parent = nullptr);
    ~SweepPane() override;

    [[nodiscard]] SweepForm *form() const { return m_form; }
    /// A sweep begins: its cells come with `addCells`. Where the grid is that of the study shown and `goesOn`, cells
    /// that are done stay.
    void begin(const SweepGrid &grid, bool goesOn);
    /// What it goes over, once that is known.
    void setThreads(const std::vector<std::string> &labels);
    void addCells(const std::vector<std::pair<std::size_t, SweepCell>> &cells);
    /// How far the threads are read.
    void setReading(const QString &words);
    /// The sweep ended; `problem` empty when it is complete.
    void end(const QString &problem = {});
    [[nodiscard]] const SweepStudy &study() const { return m_study; }
    [[nodiscard]] HeatMap *heatMap() const { return m_map; }
    [[nodiscard]] QPushButton *runButton() const { return m_run; }
    [[nodiscard]] QTreeWidget *worst() const { return m_worst; }

Q_SIGNALS:
    void runWanted();
    void cancelWanted();
    void csvWanted();
    /// The settings file of the cell that was chosen.
    void settingsChosen(const palimpsest::Value &settings);
    /// A thread among the worst was chosen: its place among the sweep's threads.
    void threadChosen(std::size_t thread);

private:
    QWidget *buildForm();
    void showStudy();
    void showCurves();
    void showWorst();
    void showSlices();
    void choose(const QPoint &cell);
    void describe(const QPoint &cell);
    void updateRun();
    void restyle();
    [[nodiscard]] SweepFigure figure() const;
    [[nodiscard]] SweepStat stat() const;
    [[nodiscard]] QString axisName(std::size_t axis) const;

    const Theme &m_theme;
    SweepForm *m_form;
    QComboBox *m_figure = nullptr;
    QComboBox *m_stat = nullptr;
    QPushButton *m_run = nullptr;
    QPushButton *m_csv = nullptr;
    QProgressBar *m_progress = nullptr;
    QLabel *m_words = nullptr;
    EmptyState *m_empty = nullptr;
    QWidget *m_slices;
    QHBoxLayout *m_sliceRow;
    HeatMap *m_map;
    QCustomPlot *m_curves;
    QTreeWidget *m_worst;
    SweepStudy m_study;
    QStringList m_names; ///< of the study's axes
    QPoint m_chosen{-1, -1};
    bool m_running = false;
};

} // namespace palimpsest
