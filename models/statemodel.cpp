// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/statemodel.h"

#include "models/display.h"

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

struct StateModel::Node {
    Node *parent = nullptr;
    int row = 0;
    QString name;
    QString path;
    Value value;
    QString words; ///< shown instead of the value's summary when not empty
    QString type;
    const ChannelState *channel = nullptr;
    bool undecodable = false;
    bool isMade = false; ///< children are made
    std::vector<std::unique_ptr<Node>> children;

    Node *add(const QString &childName, const QString &childPath, Value childValue)
    {
        auto child = std::make_unique<Node>();
        child->parent = this;
        child->row = static_cast<int>(children.size());
        child->name = childName;
        child->path = childPath;
        child->value = std::move(childValue);
        children.push_back(std::move(child));
        return children.back().get();
    }

    [[nodiscard]] bool hasParts() const
    {
        if (channel && hasPiecesOf(*channel))
            return true;
        return isMade ? !children.empty() : hasPartsOf(value);
    }

    static bool hasPartsOf(const Value &value)
    {
        if (const Value::Tagged *tagged = value.asTagged())
            return hasPartsOf(tagged->value) || !tagged->value.isNil();
        return !value.asList().empty() || !value.asMap().empty();
    }

    /// A delta channel that no known reducer rebuilds is shown in pieces.
    static bool hasPiecesOf(const ChannelState &state) { return state.delta && !state.rebuilt; }

    void make()
    {
        if (isMade)
            return;
        isMade = true;
        if (channel && hasPiecesOf(*channel))
            makePieces();
        else
            makeParts(value);
    }

    void makeParts(const Value &of)
    {
        if (of.isList()) {
            std::size_t i = 0;
            for (const Value &item : of.asList()) {
                add(u"[%1]"_s.arg(i), u"%1[%2]"_s.arg(path).arg(i), item);
                ++i;
            }
        } else if (of.isMap()) {
            for (const auto &[key, item] : of.asMap()) {
                const QString shown = key.isText() ? toQString(key.asText()) : summaryOf(key);
                add(shown, u"%1[%2]"_s.arg(path, key.isText() ? u"\"%1\""_s.arg(shown) : shown), item);
            }
        } else if (const Value::Tagged *tagged = of.asTagged()) {
            if (hasPartsOf(tagged->value) && !tagged->value.isTagged())
                makeParts(tagged->value);
            else
                add(u"value"_s, path + u".value"_s, tagged->value);
            if (!tagged->method.empty())
                add(u"method"_s, path, Value(tagged->method));
        }
    }

    void makePieces()
    {
        Node *snapshot = add(u"nearest snapshot"_s, path, channel->value);
        if (channel->value.isNil())
            snapshot->words = u"none"_s;
        Node *writes = add(u"writes at this checkpoint"_s, path, Value());
        writes->words = channel->writes.empty() ? u"none"_s : QString::number(channel->writes.size());
        writes->isMade = true;
        for (const WriteRow &write : channel->writes) {
            Node *stored = writes->add(u"task %1 · %2"_s.arg(toQString(write.taskId).left(8)).arg(write.idx), path,
                Value::bytes(write.value.bytes));
            stored->type = toQString(write.value.type) + u", as stored"_s;
        }
    }
};

namespace {

QString typeWords(const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Nil:
        return u"null"_s;
    case Value::Kind::Bool:
        return u"bool"_s;
    case Value::Kind::Int:
    case Value::Kind::BigInt:
        return u"integer"_s;
    case Value::Kind::Float:
        return u"float"_s;
    case Value::Kind::Text:
        return u"text, %1"_s.arg(sizeText(static_cast<std::int64_t>(value.asText().size())));
    case Value::Kind::Bytes:
        return u"bytes"_s;
    case Value::Kind::List:
        return u"list, %1"_s.arg(value.asList().size());
    case Value::Kind::Map:
        return u"map, %1"_s.arg(value.asMap().size());
    case Value::Kind::Tagged:
        break;
    }
    return u"object"_s;
}

QString channelWords(const ChannelState &state)
{
    if (!state.undecodable.empty())
        return u"cannot be rebuilt: "_s + toQString(state.undecodable);
    if (state.delta && !state.rebuilt)
        return u"reducer not known: snapshot and writes"_s;
    if (state.value.isNil())
        return u"null, as stored"_s;
    return {};
}

QString channelType(const ChannelState &state)
{
    QString words = !state.undecodable.empty() ? u"unreadable"_s : typeWords(state.value);
    if (state.delta)
        words += state.rebuilt ? u" · rebuilt from snapshots and writes"_s : u" · delta channel"_s;
    return words;
}

} // namespace

StateModel::StateModel(QObject *parent)
    : QAbstractItemModel(parent)
    , m_root(std::make_unique<Node>())
{
    m_root->isMade = true;
}

StateModel::~StateModel() = default;

void StateModel::setChannels(std::vector<ChannelState> channels)
{
    beginResetModel();
    m_channels = std::move(channels);
    rebuild();
    endResetModel();
}

void StateModel::setFilter(bool onlyChanged, const QString &text)
{
    if (onlyChanged == m_onlyChanged && text == m_text)
        return;
    beginResetModel();
    m_onlyChanged = onlyChanged;
    m_text = text;
    rebuild();
    endResetModel();
}

void StateModel::rebuild()
{
    m_root = std::make_unique<Node>();
    m_root->isMade = true;
    for (const ChannelState &state : m_channels) {
        const QString name = toQString(state.name);
        if ((m_onlyChanged && !state.changed) || !name.contains(m_text, Qt::CaseInsensitive))
            continue;
        Node *node = m_root->add(name, name, state.value);
        node->channel = &state;
        node->undecodable = !state.undecodable.empty();
        node->words = channelWords(state);
        node->type = channelType(state);
    }
}

int StateModel::channelCount() const
{
    return static_cast<int>(m_channels.size());
}

int StateModel::changedCount() const
{
    return static_cast<int>(std::ranges::count(m_channels, true, &ChannelState::changed));
}

StateModel::Node *StateModel::nodeOf(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<Node *>(index.internalPointer()) : m_root.get();
}

QModelIndex StateModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column < 0 || column >= ColumnCount || (parent.isValid() && parent.column() != 0))
        return {};
    Node *node = nodeOf(parent);
    node->make();
    if (static_cast<std::size_t>(row) >= node->children.size())
        return {};
    return createIndex(row, column, node->children[static_cast<std::size_t>(row)].get());
}

QModelIndex StateModel::parent(const QModelIndex &child) const
{
    if (!child.isValid() || !checkIndex(child, CheckIndexOption::IndexIsValid | CheckIndexOption::DoNotUseParent))
        return {};
    Node *above = nodeOf(child)->parent;
    return !above || above == m_root.get() ? QModelIndex() : createIndex(above->row, 0, above);
}

int StateModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid() && (!checkIndex(parent) || parent.column() != 0))
        return 0;
    Node *node = nodeOf(parent);
    node->make();
    return static_cast<int>(node->children.size());
}

int StateModel::columnCount(const QModelIndex &parent) const
{
    if (parent.isValid() && !checkIndex(parent))
        return 0;
    return ColumnCount;
}

bool StateModel::hasChildren(const QModelIndex &parent) const
{
    if (parent.isValid() && (!checkIndex(parent) || parent.column() != 0))
        return false;
    return parent.isValid() ? nodeOf(parent)->hasParts() : !m_root->children.empty();
}

QVariant StateModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn:
        return tr("Channel");
    case ValueColumn:
        return tr("Value");
    case TypeColumn:
        return tr("How it is stored");
    default:
        return {};
    }
}

QVariant StateModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node *node = nodeOf(index);
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == NameColumn)
            return node->name;
        if (index.column() == ValueColumn)
            return node->words.isEmpty() ? summaryOf(node->value) : node->words;
        return node->type.isEmpty() ? typeWords(node->value) : node->type;
    case Qt::ToolTipRole:
        return index.column() == ValueColumn && node->words.isEmpty() ? summaryOf(node->value, 1500) : QVariant();
    case ChangedRole:
        return node->channel && node->channel->changed;
    case UndecodableRole:
        return node->undecodable;
    case PathRole:
        return node->path;
    case CopyRole:
        return node->value.isText() ? toQString(node->value.asText()) : toQString(prettyJson(node->value));
    case KindRole:
        return static_cast<int>(node->value.kind());
    case ChannelRole:
        return node->channel != nullptr;
    default:
        return {};
    }
}

} // namespace palimpsest
