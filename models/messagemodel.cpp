// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/messagemodel.h"

#include "models/display.h"
#include "models/messagetext.h"

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {
constexpr qsizetype mostDescribed = 4000;
constexpr qsizetype longestText = 20000;
constexpr qint64 uncounted = 40; ///< tokens that a strip shows before they are counted
} // namespace

MessageModel::MessageModel(Focus *focus, List list, QObject *parent)
    : QAbstractListModel(parent)
    , m_focus(focus)
    , m_list(list)
    , m_scene(focus->scene())
{
    layRows();
    connect(focus, &Focus::sceneChanged, this, &MessageModel::onScene);
    connect(focus, &Focus::chosenChanged, this, &MessageModel::onChosen);
    connect(focus, &Focus::findingsChanged, this, &MessageModel::onFindings);
}

const MessageLog &MessageModel::log() const
{
    return m_list == List::RawLog ? m_scene->log : m_scene->effective;
}

bool MessageModel::inContext(std::int64_t at) const
{
    return m_list == List::Effective || at >= m_scene->fates.cutoff().value;
}

void MessageModel::onScene()
{
    beginResetModel();
    m_scene = m_focus->scene();
    layRows();
    endResetModel();
    Q_EMIT listChanged();
}

void MessageModel::onChosen(const Place &now, const Place &before)
{
    if (now.version == before.version && (now.message == before.message || (now.version < 0 && before.version < 0)))
        return;
    for (const std::string &key : {before.message, now.message}) {
        const int row = rowOf(key);
        if (row < 0)
            continue;
        m_described.remove(row);
        Q_EMIT dataChanged(index(row, 0), index(row, 0));
        if (before.message == now.message)
            break;
    }
}

void MessageModel::onFindings()
{
    m_described.clear();
    if (const int rows = rowCount(); rows > 0)
        Q_EMIT dataChanged(index(0, 0), index(rows - 1, 0));
}

void MessageModel::addFindings(MessageRow &row, const Message &message) const
{
    const ThreadFindingsPtr findings = m_focus->findings();
    if (!findings || !message.id || !m_scene->space)
        return;
    for (const Finding *finding : findings->of(m_scene->space->name, *message.id)) {
        row.findings << toQString(finding->message);
        row.severity = std::max(row.severity, finding->severity);
    }
}

MessagePtr MessageModel::versionOf(const Message &message) const
{
    const Place &place = m_focus->selection()->place();
    if (place.version < 0 || !message.id || *message.id != place.message || !m_scene->space)
        return {};
    return bodyVersion(*m_scene->space, place.message, place.version);
}

void MessageModel::setFilter(const MessageFilter &filter)
{
    if (filter == m_filter)
        return;
    beginResetModel();
    m_filter = filter;
    layRows();
    endResetModel();
    Q_EMIT listChanged();
}

void MessageModel::layRows()
{
    m_described.clear();
    m_rows.clear();
    const auto &tombstones = m_scene->tombstones;
    const bool buried = m_list == List::RawLog && !tombstones.empty();
    m_plain = m_filter.isEmpty() && !buried;
    if (m_plain)
        return;
    std::size_t grave = 0;
    const auto bury = [&](std::int64_t before) {
        for (; buried && grave < tombstones.size() && tombstones[grave].before.value <= before; ++grave) {
            if (passes(m_filter, *tombstones[grave].body, false))
                m_rows.push_back({static_cast<std::int64_t>(grave), true});
        }
    };
    std::int64_t at = 0;
    for (const MessagePtr &message : log()) {
        bury(at);
        if (message && passes(m_filter, *message, inContext(at)))
            m_rows.push_back({at, false});
        ++at;
    }
    bury(std::numeric_limits<std::int64_t>::max());
}

int MessageModel::total() const
{
    return static_cast<int>(log().size());
}

int MessageModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid())
        return 0;
    return m_plain ? total() : static_cast<int>(m_rows.size());
}

MessageModel::Slot MessageModel::slotAt(int row) const
{
    return m_plain ? Slot{row, false} : m_rows[static_cast<std::size_t>(row)];
}

MessagePtr MessageModel::message(int row) const
{
    if (row < 0 || row >= rowCount())
        return {};
    const Slot slot = slotAt(row);
    const auto at = static_cast<std::size_t>(slot.at);
    return slot.tombstone ? m_scene->tombstones[at].body : log()[at];
}

MessageIndex MessageModel::indexAt(int row) const
{
    if (row < 0 || row >= rowCount())
        return {};
    const Slot slot = slotAt(row);
    if (slot.tombstone)
        return {};
    return m_list == List::RawLog ? MessageIndex(slot.at) : m_scene->fates.origin(EffectiveIndex(slot.at));
}

MessageRow MessageModel::describe(int row) const
{
    if (row < 0 || row >= rowCount())
        return {};
    if (const auto found = m_described.constFind(row); found != m_described.constEnd())
        return *found;
    const Slot slot = slotAt(row);
    MessageRow out;
    if (slot.tombstone) {
        const Tombstone &grave = m_scene->tombstones[static_cast<std::size_t>(slot.at)];
        out = describeMessage(*m_scene, MessageLog{grave.body}, 0, grave.body);
        out.tombstone = true;
        out.inContext = false;
        out.fate.kind = Fate::Kind::Removed;
        out.dangling = false;
    } else {
        const auto at = static_cast<std::size_t>(slot.at);
        out = describeMessage(*m_scene, log(), at, log()[at]);
        out.index = indexAt(row);
        if (out.index.isValid()) {
            out.fate = m_scene->fates.of(out.index);
            out.key = toQString(messageKey(*log()[at], out.index));
        } else if (m_list == List::Effective) {
            out.fate.row = EffectiveIndex(slot.at);
            out.fate.event = m_scene->inForce;
            if (!log()[at]->id)
                out.key = toQString(summaryKey);
        }
        out.inContext = m_list == List::Effective || out.fate.inContext();
        if (const MessagePtr version = versionOf(*log()[at])) {
            out.preview = previewOf(*version);
            out.firstWritten = m_focus->selection()->place().version == 0;
        }
    }
    if (const MessagePtr body = message(row))
        addFindings(out, *body);
    if (m_described.size() >= mostDescribed)
        m_described.clear();
    m_described.insert(row, out);
    return out;
}

QVariant MessageModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int row = index.row();
    switch (role) {
    case Qt::DisplayRole:
        return describe(row).preview;
    case Qt::AccessibleTextRole: {
        const MessageRow described = describe(row);
        return described.role + u": "_s + described.preview;
    }
    case int(MessageRole::Row):
        return QVariant::fromValue(describe(row));
    case int(MessageRole::Key):
        return describe(row).key;
    case int(MessageRole::Index):
        return static_cast<qlonglong>(indexAt(row).value);
    case int(MessageRole::Role):
        return describe(row).role;
    case int(MessageRole::Tool):
        return describe(row).tool;
    case int(MessageRole::Tokens):
        return describe(row).tokens;
    case int(MessageRole::Time):
        return describe(row).time;
    case int(MessageRole::InContext):
        return describe(row).inContext;
    case int(MessageRole::Text): {
        MessagePtr body = message(row);
        if (const MessagePtr version = body ? versionOf(*body) : nullptr)
            body = version;
        qsizetype cut = 0;
        QString text = body ? readableText(*body, longestText, &cut) : QString();
        if (cut > 0)
            text += tr("\n… %L1 more characters: see the inspector").arg(cut);
        return text;
    }
    default:
        return {};
    }
}

QHash<int, QByteArray> MessageModel::roleNames() const
{
    return {{Qt::DisplayRole, "display"}, {int(MessageRole::Row), "row"}, {int(MessageRole::Key), "key"},
        {int(MessageRole::Index), "index"}, {int(MessageRole::Role), "role"}, {int(MessageRole::Tool), "tool"},
        {int(MessageRole::Tokens), "tokens"}, {int(MessageRole::Time), "time"},
        {int(MessageRole::InContext), "inContext"}, {int(MessageRole::Text), "text"}};
}

int MessageModel::rowOf(const std::string &key) const
{
    if (key.empty())
        return -1;
    if (m_list == List::RawLog) {
        if (const MessageIndex index = findMessage(m_scene->log, key); index.isValid())
            return rowOf(index);
        for (int row = 0; !m_plain && row < rowCount(); ++row) {
            const Slot slot = slotAt(row);
            if (slot.tombstone && m_scene->tombstones[static_cast<std::size_t>(slot.at)].body->id == key)
                return row;
        }
        return -1;
    }
    if (key == summaryKey)
        return m_scene->fates.lead() > 0 ? rowOf(EffectiveIndex(std::int64_t{0})) : -1;
    if (const MessageIndex index = findMessage(m_scene->log, key); index.isValid())
        return rowOf(index);
    return rowOf(EffectiveIndex(findMessage(m_scene->effective, key).value));
}

int MessageModel::rowOf(MessageIndex index) const
{
    if (!index.isValid())
        return -1;
    std::int64_t at = index.value;
    if (m_list == List::Effective) {
        const Fate fate = m_scene->fates.of(index);
        if (!fate.inContext())
            return -1;
        at = fate.row.value;
    }
    if (m_plain)
        return at < total() ? static_cast<int>(at) : -1;
    // Places ascend among the rows that are no tombstones.
    const auto found = std::ranges::find_if(m_rows, [&](const Slot &slot) { return !slot.tombstone && slot.at == at; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int MessageModel::rowOf(EffectiveIndex index) const
{
    if (!index.isValid() || m_list != List::Effective)
        return -1;
    if (m_plain)
        return index.value < total() ? static_cast<int>(index.value) : -1;
    const auto found = std::ranges::find_if(m_rows, [&](const Slot &slot) { return slot.at == index.value; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

std::vector<StripBar> MessageModel::strip() const
{
    std::vector<StripBar> bars;
    const int rows = rowCount();
    bars.reserve(static_cast<std::size_t>(rows));
    const auto add = [&](const MessagePtr &body, bool shown) {
        if (!body) {
            bars.push_back({});
            return;
        }
        qint64 tokens = uncounted;
        if (m_scene->facts) {
            const auto known = m_scene->facts->bodies.find(body.get());
            tokens = known != m_scene->facts->bodies.end() ? known->second.tokens : factsOf(*body).tokens;
        }
        bars.push_back({tokens, body->kind, isSummary(*body), shown});
    };
    if (m_plain) {
        std::int64_t at = 0;
        for (const MessagePtr &body : log())
            add(body, inContext(at++));
        return bars;
    }
    for (int row = 0; row < rows; ++row) {
        const Slot slot = slotAt(row);
        add(message(row), !slot.tombstone && inContext(slot.at));
    }
    return bars;
}

} // namespace palimpsest
