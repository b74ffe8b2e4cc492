// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/trace/trace.h"
#include "views/theme.h"

#include <QWidget>

#include <vector>

namespace palimpsest {

/// Colour of a kind of place: what the model sees is strong, what it does not see is pale or missing.
Ink inkOf(TraceKind kind);

/// The strongest place of a text at each call, as one bar. A click chooses the call; Left and Right step.
class TraceLane : public QWidget {
    Q_OBJECT
public:
    explicit TraceLane(const Theme &theme, QWidget *parent = nullptr);

    /// One kind a call.
    void setKinds(std::vector<TraceKind> kinds);
    /// The call that is looked at, from 0; -1: none.
    void setCurrent(int call);
    [[nodiscard]] int callAt(qreal x) const;
    [[nodiscard]] QSize sizeHint() const override { return {400, 30}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, 30}; }

Q_SIGNALS:
    void callChosen(int call);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    const Theme &m_theme;
    std::vector<TraceKind> m_kinds;
    int m_current = -1;
};

} // namespace palimpsest
