// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/survivalmodel.h"

#include "models/display.h"

namespace palimpsest {

using namespace Qt::StringLiterals;

SurvivalModel::SurvivalModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void SurvivalModel::setTrace(TracePtr trace)
{
    beginResetModel();
    m_trace = std::move(trace);
    endResetModel();
}

int SurvivalModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_trace ? 0 : static_cast<int>(m_trace->survival.size());
}

int SurvivalModel::columnCount(const QModelIndex &parent) const
{
    // The archive comes last.
    return parent.isValid() ? 0 : FirstSummary + 1 + (m_trace ? static_cast<int>(m_trace->summaries.size()) : 0);
}

QVariant SurvivalModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const TermSurvival &row = m_trace->survival[static_cast<std::size_t>(index.row())];
    if (index.column() == TermColumn)
        return role == Qt::DisplayRole || role == Qt::ToolTipRole ? QVariant(toQString(row.term.text)) : QVariant();
    const auto summary = static_cast<std::size_t>(index.column() - FirstSummary);
    const bool kept = index.column() == WindowColumn ? row.window
        : summary < row.summaries.size()             ? row.summaries[summary]
                                                     : row.archive;
    if (role == KeptRole)
        return kept;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignCenter));
    // A sign and a word, not a colour alone.
    return role == Qt::DisplayRole ? QVariant(kept ? tr("✓ there") : tr("– gone")) : QVariant();
}

QVariant SurvivalModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    if (section == TermColumn)
        return tr("Key term");
    if (section == WindowColumn)
        return tr("Last request");
    const auto summary = static_cast<std::size_t>(section - FirstSummary);
    if (m_trace && summary < m_trace->summaries.size())
        return tr("Summary of call %1").arg(m_trace->summaries[summary] + 1);
    return tr("Archive");
}

} // namespace palimpsest
