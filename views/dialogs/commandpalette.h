// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>
#include <QPointer>

class QAction;
class QLineEdit;
class QListWidget;

namespace palimpsest {

class Theme;

/// Every action of the window, found by typing some of its letters. Return runs the chosen one.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    CommandPalette(const Theme &theme, const QList<QAction *> &actions, QWidget *parent = nullptr);

    /// Texts that are listed now, the best first.
    [[nodiscard]] QStringList shown() const;
    [[nodiscard]] QLineEdit *field() const { return m_field; }

    /// The action's text without mnemonics and dots.
    static QString plainText(const QAction &action);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &pattern);
    void run();

    const Theme &m_theme;
    QList<QPointer<QAction>> m_actions;
    QLineEdit *m_field;
    QListWidget *m_list;
};

} // namespace palimpsest
