// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/decisionsmodel.h"

#include "models/display.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostDecided = 4000;

QString numberText(std::int64_t number)
{
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(number));
}

QString numberText(const std::optional<std::int64_t> &number)
{
    return number ? numberText(*number) : QString();
}

QString cutoffText(const CallDecision &decision)
{
    if (!decision.cutoff)
        return {};
    QString text = numberText(*decision.cutoff);
    if (decision.wantedCutoff && *decision.wantedCutoff != *decision.cutoff)
        text = DecisionsModel::tr("%1 → safe %2").arg(numberText(*decision.wantedCutoff), text);
    if (decision.stateCutoff && *decision.stateCutoff != *decision.cutoff)
        text += DecisionsModel::tr(" (log %1)").arg(numberText(*decision.stateCutoff));
    return text;
}

QString savedText(const CallDecision &decision)
{
    QStringList parts;
    const auto add = [&parts](const QString &stage, std::int64_t tokens) {
        if (tokens != 0)
            parts << stage + u' ' + numberText(tokens);
    };
    add(DecisionsModel::tr("offload"), decision.savedByOffloading);
    add(DecisionsModel::tr("arguments"), decision.savedByTruncation);
    add(DecisionsModel::tr("summary"), decision.savedBySummary);
    add(DecisionsModel::tr("clip"), decision.savedByClip);
    return parts.join(u" · "_s);
}

QString decisionText(const CallDecision &decision)
{
    QString text = decision.decision == "no" ? DecisionsModel::tr("as it is") : toQString(decision.decision);
    if (decision.decision == "would")
        text = DecisionsModel::tr("due, nothing to cut");
    if (decision.attempts > 1)
        text += DecisionsModel::tr(", %1 attempts").arg(decision.attempts);
    return text;
}

} // namespace

DecisionsModel::DecisionsModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void DecisionsModel::setRun(WhatIfPtr run)
{
    m_run = std::move(run);
    fill();
}

void DecisionsModel::setOnlyDiffering(bool only)
{
    m_onlyDiffering = only;
    fill();
}

void DecisionsModel::setOnlyEvents(bool only)
{
    m_onlyEvents = only;
    fill();
}

void DecisionsModel::fill()
{
    std::vector<std::int32_t> rows;
    if (m_run) {
        const auto &calls = m_run->replay.calls;
        const auto &recorded = m_run->replay.input->calls();
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (m_onlyDiffering && !m_run->differs[i])
                continue;
            if (m_onlyEvents && !calls[i].result.summarize && !recorded[i].madeEvent)
                continue;
            rows.push_back(static_cast<std::int32_t>(i));
        }
    }
    m_decided.clear();
    if (rows == m_rows) { // the rows stay where they are under the hand that moves a slider
        if (!rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(rows.size()) - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int DecisionsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DecisionsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const CallDecision &DecisionsModel::decision(int row) const
{
    const std::int32_t call = m_rows[static_cast<std::size_t>(row)];
    if (m_decided.size() > mostDecided)
        m_decided.clear();
    auto found = m_decided.find(call);
    if (found == m_decided.end())
        found = m_decided.insert(call, decisionOf(*m_run, static_cast<std::size_t>(call)));
    return *found;
}

int DecisionsModel::rowOf(CallNumber call) const
{
    const auto place = static_cast<std::int32_t>(call.value - 1);
    const auto found = std::ranges::lower_bound(m_rows, place);
    return found != m_rows.end() && *found == place ? static_cast<int>(found - m_rows.begin()) : -1;
}

QVariant DecisionsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid) || !m_run)
        return {};
    const CallDecision &decision = this->decision(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        break;
    case Qt::TextAlignmentRole: {
        const int column = index.column();
        const bool number = column == Call || column == Counted || column == Reported || column == Tools
            || column == System || column == Budget || column == Sent;
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft)));
    }
    case DiffersRole:
        return decision.differs;
    case SummarizedRole:
        return decision.decision.starts_with("summarized");
    case FailedRole:
        return decision.decision.starts_with("failed");
    case NumberRole:
        return static_cast<qlonglong>(decision.call.value);
    default:
        return {};
    }
    switch (static_cast<Column>(index.column())) {
    case Call:
        return numberText(decision.call.value);
    case Counted:
        return numberText(decision.counted);
    case Reported:
        return numberText(decision.reported);
    case Tools:
        return numberText(decision.tools);
    case System:
        return numberText(decision.system);
    case Thresholds:
        return toQString(decision.thresholds);
    case Budget:
        return numberText(decision.budget);
    case Decision:
        return decisionText(decision);
    case Why:
        return toQString(decision.why);
    case Cutoff:
        return cutoffText(decision);
    case Saved:
        return savedText(decision);
    case Sent:
        return numberText(decision.sent);
    case Recorded:
        return toQString(decision.recorded);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant DecisionsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (static_cast<Column>(section)) {
    case Call:
        return tip ? tr("Model call") : tr("Call");
    case Counted:
        return tip ? tr("Tokens that the decision counted, with tools and system prompt") : tr("Counted");
    case Reported:
        return tip ? tr("Tokens that the last answer reports, where they count") : tr("Reported");
    case Tools:
        return tip ? tr("Tokens of tool schemas in the count") : tr("Tools");
    case System:
        return tip ? tr("Tokens of the system prompt in the count") : tr("System");
    case Thresholds:
        return tip ? tr("Each clause of the trigger with what it was held against") : tr("Thresholds");
    case Budget:
        return tip ? tr("Input budget of the window, where the dialect keeps one") : tr("Budget");
    case Decision:
        return tip ? tr("What was done") : tr("Decision");
    case Why:
        return tip ? tr("Why, or how far it was from it") : tr("Why");
    case Cutoff:
        return tip ? tr("First kept message: as keep asks → made safe (in the raw log)") : tr("Cutoff");
    case Saved:
        return tip ? tr("Tokens that each stage took off") : tr("Saved");
    case Sent:
        return tip ? tr("Tokens of the attempt that the provider took") : tr("Sent");
    case Recorded:
        return tip ? tr("What the recording did at this call") : tr("Recorded");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace palimpsest
