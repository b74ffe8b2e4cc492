// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/threadreader.h"

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace palimpsest {

/// Every channel of a checkpoint as a tree. Children of lists, maps and tagged objects are made when they are first
/// looked at. A channel whose reducer is not known shows its snapshot and its writes, never a guess; a stored null and
/// a value that cannot be rebuilt are told apart.
class StateModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { NameColumn, ValueColumn, TypeColumn, ColumnCount };
    enum Role {
        ChangedRole = Qt::UserRole + 1, ///< bool: the channel changed at this checkpoint
        UndecodableRole, ///< bool: it cannot be rebuilt or read
        PathRole, ///< "messages[3].content": as Python would reach it
        CopyRole, ///< the value: text as it is, all else as JSON
        KindRole, ///< Value::Kind as int
        ChannelRole ///< bool: a channel, not a part of one
    };
    struct Node;

    explicit StateModel(QObject *parent = nullptr);
    ~StateModel() override;

    void setChannels(std::vector<ChannelState> channels);
    /// Only channels that changed; only channels whose name holds `text`.
    void setFilter(bool onlyChanged, const QString &text);
    [[nodiscard]] int channelCount() const;
    [[nodiscard]] int changedCount() const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &child) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void rebuild();
    [[nodiscard]] Node *nodeOf(const QModelIndex &index) const;

    std::vector<ChannelState> m_channels;
    std::unique_ptr<Node> m_root;
    bool m_onlyChanged = false;
    QString m_text;
};

} // namespace palimpsest
