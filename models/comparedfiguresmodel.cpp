// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/comparedfiguresmodel.h"

#include "models/display.h"

#include <QLocale>

#include <algorithm>
#include <functional>
#include <set>

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
    fill();
    endResetModel();
}

void ComparedFiguresModel::fill()
{
    m_rows.clear();
    if (!m_comparison)
        return;
    const auto add = [this](const QString &name, const QString &tip, bool lessIsBetter,
                         const std::function<std::optional<double>(const RunSummary &)> &figure, int decimals = 0) {
        Row row{name, tip, {}, decimals, lessIsBetter};
        for (std::size_t column = 0; column < Comparison::columnCount; ++column)
            if (const auto &run = m_comparison->columns[column])
                row.values[column] = figure(*run);
        if (std::ranges::any_of(row.values, [](const auto &value) { return value.has_value(); }))
            m_rows.push_back(std::move(row));
    };
    const auto whole = [](std::int64_t RunFigures::*figure) {
        return [figure](const RunSummary &run) { return std::optional(static_cast<double>(run.figures.*figure)); };
    };
    add(tr("Calls"), tr("Model calls"), false, whole(&RunFigures::calls));
    add(tr("Events"), tr("Summarization events"), true, whole(&RunFigures::events));
    add(tr("Summaries made"), tr("Those of refused and failing calls included"), true, whole(&RunFigures::summaries));
    add(tr("Tokens sent"), tr("Over all calls, with tools and system prompt"), true, whole(&RunFigures::tokensSent));
    add(tr("Largest request"), tr("Tokens, with tools and system prompt"), true, whole(&RunFigures::peakTokens));
    add(tr("Summary prompts"), tr("Tokens of the prompts that were summarized"), true,
        whole(&RunFigures::summaryTokens));
    add(tr("Kept at the end"), tr("Tokens of the last request, without tools and system prompt"), false,
        whole(&RunFigures::tokensKeptAtEnd));
    std::set<std::string> roles;
    for (const auto &run : m_comparison->columns)
        if (run)
            for (const auto &[role, tokens] : run->keptByRole)
                roles.insert(role);
    for (const std::string &role : roles)
        add(tr("   of it %1").arg(toQString(role)), tr("Tokens of the last request"), false,
            [role](const RunSummary &run) -> std::optional<double> {
                const auto found = run.keptByRole.find(role);
                return found == run.keptByRole.end() ? 0.0 : static_cast<double>(found->second);
            });
    add(tr("Out of context at the end"), tr("Messages of the log that the last request does not hold"), true,
        [](const RunSummary &run) { return std::optional(static_cast<double>(run.outOfContextAtEnd)); });
    add(tr("Archive bytes"), tr("Written to conversation_history"), false,
        [](const RunSummary &run) { return std::optional(static_cast<double>(run.archiveBytes)); });
    add(tr("Cached input"), tr("Tokens that the provider's prompt cache would have served"), false,
        [](const RunSummary &run) { return std::optional(static_cast<double>(run.cost.cached)); });
    add(
        tr("Cost in dollars"), tr("By the prices of the settings"), true,
        [](const RunSummary &run) { return run.cost.dollars; }, 4);
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
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto &value = row.values[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return value ? QLocale(QLocale::English).toString(*value, 'f', row.decimals) : QString();
    case Qt::ToolTipRole:
        return row.tip;
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
        return role == Qt::DisplayRole ? m_rows[static_cast<std::size_t>(section)].name
                                       : m_rows[static_cast<std::size_t>(section)].tip;
    if (!m_comparison)
        return {};
    const auto column = static_cast<std::size_t>(section);
    return toQString(role == Qt::DisplayRole ? m_comparison->shortNames[column] : m_comparison->names[column]);
}

} // namespace palimpsest
