// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/whatif.h"

#include <QWidget>

class QComboBox;
class QTableView;

namespace palimpsest {

class DecisionsModel;
class ElidedLabel;
class Focus;
class Theme;

/// Why each call was compacted or not, under the settings of the tuning pane. A click goes to the call.
class DecisionsPane : public QWidget {
    Q_OBJECT
public:
    explicit DecisionsPane(const Theme &theme, QWidget *parent = nullptr);

    /// Goes to calls through the focus' selection and marks the one at its place.
    void follow(Focus *focus);
    void setRun(const WhatIfPtr &run);
    [[nodiscard]] WhatIfPtr run() const;
    [[nodiscard]] DecisionsModel *model() const { return m_model; }
    [[nodiscard]] QTableView *table() const { return m_table; }
    [[nodiscard]] QComboBox *filter() const { return m_filter; }

private:
    void updateHead();
    void markPlace();
    void choose(const QModelIndex &index);

    const Theme &m_theme;
    Focus *m_focus = nullptr;
    DecisionsModel *m_model;
    QTableView *m_table;
    ElidedLabel *m_head;
    QComboBox *m_filter;
};

} // namespace palimpsest
