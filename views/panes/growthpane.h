// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/growth/growth.h"

#include <QWidget>

#include <functional>
#include <memory>

class QCheckBox;
class QComboBox;
class QCustomPlot;
class QLabel;
class QLineEdit;
class QPushButton;

namespace palimpsest {

class Focus;
class Theme;
class WeightModel;
class WeightTable;

using GrowthPtr = std::shared_ptr<const Growth>;

/// What the thread or the whole source weighs, why it grows, and what it would weigh stored otherwise. Measures when it
/// is looked at; advises about retention and deletes nothing.
class GrowthPane : public QWidget {
    Q_OBJECT
public:
    /// Measures in a job; the newest question wins.
    using Measure = std::function<void(
        const GrowthOptions &options, QObject *receiver, std::function<void(const Result<GrowthPtr> &)> done)>;

    GrowthPane(const Theme &theme, Measure measure, QWidget *parent = nullptr);

    void follow(Focus *focus);
    /// Measures now.
    void measure();
    [[nodiscard]] const GrowthPtr &growth() const { return m_growth; }
    [[nodiscard]] WeightModel *model() const { return m_model; }
    [[nodiscard]] QCustomPlot *plot() const { return m_plot; }
    [[nodiscard]] QString summary() const;

protected:
    void showEvent(QShowEvent *event) override;

private:
    void showResult(const Result<GrowthPtr> &result);
    void fillTable();
    void drawCurve();
    [[nodiscard]] QString advice() const;

    const Theme &m_theme;
    Measure m_measure;
    Focus *m_focus = nullptr;
    GrowthPtr m_growth;
    bool m_stale = true; ///< another thread is shown now
    WeightModel *m_model;
    QComboBox *m_scope;
    QLineEdit *m_plan;
    QCheckBox *m_logarithmic;
    QPushButton *m_again;
    QLabel *m_head;
    QCustomPlot *m_plot;
    WeightTable *m_table;
};

} // namespace palimpsest
