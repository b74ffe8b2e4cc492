// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/search.h"

#include <QWidget>
#include <functional>

class QLabel;
class QLineEdit;
class QToolButton;

namespace palimpsest {

class Focus;
class MessageList;
class Theme;

/// Searches all panes at the focused place: hits by pane, next and previous. Whatever is typed may also be an id:
/// Return goes there.
class SearchBar : public QWidget {
    Q_OBJECT
public:
    /// Starts a search; the answer comes back through `setAnswer`. The newest wins.
    using Start = std::function<void(const QString &needle)>;
    /// Goes to an id; false when nothing has it.
    using GoTo = std::function<bool(const QString &id)>;

    SearchBar(QLineEdit *field, Focus *focus, Theme *theme, Start start, GoTo goTo, QWidget *parent = nullptr);

    void setAnswer(const SearchAnswer &answer);
    [[nodiscard]] const SearchAnswer &answer() const { return m_answer; }
    /// The hit that is shown, from 0; -1 before the first.
    [[nodiscard]] int current() const { return m_current; }
    void step(int direction);
    [[nodiscard]] QLabel *counts() const { return m_counts; }

Q_SIGNALS:
    /// Hits for the lists to mark.
    void answered();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void show(int hit);
    void showCounts();

    QLineEdit *m_field;
    Focus *m_focus;
    Theme *m_theme;
    Start m_start;
    GoTo m_goTo;
    QLabel *m_counts;
    QToolButton *m_previous;
    QToolButton *m_next;
    SearchAnswer m_answer;
    int m_current = -1;
};

} // namespace palimpsest
