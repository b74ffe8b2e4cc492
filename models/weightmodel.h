// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include <cstdint>
#include <string>
#include <vector>

namespace palimpsest {

/// Names and what they weigh, in groups: bytes of a file, tokens of a request.
class WeightModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { NameColumn, AmountColumn, ShareColumn, NoteColumn, ColumnCount };
    enum Role {
        AmountRole = Qt::UserRole + 1, ///< double
        ShareRole, ///< of the largest total, 0 to 1
        GroupRole, ///< bool: the head of a group
        KeyRole ///< QByteArray: what the row stands for; empty: nothing to go to
    };
    struct Row {
        QString name;
        double amount = 0;
        QString amountText;
        QString note;
        bool group = false;
        std::string key;
    };

    explicit WeightModel(QString amountTitle, QObject *parent = nullptr);

    /// `total` is what shares are of.
    void setRows(std::vector<Row> rows, double total);
    [[nodiscard]] const std::vector<Row> &rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString m_amountTitle;
    std::vector<Row> m_rows;
    double m_total = 0;
};

} // namespace palimpsest
