// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/sweepstudy.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QPlainTextEdit;
class QSpinBox;
class QToolButton;

namespace palimpsest {

/// What a sweep is to vary, over which threads, and which texts should be kept.
class SweepForm : public QWidget {
    Q_OBJECT
public:
    /// Which threads a sweep goes over.
    enum class Scope { Thread, Selection, Source };

    explicit SweepForm(QWidget *parent = nullptr);

    /// What the thread at hand reaches, for the ranges.
    void setReach(double messages, double tokens);
    /// How many threads are selected in the list, and how many the source has.
    void setThreads(int selected, int all);
    [[nodiscard]] Scope scope() const;
    void setScope(Scope scope);
    /// The axes and needles, without base settings. The same setting twice is one axis.
    [[nodiscard]] SweepGrid grid() const;
    /// Names of the grid's axes.
    [[nodiscard]] QStringList axisNames() const;
    /// The `axis`th parameter's choice, range and number of steps; an axis that is not there yet is added.
    void setAxis(int axis, const QString &name, double from, double to, int steps);
    void setNeedles(const QStringList &needles);
    /// Adds a text that must be kept, unless it is there.
    void addNeedle(const QString &needle);

Q_SIGNALS:
    /// Grid or scope are others.
    void changed();

private:
    struct Axis {
        QComboBox *parameter = nullptr;
        QDoubleSpinBox *from = nullptr;
        QDoubleSpinBox *to = nullptr;
        QSpinBox *steps = nullptr;
    };
    void addAxis(int steps);
    void takeRange(const Axis &axis);
    void fillParameters(const Axis &axis, int otherwise);
    /// Places of the axes that make the grid.
    [[nodiscard]] std::vector<std::size_t> used() const;
    [[nodiscard]] std::size_t parameterOf(const Axis &axis) const;

    std::vector<SweepParameter> m_parameters;
    std::vector<Axis> m_axes;
    QGridLayout *m_axisRows;
    QToolButton *m_more;
    QPlainTextEdit *m_needles;
    QComboBox *m_scope;
};

} // namespace palimpsest
