// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/transcript/redaction.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QToolButton;
class QTreeWidget;

namespace palimpsest {

class Theme;

/// What is to be taken out of an export: the standard rules, expressions of the user's own, and a list of every hit.
class RedactionForm : public QWidget {
    Q_OBJECT
public:
    explicit RedactionForm(const Theme &theme, QWidget *parent = nullptr);

    [[nodiscard]] RedactionRules rules() const;
    void setRules(const RedactionRules &rules);
    /// What would be replaced, as a preview found it.
    void setHits(const std::vector<RedactionHit> &hits);
    /// Hits that are shown belong to other rules.
    void forgetHits();

    [[nodiscard]] QTreeWidget *hits() const { return m_hits; }

Q_SIGNALS:
    void rulesChanged();
    void previewWanted();

private:
    void addRule(const QString &name, const QString &pattern);
    void removeRule();
    void onChange();

    const Theme &m_theme;
    QCheckBox *m_standard;
    QTableWidget *m_own;
    QToolButton *m_remove;
    QPushButton *m_preview;
    QLabel *m_count;
    QTreeWidget *m_hits;
};

} // namespace palimpsest
