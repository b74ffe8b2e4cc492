// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/comparedcallsmodel.h"

#include "models/display.h"

namespace palimpsest {

using namespace Qt::StringLiterals;

ComparedCallsModel::ComparedCallsModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void ComparedCallsModel::setComparison(ComparisonPtr comparison)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    fill();
    endResetModel();
}

void ComparedCallsModel::setAll(bool all)
{
    beginResetModel();
    m_all = all;
    fill();
    endResetModel();
}

void ComparedCallsModel::fill()
{
    m_rows.clear();
    for (std::size_t i = 0; m_comparison && i < m_comparison->calls.size(); ++i)
        if (m_all || m_comparison->calls[i].differs)
            m_rows.push_back(i);
}

const CallDifference &ComparedCallsModel::difference(int row) const
{
    return m_comparison->calls[m_rows[static_cast<std::size_t>(row)]];
}

int ComparedCallsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ComparedCallsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ComparedCallsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const CallDifference &call = difference(index.row());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() == Why ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (static_cast<Column>(index.column())) {
    case Call:
        if (call.callA >= 0 && call.callB >= 0 && call.callA != call.callB)
            return u"%1 ↔ %2"_s.arg(call.callA + 1).arg(call.callB + 1);
        return QString::number((call.callA >= 0 ? call.callA : call.callB) + 1);
    case OnlyLeft:
        return QString::number(call.onlyA);
    case OnlyRight:
        return QString::number(call.onlyB);
    case Changed:
        return QString::number(call.changed);
    case Why:
        return toQString(call.why);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant ComparedCallsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const auto name = [this](Comparison::Column column) { return toQString(m_comparison->shortNames[column]); };
    switch (static_cast<Column>(section)) {
    case Call:
        return tr("Call");
    case OnlyLeft:
        return m_comparison ? tr("only %1").arg(name(m_comparison->left)) : QString();
    case OnlyRight:
        return m_comparison ? tr("only %1").arg(name(m_comparison->right)) : QString();
    case Changed:
        return tr("changed");
    case Why:
        return tr("Why");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace palimpsest
