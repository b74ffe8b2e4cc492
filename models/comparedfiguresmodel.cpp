// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/comparedfiguresmodel.h"

#include "models/display.h"

#include <QLocale>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

ComparedFiguresModel::ComparedFiguresModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void ComparedFiguresModel::setComparison(ComparisonPtr comparison)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    m_rows = m_comparison ? comparedFigures(*m_comparison) : std::vector<ComparedFigure>();
    endResetModel();
}

int ComparedFiguresModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ComparedFiguresModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(Comparison::columnCount);
}

QVariant ComparedFiguresModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ComparedFigure &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto &value = row.values[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return value ? QLocale(QLocale::English).toString(*value, 'f', row.decimals) : QString();
    case Qt::ToolTipRole:
        return toQString(row.meaning);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    case BestRole: {
        if (!value)
            return false;
        double best = *value;
        bool differ = false;
        for (const auto &other : row.values) {
            if (!other)
                continue;
            differ = differ || *other != *value;
            best = row.lessIsBetter ? std::min(best, *other) : std::max(best, *other);
        }
        return differ && row.lessIsBetter && best == *value;
    }
    default:
        return {};
    }
}

QVariant ComparedFiguresModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    if (orientation == Qt::Vertical)
        return toQString(role == Qt::DisplayRole ? m_rows[static_cast<std::size_t>(section)].name
                                                 : m_rows[static_cast<std::size_t>(section)].meaning);
    if (!m_comparison)
        return {};
    const auto column = static_cast<std::size_t>(section);
    return toQString(role == Qt::DisplayRole ? m_comparison->shortNames[column] : m_comparison->names[column]);
}

} // namespace palimpsest
