// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/finding.h"

#include <QWidget>

class QComboBox;
class QTreeView;

namespace palimpsest {

class ExplainBar;
class FindingsModel;
class Focus;
class PaneHead;
class Theme;

/// What is wrong or lost, grouped by rule. A click goes to the place.
class FindingsPane : public QWidget {
    Q_OBJECT
public:
    explicit FindingsPane(const Theme &theme, QWidget *parent = nullptr);

    /// Shows the findings of the focus' thread and goes to a finding's place through its selection.
    void follow(Focus *focus);
    [[nodiscard]] FindingsModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *tree() const { return m_tree; }
    /// Takes a provider's error text; whoever can answer it is connected to it.
    [[nodiscard]] ExplainBar *explainBar() const { return m_explain; }

Q_SIGNALS:
    void chosen(const palimpsest::Finding &finding);
    /// How many there are, filtered or not.
    void countChanged(int count);

private:
    void collect();
    void updateHead();
    void go(const Finding &finding);

    const Theme &m_theme;
    Focus *m_focus = nullptr;
    FindingsModel *m_model;
    QTreeView *m_tree;
    PaneHead *m_head;
    QComboBox *m_severity;
    ExplainBar *m_explain;
};

} // namespace palimpsest
