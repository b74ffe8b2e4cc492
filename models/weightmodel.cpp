// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/weightmodel.h"

namespace palimpsest {

using namespace Qt::StringLiterals;

WeightModel::WeightModel(QString amountTitle, QObject *parent)
    : QAbstractTableModel(parent)
    , m_amountTitle(std::move(amountTitle))
{
}

void WeightModel::setRows(std::vector<Row> rows, double total)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_total = total;
    endResetModel();
}

int WeightModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int WeightModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant WeightModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const double share = m_total > 0 ? row.amount / m_total : 0;
    switch (role) {
    case AmountRole:
        return row.amount;
    case ShareRole:
        return share;
    case GroupRole:
        return row.group;
    case KeyRole:
        return QByteArray::fromStdString(row.key);
    case Qt::TextAlignmentRole:
        return index.column() == AmountColumn || index.column() == ShareColumn
            ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
            : QVariant();
    case Qt::DisplayRole:
        break;
    default:
        return {};
    }
    switch (index.column()) {
    case NameColumn:
        return row.name;
    case AmountColumn:
        return row.amountText;
    case ShareColumn:
        return row.group || m_total <= 0 ? QString() : u"%1 %"_s.arg(share * 100, 0, 'f', share < 0.1 ? 1 : 0);
    case NoteColumn:
        return row.note;
    default:
        return {};
    }
}

QVariant WeightModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn:
        return tr("Name");
    case AmountColumn:
        return m_amountTitle;
    case ShareColumn:
        return tr("Share");
    case NoteColumn:
        return tr("Note");
    default:
        return {};
    }
}

} // namespace palimpsest
