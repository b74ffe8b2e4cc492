// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

#include <QAbstractItemModel>
#include <QStringList>

namespace palimpsest {

/// Threads of the open source, their namespaces below them. Columns: what the thread is about, agent, model, what it
/// waits for, events, checkpoints, messages, last change, and one for each key of the checkpoints' metadata.
class ThreadListModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Title, Agent, Model, Waiting, Events, Checkpoints, Messages, Last, FirstMetadata };
    enum Role {
        ThreadId = Qt::UserRole + 1, ///< QString
        Namespace, ///< QString; null for a thread's row
        Detail, ///< QString: the second line
        HasError, ///< bool
        IsWaiting, ///< bool
        SortValue, ///< a number or text to sort by
    };

    explicit ThreadListModel(QObject *parent = nullptr);

    void setRows(std::vector<ThreadRow> rows);
    /// Names of subagents, once a thread is read.
    void setThread(const ThreadPtr &thread);
    [[nodiscard]] QModelIndex find(const std::string &thread, const std::string &ns) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QVariant threadData(const ThreadRow &row, int column, int role) const;
    [[nodiscard]] QVariant spaceData(const ThreadRow &row, const ThreadRow::Space &space, int column, int role) const;

    std::vector<ThreadRow> m_rows;
    QStringList m_metadata;
    ThreadPtr m_thread;
};

} // namespace palimpsest
