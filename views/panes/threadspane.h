// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/focus.h"
#include "models/threadlistmodel.h"

#include <QWidget>

class QLineEdit;
class QTreeView;

namespace palimpsest {

class Theme;
class ThreadFilter;

/// Threads of the source and their namespaces. Two lines a thread; the header's menu shows more columns, among them the
/// metadata's own keys.
class ThreadsPane : public QWidget {
    Q_OBJECT
public:
    ThreadsPane(Focus *focus, Theme *theme, QWidget *parent = nullptr);

    [[nodiscard]] ThreadListModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *view() const { return m_view; }
    void setRows(const std::vector<ThreadRow> &rows);
    /// Ids of the threads that are selected, with Ctrl or Shift more than one.
    [[nodiscard]] std::vector<std::string> selectedThreads() const;
    /// Adds a thread whose messages hold the text that was searched for; others are hidden.
    void addFound(const QString &threadId);

Q_SIGNALS:
    /// Other threads are selected.
    void selectionChanged();
    /// The open thread is to be held against this one.
    void compareWanted(const QString &threadId);
    /// The text is to be looked for in the messages of all threads; empty: no more.
    void searchAsked(const QString &text);

private:
    void search();
    void showChosen();
    void columnMenu(const QPoint &at);
    void threadMenu(const QPoint &at);

    Focus *m_focus;
    ThreadListModel *m_model;
    ThreadFilter *m_sorted;
    QTreeView *m_view;
    QLineEdit *m_filter;
    bool m_quiet = false;
};

} // namespace palimpsest
