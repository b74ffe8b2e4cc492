// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace palimpsest {

class Theme;

/// A part of a form under a heading that folds it away; by key as well as by click.
class Section : public QWidget {
    Q_OBJECT
public:
    Section(const Theme &theme, const QString &title, bool open, QWidget *parent = nullptr);

    void add(QWidget *row);
    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const;

private:
    QToolButton *m_head;
    QWidget *m_body;
    QVBoxLayout *m_rows;
};

} // namespace palimpsest
