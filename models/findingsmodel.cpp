// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findingsmodel.h"

#include "models/display.h"

#include <algorithm>
#include <map>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr quintptr groupId = 0; // an index of a group; of a finding it is the group's row + 1

QByteArray bytesOf(const std::string &text)
{
    return QByteArray::fromStdString(text);
}

QString placeWords(const Finding &finding)
{
    QStringList words;
    if (!finding.checkpointNs.empty())
        words << toQString(finding.checkpointNs);
    if (!finding.checkpointId.empty())
        words << u"checkpoint "_s + toQString(finding.checkpointId).right(12);
    if (finding.messageId)
        words << u"message "_s + toQString(*finding.messageId).left(13);
    if (finding.block)
        words << u"block %1"_s.arg(*finding.block);
    if (finding.path)
        words << toQString(*finding.path);
    return words.isEmpty() ? u"the whole thread"_s : words.join(u" · "_s);
}

} // namespace

FindingsModel::FindingsModel(QObject *parent)
    : QAbstractItemModel(parent)
{
}

void FindingsModel::setFindings(std::vector<Finding> findings)
{
    beginResetModel();
    m_findings = std::move(findings);
    regroup();
    endResetModel();
}

void FindingsModel::setFilter(Finding::Severity atLeast, const QString &text)
{
    if (atLeast == m_atLeast && text == m_text)
        return;
    beginResetModel();
    m_atLeast = atLeast;
    m_text = text;
    regroup();
    endResetModel();
}

void FindingsModel::regroup()
{
    m_groups.clear();
    std::map<std::string, std::size_t> byRule;
    for (std::size_t i = 0; i < m_findings.size(); ++i) {
        const Finding &finding = m_findings[i];
        if (finding.severity < m_atLeast)
            continue;
        if (!m_text.isEmpty() && !toQString(finding.message).contains(m_text, Qt::CaseInsensitive)
            && !toQString(finding.rule).contains(m_text, Qt::CaseInsensitive)
            && !placeWords(finding).contains(m_text, Qt::CaseInsensitive))
            continue;
        const auto [it, isNew] = byRule.try_emplace(finding.rule, m_groups.size());
        if (isNew)
            m_groups.push_back({finding.rule, finding.severity, {}});
        Group &group = m_groups[it->second];
        group.worst = std::max(group.worst, finding.severity);
        group.findings.push_back(i);
    }
    std::ranges::stable_sort(m_groups, [](const Group &a, const Group &b) { return a.worst > b.worst; });
}

int FindingsModel::shownCount() const
{
    int count = 0;
    for (const Group &group : m_groups)
        count += static_cast<int>(group.findings.size());
    return count;
}

int FindingsModel::count(Finding::Severity severity) const
{
    return static_cast<int>(std::ranges::count(m_findings, severity, &Finding::severity));
}

const Finding *FindingsModel::findingAt(const QModelIndex &index) const
{
    if (!index.isValid() || !checkIndex(index, CheckIndexOption::IndexIsValid) || index.internalId() == groupId)
        return nullptr;
    const Group &group = m_groups[static_cast<std::size_t>(index.internalId() - 1)];
    return &m_findings[group.findings[static_cast<std::size_t>(index.row())]];
}

QModelIndex FindingsModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : groupId);
}

QModelIndex FindingsModel::parent(const QModelIndex &child) const
{
    if (!child.isValid() || !checkIndex(child, CheckIndexOption::IndexIsValid | CheckIndexOption::DoNotUseParent)
        || child.internalId() == groupId)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, groupId);
}

int FindingsModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (!checkIndex(parent) || parent.column() != 0 || parent.internalId() != groupId)
        return 0;
    return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].findings.size());
}

int FindingsModel::columnCount(const QModelIndex &parent) const
{
    if (parent.isValid() && !checkIndex(parent))
        return 0;
    return ColumnCount;
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    if (section == MessageColumn)
        return tr("What and why");
    return section == PlaceColumn ? tr("Where") : QVariant();
}

QVariant FindingsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (index.internalId() == groupId) {
        const Group &group = m_groups[static_cast<std::size_t>(index.row())];
        switch (role) {
        case Qt::DisplayRole:
            return index.column() == MessageColumn
                ? toQString(group.rule)
                : (group.findings.size() == 1 ? tr("1 finding") : tr("%1 findings").arg(group.findings.size()));
        case SeverityRole:
            return static_cast<int>(group.worst);
        case IsGroupRole:
            return true;
        case RuleRole:
            return toQString(group.rule);
        default:
            return {};
        }
    }
    const Finding &finding = *findingAt(index);
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == MessageColumn ? toQString(finding.message) : placeWords(finding);
    case Qt::ToolTipRole:
        return toQString(finding.message) + u'\n' + toQString(prettyJson(finding.evidence, 1500));
    case SeverityRole:
        return static_cast<int>(finding.severity);
    case IsGroupRole:
        return false;
    case NamespaceRole:
        return bytesOf(finding.checkpointNs);
    case CheckpointRole:
        return bytesOf(finding.checkpointId);
    case MessageIdRole:
        return bytesOf(finding.messageId.value_or(std::string()));
    case FileRole:
        return bytesOf(finding.path.value_or(std::string()));
    case EvidenceRole:
        return toQString(prettyJson(finding.evidence));
    case RuleRole:
        return toQString(finding.rule);
    default:
        return {};
    }
}

} // namespace palimpsest
