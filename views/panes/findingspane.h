// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/finding.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace palimpsest {

class FindingsModel;
class Focus;
class Theme;

/// What is wrong or lost, grouped by rule. A click goes to the place.
class FindingsPane : public QWidget {
    Q_OBJECT
public:
    explicit FindingsPane(const Theme &theme, QWidget *parent = nullptr);

    /// Shows the findings of the focus' thread and goes to a finding's place through its selection.
    void follow(Focus *focus);
    /// Findings beside the thread's own: of rules run over it.
    void setFindings(std::vector<Finding> findings);
    [[nodiscard]] FindingsModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *tree() const { return m_tree; }

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
    std::vector<Finding> m_extra;
    FindingsModel *m_model;
    QTreeView *m_tree;
    QLabel *m_head;
    QComboBox *m_severity;
    QLineEdit *m_filter;
};

} // namespace palimpsest
