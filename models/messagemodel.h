// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/focus.h"
#include "models/messagerow.h"

#include <QAbstractListModel>
#include <QHash>

namespace palimpsest {

/// A list of messages at the focused place: the raw log (removed messages stand where they stood), or the effective
/// messages. Rows are described when they are asked for, so that a log of 100,000 messages costs nothing until it is
/// seen.
class MessageModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum class List { RawLog, Effective };

    MessageModel(Focus *focus, List list, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QHash<int, QByteArray> roleNames() const override;

    [[nodiscard]] const MessageFilter &filter() const { return m_filter; }
    void setFilter(const MessageFilter &filter);

    /// Rows without a filter.
    [[nodiscard]] int total() const;
    [[nodiscard]] MessageRow describe(int row) const;
    [[nodiscard]] MessagePtr message(int row) const;
    /// The row that shows a message; -1 when none does.
    [[nodiscard]] int rowOf(const std::string &key) const;
    /// The row of a place in the raw log; -1 when it is filtered out or not in this list.
    [[nodiscard]] int rowOf(MessageIndex index) const;
    /// The row of an effective place; -1 when filtered out, or in the raw log.
    [[nodiscard]] int rowOf(EffectiveIndex index) const;
    /// Place in the raw log of a row; invalid for a summary or a tombstone.
    [[nodiscard]] MessageIndex indexAt(int row) const;
    [[nodiscard]] std::vector<StripBar> strip() const;
    [[nodiscard]] ScenePtr scene() const { return m_scene; }
    [[nodiscard]] List list() const { return m_list; }

Q_SIGNALS:
    /// The same list at another place of the same thread, or other rows by a filter; comes after the reset.
    void listChanged();

private:
    struct Slot {
        std::int64_t at = 0; ///< place in the list, or of the tombstone
        bool tombstone = false;
    };
    void onScene();
    void onChosen(const Place &now, const Place &before);
    void onFindings();
    void addFindings(MessageRow &row, const Message &message) const;
    /// The body that the selection asks for instead of the one in force; null: none.
    [[nodiscard]] MessagePtr versionOf(const Message &message) const;
    void layRows();
    [[nodiscard]] Slot slotAt(int row) const;
    [[nodiscard]] const MessageLog &log() const;
    [[nodiscard]] bool inContext(std::int64_t at) const;

    Focus *m_focus;
    List m_list;
    MessageFilter m_filter;
    ScenePtr m_scene;
    bool m_plain = true; ///< rows are places of the list: no filter, no tombstones
    std::vector<Slot> m_rows;
    mutable QHash<int, MessageRow> m_described; ///< of rows that were seen; emptied when it grows large
};

} // namespace palimpsest
