// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/projection.h"

#include <QWidget>

class QCustomPlot;
class QDoubleSpinBox;
class QTableWidget;

namespace palimpsest {

class ElidedLabel;
class Theme;

/// Context pressure beyond the recording: how settings behave when the conversation goes on as it went. Marked as a
/// simulation, on screen and by hatching behind the recording's end.
class ProjectionPane : public QWidget {
    Q_OBJECT
public:
    explicit ProjectionPane(const Theme &theme, QWidget *parent = nullptr);
    ~ProjectionPane() override;

    /// How many times the recorded length.
    [[nodiscard]] double times() const;
    void setTimes(double times);
    /// Null: none; `why` says what to do or what went wrong.
    void setStudy(const ProjectionStudyPtr &study, const QString &why = {});
    [[nodiscard]] const ProjectionStudyPtr &study() const { return m_study; }
    [[nodiscard]] QTableWidget *figures() const { return m_figures; }
    [[nodiscard]] QString words() const;

Q_SIGNALS:
    void timesChanged();

private:
    void show();
    void restyle();

    const Theme &m_theme;
    ProjectionStudyPtr m_study;
    QDoubleSpinBox *m_times;
    ElidedLabel *m_words;
    QCustomPlot *m_plot;
    QTableWidget *m_figures;
};

} // namespace palimpsest
