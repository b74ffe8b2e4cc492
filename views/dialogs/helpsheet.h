// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>

class QAction;

namespace palimpsest {

class Theme;

/// Every key on one page: those of the actions, grouped by their menus, and those inside panes; and the words that this
/// program uses.
class HelpSheet : public QDialog {
    Q_OBJECT
public:
    struct Group {
        QString title;
        QList<QAction *> actions;
    };
    HelpSheet(const Theme &theme, const QList<Group> &groups, QWidget *parent = nullptr);

    /// The page as HTML.
    [[nodiscard]] static QString html(const Theme &theme, const QList<Group> &groups);
};

/// What the program is, its version, its licence, and the libraries it stands on.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    explicit AboutDialog(const Theme &theme, const QString &version, QWidget *parent = nullptr);
};

} // namespace palimpsest
