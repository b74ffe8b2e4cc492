// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QLineEdit;

namespace palimpsest {

class Theme;

/// The line above a list: what the list shows, in words, and a field that filters it. Other filters stand between the
/// two.
class PaneHead : public QWidget {
    Q_OBJECT
public:
    PaneHead(const Theme &theme, const QString &placeholder, QWidget *parent = nullptr);

    void setText(const QString &text);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QLineEdit *filter() const { return m_filter; }
    /// Puts a widget before the field.
    void addWidget(QWidget *widget);

private:
    void restyle();

    const Theme &m_theme;
    QHBoxLayout *m_row;
    QLabel *m_text;
    QLineEdit *m_filter;
};

} // namespace palimpsest
