// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/focus.h"
#include "models/threadlistmodel.h"

#include <QWidget>

class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace palimpsest {

class Theme;

/// Threads of the source and their namespaces. Two lines a thread; the header's menu shows more columns, among them the
/// metadata's own keys.
class ThreadsPane : public QWidget {
    Q_OBJECT
public:
    ThreadsPane(Focus *focus, Theme *theme, QWidget *parent = nullptr);

    [[nodiscard]] ThreadListModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *view() const { return m_view; }
    void setRows(const std::vector<ThreadRow> &rows);

private:
    void showChosen();
    void columnMenu(const QPoint &at);

    Focus *m_focus;
    ThreadListModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTreeView *m_view;
    QLineEdit *m_filter;
    bool m_quiet = false;
};

} // namespace palimpsest
