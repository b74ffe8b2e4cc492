// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/composition/composition.h"

#include <QWidget>

class QLabel;

namespace palimpsest {

class Focus;
class PartBar;
class Theme;
class WeightModel;
class WeightTable;

/// What the request at the place is made of, in tokens: by role, tool and kind of block, and its largest messages.
class CompositionPane : public QWidget {
    Q_OBJECT
public:
    explicit CompositionPane(const Theme &theme, QWidget *parent = nullptr);

    void follow(Focus *focus);
    [[nodiscard]] const Composition &composition() const { return m_composition; }
    [[nodiscard]] WeightModel *model() const { return m_model; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    void count();
    void fill();

    const Theme &m_theme;
    Focus *m_focus = nullptr;
    bool m_stale = true;
    Composition m_composition;
    WeightModel *m_model;
    QLabel *m_head;
    PartBar *m_bar;
    WeightTable *m_table;
};

} // namespace palimpsest
