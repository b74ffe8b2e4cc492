// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/threadlistmodel.h"

#include "core/values/json.h"
#include "models/counted.h"
#include "models/display.h"

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostMetadata = 40;

QString brief(const Value &value)
{
    return value.isText() ? toQString(value.asText()) : value.isNil() ? QString() : toQString(toJson(value)).left(200);
}

QVariant number(const std::optional<std::int64_t> &value)
{
    return value ? QVariant(static_cast<qlonglong>(*value)) : QVariant();
}

/// "2026-11-30 17:46" of an ISO 8601 time.
QString shortTime(const std::string &iso)
{
    return toQString(iso).left(16).replace(u'T', u' ');
}

} // namespace

ThreadListModel::ThreadListModel(QObject *parent)
    : QAbstractItemModel(parent)
{
}

void ThreadListModel::setRows(std::vector<ThreadRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    // The newest on top: that is what one comes for.
    std::ranges::stable_sort(m_rows, std::greater<>(), &ThreadRow::last);
    m_metadata.clear();
    for (const ThreadRow &row : m_rows) {
        for (const auto &[key, value] : row.metadata.asMap()) {
            const QString name = toQString(key.asText());
            if (m_metadata.size() < mostMetadata && !name.isEmpty() && !m_metadata.contains(name))
                m_metadata << name;
        }
    }
    endResetModel();
}

void ThreadListModel::setThread(const ThreadPtr &thread)
{
    m_thread = thread;
    for (int row = 0; row < rowCount(); ++row) {
        const QModelIndex parent = index(row, 0);
        if (thread && m_rows[static_cast<std::size_t>(row)].id == thread->id && rowCount(parent) > 0)
            Q_EMIT dataChanged(index(0, 0, parent), index(rowCount(parent) - 1, columnCount() - 1, parent));
    }
}

QModelIndex ThreadListModel::find(const std::string &thread, const std::string &ns) const
{
    const auto row = std::ranges::find(m_rows, thread, &ThreadRow::id);
    if (row == m_rows.end())
        return {};
    const QModelIndex parent = index(static_cast<int>(row - m_rows.begin()), 0);
    const auto space = std::ranges::find(row->namespaces, ns, &ThreadRow::Space::name);
    if (ns.empty() || space == row->namespaces.end() || rowCount(parent) == 0)
        return parent;
    return index(static_cast<int>(space - row->namespaces.begin()), 0, parent);
}

QModelIndex ThreadListModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    // The id is the thread's row + 1 for a namespace, 0 for a thread.
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex ThreadListModel::parent(const QModelIndex &index) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::DoNotUseParent)
        || index.internalId() == 0)
        return {};
    return createIndex(static_cast<int>(index.internalId() - 1), 0, quintptr{0});
}

int ThreadListModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_rows.size());
    if (!checkIndex(parent) || parent.internalId() != 0 || parent.column() != 0)
        return 0;
    const std::size_t spaces = m_rows[static_cast<std::size_t>(parent.row())].namespaces.size();
    return spaces > 1 ? static_cast<int>(spaces) : 0; // a root alone needs no row of its own
}

int ThreadListModel::columnCount(const QModelIndex &) const
{
    return FirstMetadata + static_cast<int>(m_metadata.size());
}

QVariant ThreadListModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (index.internalId() == 0)
        return threadData(m_rows[static_cast<std::size_t>(index.row())], index.column(), role);
    const ThreadRow &row = m_rows[static_cast<std::size_t>(index.internalId() - 1)];
    return spaceData(row, row.namespaces[static_cast<std::size_t>(index.row())], index.column(), role);
}

QVariant ThreadListModel::threadData(const ThreadRow &row, int column, int role) const
{
    switch (role) {
    case ThreadId:
        return toQString(row.id);
    case HasError:
        return row.error.has_value();
    case IsWaiting:
        return row.waiting.has_value();
    case Detail: {
        QStringList parts;
        if (row.error)
            parts << tr("failed");
        else if (row.waiting)
            parts << tr("waits");
        if (row.agent)
            parts << toQString(*row.agent);
        // What tells threads with the same words apart comes first: a narrow list cuts the end.
        parts << shortTime(row.last);
        if (row.events && *row.events > 0)
            parts << counted(*row.events, tr("event"), tr("events"));
        parts << counted(row.checkpoints, tr("checkpoint"), tr("checkpoints"));
        return parts.join(u" · "_s);
    }
    case Qt::ToolTipRole: {
        QString text =
            toQString(row.title) + u'\n' + toQString(row.id) + u'\n' + threadData(row, column, Detail).toString();
        if (row.error)
            text += u'\n' + toQString(*row.error).left(400);
        if (row.waiting)
            text += u'\n' + toQString(*row.waiting).left(400);
        return text;
    }
    case Qt::DisplayRole:
    case SortValue:
        break;
    default:
        return {};
    }
    switch (column) {
    case Title:
        return row.title.empty() ? toQString(row.id) : toQString(row.title).simplified();
    case Agent:
        return row.agent ? toQString(*row.agent) : QString();
    case Model:
        return row.model ? toQString(*row.model) : QString();
    case Waiting:
        return row.error  ? toQString(*row.error).left(300)
            : row.waiting ? toQString(*row.waiting).left(300)
                          : QString();
    case Events:
        return number(row.events);
    case Checkpoints:
        return static_cast<qlonglong>(row.checkpoints);
    case Messages:
        return number(row.messages);
    case Last:
        return shortTime(row.last);
    default:
        return brief(row.metadata[fromQString(m_metadata.value(column - FirstMetadata))]);
    }
}

QVariant ThreadListModel::spaceData(const ThreadRow &row, const ThreadRow::Space &space, int column, int role) const
{
    const SubagentLink *link = nullptr;
    if (m_thread && m_thread->id == row.id) {
        const auto found = std::ranges::find(m_thread->subagents, space.name, &SubagentLink::ns);
        link = found == m_thread->subagents.end() ? nullptr : &*found;
    }
    switch (role) {
    case ThreadId:
        return toQString(row.id);
    case Namespace:
        return toQString(space.name);
    case HasError:
    case IsWaiting:
        return false;
    case Detail: {
        QStringList parts;
        if (link && !link->description.empty())
            parts << toQString(link->description).simplified().left(80);
        if (space.events && *space.events > 0)
            parts << counted(*space.events, tr("event"), tr("events"));
        parts << counted(space.checkpoints, tr("checkpoint"), tr("checkpoints"));
        return parts.join(u" · "_s);
    }
    case Qt::ToolTipRole:
        return space.name.empty() ? tr("root namespace") : toQString(space.name);
    case Qt::DisplayRole:
    case SortValue:
        break;
    default:
        return {};
    }
    switch (column) {
    case Title:
        if (space.name.empty())
            return tr("root");
        return link && !link->agent.empty() ? toQString(link->agent) : toQString(space.name).left(24);
    case Events:
        return number(space.events);
    case Checkpoints:
        return static_cast<qlonglong>(space.checkpoints);
    default:
        return {};
    }
}

QVariant ThreadListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Title:
        return tr("First words");
    case Agent:
        return tr("Agent");
    case Model:
        return tr("Model");
    case Waiting:
        return tr("Error or interrupt");
    case Events:
        return tr("Events");
    case Checkpoints:
        return tr("Checkpoints");
    case Messages:
        return tr("Messages");
    case Last:
        return tr("Last change");
    default:
        return m_metadata.value(section - FirstMetadata);
    }
}

} // namespace palimpsest
