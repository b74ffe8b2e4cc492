// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/growth/namespacescan.h"

#include "core/insight/growth/pagemodel.h"
#include "core/serde/msgpack.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/typed.h"
#include "core/thread/blobview.h"
#include "core/thread/message.h"
#include "core/thread/reducers.h"
#include "core/values/json.h"

#include <algorithm>
#include <limits>

namespace palimpsest {
namespace {

/// Pseudo-channels: what of a row belongs to no channel.
constexpr std::string_view checkpointPart = "(checkpoint)"; ///< ids, versions, versions_seen
constexpr std::string_view metadataPart = "(metadata)";
constexpr std::string_view opaquePart = "(opaque)"; ///< pickle, or encrypted without a key

std::uint32_t size32(std::size_t size)
{
    return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max()));
}

/// Bytes of a msgpack list's or map's head.
std::int64_t headSize(std::size_t count)
{
    return count < 16 ? 1 : count < 65536 ? 3 : 5;
}

std::int64_t keySize(std::string_view name)
{
    return static_cast<std::int64_t>(name.size()) + (name.size() < 32 ? 1 : 2);
}

/// The member `counters_since_delta_snapshot` of metadata, as long as it is.
std::int64_t countersSize(std::string_view metadata)
{
    constexpr std::string_view key = "\"counters_since_delta_snapshot\"";
    const std::size_t at = metadata.find(key);
    if (at == std::string_view::npos)
        return 0;
    const std::size_t end = metadata.find('}', at);
    return end == std::string_view::npos ? 0 : static_cast<std::int64_t>(end + 1 - at) + 2;
}

} // namespace

NamespaceScan::NamespaceScan(CheckpointSource &source, std::string threadId, std::string ns,
    std::string messagesChannel, std::int64_t pageSize, std::int64_t usable)
    : m_source(source)
    , m_thread(std::move(threadId))
    , m_ns(std::move(ns))
    , m_messagesChannel(std::move(messagesChannel))
    , m_pageSize(pageSize)
    , m_usable(usable)
{
}

Result<void> NamespaceScan::run(const JobContext &job)
{
    for (const auto step : {&NamespaceScan::readRows, &NamespaceScan::readWrites, &NamespaceScan::readBlobs})
        if (Result<void> done = (this->*step)(job); !done)
            return done;
    m_messageState.clear();
    m_fileState.clear();
    m_messageWrites.clear();
    m_fileWrites.clear();
    m_versions.clear();
    return {};
}

Result<void> NamespaceScan::readRows(const JobContext &job)
{
    CheckpointScan scan;
    scan.metadata = false;
    std::vector<std::string> parents;
    const Result<void> done = m_source.scanCheckpoints(
        m_thread, m_ns, scan,
        [&](CheckpointRow &&row) {
            CheckpointSizes sizes;
            m_places.emplace(row.id, m_checkpoints.size());
            sizes.blob = row.blobSize;
            sizes.id = std::move(row.id);
            m_checkpoints.push_back(std::move(sizes));
            parents.push_back(row.parentId.value_or(std::string()));
            return true;
        },
        job);
    for (std::size_t i = 0; i < m_checkpoints.size(); ++i) {
        const auto parent = m_places.find(parents[i]);
        if (parent != m_places.end())
            m_checkpoints[i].parent = static_cast<std::int32_t>(parent->second);
        m_checkpoints[i].parentMissing = !parents[i].empty() && parent == m_places.end();
    }
    m_messageState.resize(m_checkpoints.size());
    m_fileState.resize(m_checkpoints.size());
    return done;
}

void NamespaceScan::addChannel(const std::string &channel, double footprint, std::int64_t payload)
{
    ChannelBytes &bytes = m_channels[channel];
    bytes.footprint += footprint;
    bytes.payload += payload;
}

Result<void> NamespaceScan::readWrites(const JobContext &job)
{
    WriteScan scan;
    scan.values = {m_messagesChannel, "files"};
    return m_source.scanWrites(
        m_thread, m_ns, scan,
        [&](WriteRow &&row) {
            takeWrite(row);
            return true;
        },
        job);
}

void NamespaceScan::takeWrite(const WriteRow &row)
{
    const auto place = m_places.find(row.checkpointId);
    const auto text = [](const std::string &value) { return static_cast<std::int64_t>(value.size()); };
    const std::int64_t columns[] = {text(m_thread), text(m_ns), text(row.checkpointId), text(row.taskId),
        text(row.taskPath), 1, text(row.channel), text(row.value.type), row.valueSize};
    const std::int64_t keys[] = {text(m_thread), text(m_ns), text(row.checkpointId), text(row.taskId), 1, 3};
    PageModel model(m_pageSize, m_usable);
    PageModel index(m_pageSize, m_usable, PageModel::Tree::Index);
    const std::int64_t footprint = model.add(recordSize(columns, 9)) + index.add(recordSize(keys, 6));
    std::int64_t payload = 0;
    for (const std::int64_t size : columns)
        payload += size;
    m_payload += payload;
    addChannel(row.channel, static_cast<double>(footprint), payload);
    if (place == m_places.end())
        return;
    CheckpointSizes &sizes = m_checkpoints[place->second];
    sizes.writes += payload;
    sizes.writeFootprint += footprint;
    ++sizes.writeRows;
    if (row.channel == m_messagesChannel) {
        sizes.messages.wrote = true;
        messageChanges(m_messageWrites[place->second], row.value);
    } else if (row.channel == "files") {
        sizes.files.wrote = true;
        fileChanges(m_fileWrites[place->second], row.value);
    }
}

void NamespaceScan::messageChanges(Changes &changes, const TypedBytes &value)
{
    changes.any = true;
    const auto take = [&](const Value &element, std::size_t size) {
        const Result<MessagePtr> message = messageFromLike(element);
        if (!message) {
            changes.parts.emplace_back("?" + std::to_string(changes.parts.size()), size32(size));
            return;
        }
        const bool remove = (*message)->kind == MessageKind::Remove;
        if (remove && (*message)->id == removeAllMessages) {
            changes.parts.clear();
            changes.clears = true;
            return;
        }
        changes.parts.emplace_back((*message)->id.value_or(std::string()), remove ? 0 : size32(size));
    };
    if (value.type == "msgpack") {
        if (const Result<MsgpackHead> head = msgpackHead(value.bytes, 0);
            head && head->kind == MsgpackHead::Kind::List) {
            const Result<std::vector<ByteRange>> ranges = msgpackElements(value.bytes, 0);
            for (const ByteRange &range : ranges ? *ranges : std::vector<ByteRange>())
                if (const Result<Value> element = decodeMsgpack(range.of(value.bytes)))
                    take(*element, range.size());
            return;
        }
    }
    const Result<Value> decoded = decodeTyped(value.type, value.bytes);
    if (!decoded)
        return;
    const std::optional<Value> whole = overwriteOf(*decoded);
    if (whole) {
        changes.parts.clear();
        changes.clears = true;
    }
    const Value &list = whole ? *whole : *decoded;
    const std::size_t count = list.isList() ? list.asList().size() : 1;
    for (std::size_t i = 0; i < count; ++i)
        take(list.isList() ? list.asList()[i] : list, value.bytes.size() / count);
}

void NamespaceScan::fileChanges(Changes &changes, const TypedBytes &value)
{
    changes.any = true;
    if (value.type == "msgpack") {
        const Result<std::vector<MsgpackEntry>> entries = msgpackEntries(value.bytes, 0);
        for (const MsgpackEntry &entry : entries ? *entries : std::vector<MsgpackEntry>()) {
            const std::optional<std::string_view> path = msgpackText(value.bytes, entry.key.begin);
            const Result<MsgpackHead> head = msgpackHead(value.bytes, entry.value.begin);
            if (!path || !head)
                continue;
            const bool removed = head->kind == MsgpackHead::Kind::Nil;
            changes.parts.emplace_back(*path, removed ? 0 : size32(entry.key.size() + entry.value.size()));
        }
        return;
    }
    if (const Result<Value> decoded = decodeTyped(value.type, value.bytes))
        for (const auto &[path, entry] : decoded->asMap())
            changes.parts.emplace_back(path.asText(), entry.isNil() ? 0 : size32(toJson(entry).size()));
}

PartSizes NamespaceScan::applied(PartSizes before, const Changes &changes)
{
    if (changes.clears)
        before = {};
    for (const auto &[name, size] : changes.parts) {
        // A message without an id is one more.
        const std::uint32_t *old = name.empty() ? nullptr : before.parts.find(name);
        before.total += static_cast<std::int64_t>(size) - (old ? *old : 0);
        const std::string key = name.empty() ? "#" + std::to_string(before.parts.size()) : name;
        before.parts = size == 0 ? before.parts.erase(key) : before.parts.set(key, size);
    }
    return before;
}

Result<void> NamespaceScan::readBlobs(const JobContext &job)
{
    CheckpointScan scan;
    scan.blobsUpTo = std::numeric_limits<std::int64_t>::max();
    std::size_t at = 0;
    return m_source.scanCheckpoints(
        m_thread, m_ns, scan,
        [&](CheckpointRow &&row) {
            if (at % 256 == 0)
                job.report(
                    static_cast<double>(at) / static_cast<double>(std::max<std::size_t>(1, m_checkpoints.size())),
                    "Measuring " + m_thread);
            if (const auto place = m_places.find(row.id); place != m_places.end())
                takeBlob(place->second, row);
            ++at;
            return true;
        },
        job);
}

void NamespaceScan::takeBlob(std::size_t at, const CheckpointRow &row)
{
    CheckpointSizes &sizes = m_checkpoints[at];
    const auto text = [](const std::string &value) { return static_cast<std::int64_t>(value.size()); };
    sizes.metadata = text(row.metadata);
    sizes.counters = countersSize(row.metadata);
    sizes.keys = text(m_thread) + text(m_ns) + text(row.id) + (row.parentId ? text(*row.parentId) : 0) + text(row.type);
    const std::int64_t columns[] = {text(m_thread), text(m_ns), text(row.id), row.parentId ? text(*row.parentId) : -1,
        text(row.type), sizes.blob, sizes.metadata};
    const std::int64_t keys[] = {text(m_thread), text(m_ns), text(row.id), 3};
    PageModel model(m_pageSize, m_usable);
    PageModel index(m_pageSize, m_usable, PageModel::Tree::Index);
    sizes.footprint = model.add(recordSize(columns, 7)) + index.add(recordSize(keys, 4));
    const std::int64_t payload = sizes.keys + sizes.blob + sizes.metadata;
    m_payload += payload;
    const double perByte =
        static_cast<double>(sizes.footprint) / static_cast<double>(std::max<std::int64_t>(1, payload));
    addChannel(std::string(metadataPart), perByte * static_cast<double>(sizes.metadata), sizes.metadata);

    const PartSizes *messages = sizes.parent < 0 ? nullptr : &m_messageState[static_cast<std::size_t>(sizes.parent)];
    const PartSizes *files = sizes.parent < 0 ? nullptr : &m_fileState[static_cast<std::size_t>(sizes.parent)];
    const auto next = [&](const PartSizes *before, std::unordered_map<std::size_t, Changes> &writes,
                          CheckpointSizes::Channel &channel) {
        PartSizes state = before ? *before : PartSizes();
        if (sizes.parent < 0)
            return state;
        if (const auto found = writes.find(static_cast<std::size_t>(sizes.parent)); found != writes.end()) {
            channel.written = found->second.any;
            state = applied(std::move(state), found->second);
        }
        return state;
    };
    m_messageState[at] = next(messages, m_messageWrites, sizes.messages);
    m_fileState[at] = next(files, m_fileWrites, sizes.files);
    sizes.messages.whole = m_messageState[at].total + headSize(m_messageState[at].parts.size());
    sizes.files.whole = m_fileState[at].total + headSize(m_fileState[at].parts.size());
    takeValues(sizes, row, perByte);
    // What is stored whole says it best.
    const auto correct = [](PartSizes &state, const CheckpointSizes::Channel &channel) {
        state.total = channel.whole - headSize(state.parts.size());
    };
    correct(m_messageState[at], sizes.messages);
    correct(m_fileState[at], sizes.files);
}

void NamespaceScan::takeValues(CheckpointSizes &sizes, const CheckpointRow &row, double perByte)
{
    std::int64_t rest = sizes.keys + sizes.blob;
    const Result<BlobView> view =
        row.blob ? viewBlob(row.type, *row.blob) : failure(Error::Code::Unreadable, row.id, "the row cannot be read");
    if (!view) {
        sizes.opaque = true;
        ++m_opaque;
        addChannel(std::string(opaquePart), perByte * static_cast<double>(rest), rest);
        return;
    }
    for (const StoredChannel &channel : view->channels) {
        const std::size_t content =
            channel.raw.empty() && !channel.value.isNil() ? toJson(channel.value).size() : channel.raw.size();
        const std::int64_t size = static_cast<std::int64_t>(content) + keySize(channel.name);
        rest -= size;
        const double footprint = perByte * static_cast<double>(size);
        addChannel(channel.name, footprint, size);
        const std::string *version = view->version(channel.name);
        if (version && !m_versions.insert(channel.name + '\n' + *version).second)
            m_channels[channel.name].unchanged += footprint;
        CheckpointSizes::Channel *known = channel.name == m_messagesChannel ? &sizes.messages
            : channel.name == "files"                                       ? &sizes.files
                                                                            : nullptr;
        if (!known)
            continue;
        known->stored = size;
        known->whole = static_cast<std::int64_t>(content);
    }
    sizes.messages.known = view->version(m_messagesChannel) != nullptr;
    sizes.files.known = view->version("files") != nullptr;
    addChannel(std::string(checkpointPart), perByte * static_cast<double>(rest), rest);
}

} // namespace palimpsest
