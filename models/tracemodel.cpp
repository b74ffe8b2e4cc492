// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tracemodel.h"

#include "core/values/json.h"
#include "models/display.h"

#include <QCoreApplication>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Trace", text);
}

QString callsText(std::size_t from, std::size_t to)
{
    return from == to ? QString::number(from + 1) : u"%1–%2"_s.arg(from + 1).arg(to + 1);
}

} // namespace

QString traceKindText(TraceKind kind)
{
    switch (kind) {
    case TraceKind::NotYet:
        return tr("not yet");
    case TraceKind::Verbatim:
        return tr("in the request");
    case TraceKind::ArgumentTruncated:
        return tr("argument shortened");
    case TraceKind::StubPreview:
        return tr("in a stub's preview");
    case TraceKind::File:
        return tr("in a file");
    case TraceKind::Summary:
        return tr("in a summary");
    case TraceKind::Similar:
        return tr("similar text");
    case TraceKind::Archive:
        return tr("in the archive");
    case TraceKind::Nowhere:
        break;
    }
    return tr("nowhere");
}

QString traceVerdict(const Trace &trace)
{
    if (!trace.found)
        return tr("It is nowhere in this namespace: in no message, file or summary.");
    if (!trace.lostAt)
        return trace.losses.empty() ? tr("The model never lost it.")
                                    : tr("It was lost at call %1 and is back.").arg(trace.losses.front().call + 1);
    const TraceLoss &loss = *trace.lostAt;
    QString text = tr("Lost at call %1: %2").arg(loss.call + 1).arg(toQString(loss.stage));
    if (!loss.setting.empty())
        text += u" ("_s + toQString(loss.setting) + u')';
    return text + u". "_s + toQString(loss.why);
}

TraceModel::TraceModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void TraceModel::setTrace(TracePtr trace, ThreadPtr thread, const std::string &ns)
{
    beginResetModel();
    m_rows.clear();
    m_trace = std::move(trace);
    m_thread = std::move(thread);
    const std::size_t count = m_trace && m_thread && m_thread->find(ns) ? m_trace->calls.size() : 0;
    for (std::size_t from = 0; from < count;) {
        std::size_t to = from;
        while (to + 1 < count && m_trace->calls[to + 1].where == m_trace->calls[from].where)
            ++to;
        bool first = true;
        for (const TracePlacePtr &place : m_trace->calls[from].where) {
            m_rows.push_back({from, to, place, first});
            first = false;
        }
        from = to + 1;
    }
    endResetModel();
}

const TracePlace *TraceModel::placeAt(const QModelIndex &index) const
{
    if (!index.isValid() || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return nullptr;
    return m_rows[static_cast<std::size_t>(index.row())].place.get();
}

int TraceModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TraceModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString TraceModel::placeText(const Row &row) const
{
    const TracePlace &place = *row.place;
    if (!place.path.empty()) {
        QString text = toQString(place.path) + u':' + QString::number(place.line);
        if (place.section)
            text += tr(", section %1").arg(*place.section + 1);
        if (!place.readable)
            text += tr(", not readable");
        const auto back = m_trace->readBack.find(place.path);
        if (back != m_trace->readBack.end())
            text += tr(", read back for call %1").arg(back->second.front() + 1);
        return text;
    }
    return place.messageId ? toQString(*place.messageId) : QString();
}

QVariant TraceModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case KindRole:
        return static_cast<int>(row.place->kind);
    case FirstCallRole:
        return static_cast<qlonglong>(row.from);
    case FirstOfRunRole:
        return row.first;
    case Qt::ToolTipRole:
        if (row.place->kind == TraceKind::Similar) {
            QStringList shared;
            for (const std::string &term : row.place->shared)
                shared << toQString(term);
            QStringList missing;
            for (const std::string &term : row.place->missing)
                missing << toQString(term);
            return tr("Similar text, not verified meaning.\nShares: %1\nLacks: %2")
                .arg(shared.join(u", "_s), missing.isEmpty() ? tr("nothing") : missing.join(u", "_s));
        }
        return toQString(row.place->text);
    case Qt::DisplayRole:
        break;
    default:
        return {};
    }
    switch (index.column()) {
    case CallsColumn:
        return row.first ? callsText(row.from, row.to) : QString();
    case KindColumn:
        return traceKindText(row.place->kind);
    case PlaceColumn:
        return placeText(row);
    case TextColumn:
        return toQString(row.place->text).simplified();
    default:
        return {};
    }
}

QVariant TraceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case CallsColumn:
        return tr("Calls");
    case KindColumn:
        return tr("Where");
    case PlaceColumn:
        return tr("Place");
    case TextColumn:
        return tr("Text");
    default:
        return {};
    }
}

} // namespace palimpsest
