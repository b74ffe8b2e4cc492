// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/requestdiffmodel.h"

#include "models/display.h"

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shownText = 160;

QString firstWords(const Message &message)
{
    const std::string text = textOf(message);
    return toQString(text.substr(0, std::size_t{shownText} * 4)).simplified().left(shownText);
}

} // namespace

RequestDiffModel::RequestDiffModel(QObject *parent)
    : QAbstractListModel(parent)
{
}

void RequestDiffModel::setRequests(std::vector<MessagePtr> a, std::vector<MessagePtr> b)
{
    beginResetModel();
    m_a = std::move(a);
    m_b = std::move(b);
    m_lines = diffRequests(m_a, m_b);
    endResetModel();
}

int RequestDiffModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

QVariant RequestDiffModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const RequestLine &line = m_lines[static_cast<std::size_t>(index.row())];
    const MessagePtr &message =
        line.a >= 0 ? m_a[static_cast<std::size_t>(line.a)] : m_b[static_cast<std::size_t>(line.b)];
    switch (role) {
    case KindRole:
        return static_cast<int>(line.kind);
    case MessageRole:
        return message && message->id ? toQString(*message->id) : QString();
    case Qt::DisplayRole:
    case Qt::ToolTipRole: {
        if (!message)
            return {};
        // A sign as well as a colour.
        const QString sign = line.kind == RequestLine::Kind::OnlyA ? u"−"_s
            : line.kind == RequestLine::Kind::OnlyB                ? u"+"_s
            : line.kind == RequestLine::Kind::Changed              ? u"~"_s
                                                                   : u" "_s;
        QString text = sign + u' ' + toQString(message->type) + u": "_s + firstWords(*message);
        if (line.kind == RequestLine::Kind::Changed && line.b >= 0)
            text += u"\n→ "_s + firstWords(*m_b[static_cast<std::size_t>(line.b)]);
        return text;
    }
    default:
        return {};
    }
}

} // namespace palimpsest
