// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/sweepstudy.h"

#include <QWidget>

class QComboBox;
class QCustomPlot;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace palimpsest {

class HeatMap;
class Theme;

/// Many settings at once: a grid over two parameters as a heat map and as curves, with needles that should be kept. A
/// click on a cell takes its settings over.
class SweepPane : public QWidget {
    Q_OBJECT
public:
    explicit SweepPane(const Theme &theme, QWidget *parent = nullptr);
    ~SweepPane() override;

    /// What the thread at hand reaches, for the ranges.
    void setReach(double messages, double tokens);
    /// The axes and needles of the form, without base settings.
    [[nodiscard]] SweepGrid grid() const;
    /// A sweep begins: its cells come with `addCells`.
    void begin(const SweepGrid &grid);
    void addCells(const std::vector<std::pair<std::size_t, SweepCell>> &cells);
    /// The sweep ended; `problem` empty when it is complete.
    void end(const QString &problem = {});
    [[nodiscard]] const SweepStudy &study() const { return m_study; }
    [[nodiscard]] HeatMap *heatMap() const { return m_map; }
    [[nodiscard]] QPushButton *runButton() const { return m_run; }
    /// The `axis`th parameter's choice, range and number of steps.
    void setAxis(int axis, const QString &name, double from, double to, int steps);
    void setNeedles(const QStringList &needles);

Q_SIGNALS:
    void runWanted();
    void cancelWanted();
    void csvWanted();
    /// The settings file of the cell that was chosen.
    void settingsChosen(const palimpsest::Value &settings);

private:
    struct AxisForm {
        QComboBox *parameter = nullptr;
        QDoubleSpinBox *from = nullptr;
        QDoubleSpinBox *to = nullptr;
        QSpinBox *steps = nullptr;
    };
    QWidget *buildForm();
    AxisForm buildAxis(QGridLayout *grid, int row, const QString &title);
    void takeRange(const AxisForm &form);
    void fillParameters();
    void showStudy();
    void showCurves();
    void describe(const QPoint &cell);
    void restyle();
    [[nodiscard]] SweepFigure figure() const;
    [[nodiscard]] QString axisName(std::size_t axis) const;

    const Theme &m_theme;
    std::vector<SweepParameter> m_parameters;
    AxisForm m_axes[2];
    QPlainTextEdit *m_needles = nullptr;
    QComboBox *m_figure = nullptr;
    QPushButton *m_run = nullptr;
    QPushButton *m_csv = nullptr;
    QProgressBar *m_progress = nullptr;
    QLabel *m_words = nullptr;
    HeatMap *m_map;
    QCustomPlot *m_curves;
    SweepStudy m_study;
    QStringList m_names; ///< of the study's axes
    bool m_running = false;
};

} // namespace palimpsest
