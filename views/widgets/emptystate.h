// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

class QLabel;

namespace palimpsest {

class Theme;

/// A widget, or while there is nothing in it to see, words that say what to do.
class EmptyState : public QStackedWidget {
    Q_OBJECT
public:
    EmptyState(const Theme &theme, QWidget *content, QWidget *parent = nullptr);

    /// Empty: the content is shown.
    void setWords(const QString &words);
    [[nodiscard]] QString words() const;

private:
    void restyle();

    const Theme &m_theme;
    QLabel *m_words;
};

} // namespace palimpsest
