// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/blobview.h"

#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/serde/msgpack.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/typed.h"
#include "core/sources/splitcheckpoint.h"

#include <algorithm>

namespace palimpsest {
namespace {

constexpr std::int64_t snapshotExt = 7;

std::string versionText(const Value &value)
{
    if (value.isText())
        return value.asText();
    if (value.isInt())
        return std::to_string(value.asInt());
    if (value.isFloat())
        return std::to_string(value.asDouble());
    return {};
}

void takeMsgpack(StoredChannel &channel, std::string_view stored)
{
    channel.raw = stored;
    const Result<MsgpackHead> head = msgpackHead(stored, 0);
    if (head && head->kind == MsgpackHead::Kind::Ext && head->number == snapshotExt) {
        channel.snapshot = true;
        channel.raw = head->payload.of(stored);
    }
}

void takeValue(StoredChannel &channel, Value value)
{
    channel.value = std::move(value);
    if (const Value::Tagged *tagged = channel.value.asTagged(); tagged && tagged->form == Value::Form::DeltaSnapshot) {
        channel.snapshot = true;
        channel.value = Value(tagged->value);
    }
}

Result<BlobView> viewMsgpack(std::string_view bytes)
{
    BlobView view;
    const Result<std::vector<MsgpackEntry>> members = msgpackEntries(bytes, 0);
    if (!members)
        return tl::unexpected(members.error());
    if (members->empty())
        return failure(Error::Code::Malformed, "byte 0", "the blob is no checkpoint");
    for (const MsgpackEntry &member : *members) {
        const std::string_view key = msgpackText(bytes, member.key.begin).value_or("");
        if (key == "id") {
            view.id = msgpackText(bytes, member.value.begin).value_or("");
        } else if (key == "ts") {
            view.ts = msgpackText(bytes, member.value.begin).value_or("");
        } else if (key == "v") {
            if (const Result<MsgpackHead> head = msgpackHead(bytes, member.value.begin);
                head && head->kind == MsgpackHead::Kind::Int)
                view.format = head->number;
        } else if (key == "channel_values") {
            const Result<std::vector<MsgpackEntry>> values = msgpackEntries(bytes, member.value.begin);
            if (!values)
                return tl::unexpected(values.error());
            for (const MsgpackEntry &entry : *values) {
                StoredChannel channel;
                channel.name = msgpackText(bytes, entry.key.begin).value_or("");
                takeMsgpack(channel, entry.value.of(bytes));
                view.channels.push_back(std::move(channel));
            }
        } else if (key == "channel_versions") {
            const Result<std::vector<MsgpackEntry>> versions = msgpackEntries(bytes, member.value.begin);
            if (!versions)
                return tl::unexpected(versions.error());
            for (const MsgpackEntry &entry : *versions) {
                StoredVersion version;
                version.name = msgpackText(bytes, entry.key.begin).value_or("");
                if (const auto text = msgpackText(bytes, entry.value.begin))
                    version.version = *text;
                else if (const Result<Value> value = decodeMsgpack(entry.value.of(bytes)))
                    version.version = versionText(*value);
                view.versions.push_back(std::move(version));
            }
        }
    }
    return view;
}

/// What is inside `{"lc":2,"type":"delta_snapshot","value":…}`; nothing for any other JSON.
std::optional<std::string_view> snapshotInside(std::string_view raw)
{
    // JavaScript writes its mark in front; a whole channel need not be looked through for it.
    constexpr std::size_t frontOf = 80;
    if (!raw.starts_with('{') || raw.substr(0, frontOf).find("delta_snapshot") == std::string_view::npos)
        return std::nullopt;
    const Result<std::vector<JsonEntry>> members = jsonEntries(raw);
    if (!members || jsonFind(raw, *members, "lc") != "2"
        || jsonText(jsonFind(raw, *members, "type")) != "delta_snapshot")
        return std::nullopt;
    const std::string_view inside = jsonFind(raw, *members, "value");
    return inside.empty() ? std::nullopt : std::optional(inside);
}

void takeJson(StoredChannel &channel, std::string_view stored)
{
    const std::optional<std::string_view> inside = snapshotInside(stored);
    channel.snapshot = inside.has_value();
    channel.raw = inside ? *inside : stored;
}

Result<BlobView> viewJson(std::string_view type, std::string_view bytes)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(bytes);
    if (!members)
        return tl::unexpected(members.error());
    if (members->empty())
        return failure(Error::Code::Malformed, {}, "the row is no checkpoint");
    BlobView view;
    view.id = jsonText(jsonFind(bytes, *members, "id")).value_or("");
    view.ts = jsonText(jsonFind(bytes, *members, "ts")).value_or("");
    if (const Result<Value> format = parseJson(jsonFind(bytes, *members, "v")))
        view.format = format->asInt();
    const std::string_view values = jsonFind(bytes, *members, "channel_values");
    const Result<std::vector<JsonEntry>> channels = jsonEntries(values);
    if (!channels)
        return tl::unexpected(channels.error());
    for (const JsonEntry &entry : *channels) {
        StoredChannel channel;
        channel.name = jsonText(entry.key.of(values)).value_or("");
        channel.type = type;
        takeJson(channel, entry.value.of(values));
        view.channels.push_back(std::move(channel));
    }
    if (const Result<Value> versions = parseJson(jsonFind(bytes, *members, "channel_versions")))
        for (const auto &[key, value] : versions->asMap())
            view.versions.push_back({key.asText(), versionText(value)});
    return view;
}

/// Reads heads in a text that may end anywhere.
class PrefixReader {
public:
    explicit PrefixReader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] std::size_t at() const { return m_at; }
    std::uint64_t number(std::size_t size)
    {
        if (m_at + size > m_bytes.size()) {
            m_ok = false;
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i)
            value = value << 8 | static_cast<unsigned char>(m_bytes[m_at++]);
        return value;
    }
    std::optional<std::uint64_t> mapSize() { return container(0x80, 0xde); }
    std::optional<std::uint64_t> listSize() { return container(0x90, 0xdc); }
    std::string text()
    {
        const Result<MsgpackHead> head = msgpackHead(m_bytes, m_at);
        if (!head || head->kind != MsgpackHead::Kind::Text) {
            m_ok = false;
            return {};
        }
        m_at = head->payload.end;
        return std::string(head->payload.of(m_bytes));
    }
    void skip()
    {
        const Result<std::size_t> end = msgpackSkip(m_bytes, m_at);
        if (end)
            m_at = *end;
        else
            m_ok = false;
    }
    /// The code of an ext whose head is here; moves into its payload.
    std::optional<int> ext()
    {
        if (m_at >= m_bytes.size())
            return std::nullopt;
        const unsigned char tag = static_cast<unsigned char>(m_bytes[m_at]);
        std::size_t lengthSize = 0;
        if (tag >= 0xc7 && tag <= 0xc9)
            lengthSize = std::size_t(1) << (tag - 0xc7);
        else if (tag < 0xd4 || tag > 0xd8)
            return std::nullopt;
        ++m_at;
        number(lengthSize);
        const std::uint64_t code = number(1);
        return m_ok ? std::optional(static_cast<int>(static_cast<signed char>(code))) : std::nullopt;
    }

private:
    std::optional<std::uint64_t> container(unsigned char fix, unsigned char wide)
    {
        if (m_at >= m_bytes.size())
            return std::nullopt;
        const unsigned char tag = static_cast<unsigned char>(m_bytes[m_at]);
        if ((tag & 0xf0) == fix) {
            ++m_at;
            return tag & 0x0f;
        }
        if (tag != wide && tag != wide + 1)
            return std::nullopt;
        ++m_at;
        const std::uint64_t size = number(tag == wide ? 2 : 4);
        return m_ok ? std::optional(size) : std::nullopt;
    }

    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_ok = true;
};

/// A channel whose value came in part: what its first bytes say of it.
void viewCut(StoredChannel &channel, std::string_view beginning)
{
    channel.cut = true;
    if (channel.type != "msgpack")
        return;
    PrefixReader in(beginning);
    channel.snapshot = in.ext() == snapshotExt;
    if (!channel.snapshot)
        return;
    channel.cutCount = in.listSize();
    if (!channel.cutCount)
        channel.cutCount = in.mapSize();
}

Result<BlobView> viewSplit(std::string_view bytes)
{
    Result<SplitCheckpoint> checkpoint = unpackSplit(bytes);
    if (!checkpoint)
        return tl::unexpected(checkpoint.error());
    BlobView view;
    view.id = std::move(checkpoint->id);
    view.ts = std::move(checkpoint->ts);
    view.format = checkpoint->format;
    for (ChannelPart &part : checkpoint->values) {
        if (part.type == "empty")
            continue;
        StoredChannel channel;
        channel.name = std::move(part.name);
        channel.type = std::move(part.type);
        if (part.size > static_cast<std::int64_t>(part.bytes.size())) {
            viewCut(channel, part.bytes);
        } else if (channel.isMsgpack()) {
            takeMsgpack(channel, part.bytes);
        } else if (isJsonType(channel.type) && !part.bytes.empty()) {
            takeJson(channel, part.bytes);
        } else if (Result<Value> value = decodeTyped(channel.type, part.bytes)) {
            channel.type = "msgpack";
            takeValue(channel, *std::move(value));
        } else {
            channel.raw = part.bytes;
        }
        view.channels.push_back(std::move(channel));
    }
    for (auto &[channel, version] : checkpoint->versions)
        view.versions.push_back({std::move(channel), std::move(version)});
    return view;
}

} // namespace

Result<Value> StoredChannel::decode() const
{
    if (cut)
        return failure(Error::Code::Unsupported, name, "only the beginning of the value was read");
    return raw.empty() && isMsgpack() ? Result<Value>(value) : decodeTyped(type, raw);
}

bool StoredChannel::readable() const
{
    return !cut && (isMsgpack() || (isJsonType(type) && !raw.empty()));
}

std::optional<std::uint64_t> StoredChannel::count() const
{
    if (cut)
        return cutCount;
    if (raw.empty()) {
        if (value.isMap())
            return value.asMap().size();
        return value.isList() ? std::optional<std::uint64_t>(value.asList().size()) : std::nullopt;
    }
    if (isMsgpack()) {
        const Result<MsgpackHead> head = msgpackHead(raw, 0);
        const bool many = head && (head->kind == MsgpackHead::Kind::List || head->kind == MsgpackHead::Kind::Map);
        return many ? std::optional<std::uint64_t>(head->count) : std::nullopt;
    }
    if (raw.starts_with('[')) {
        const Result<std::vector<ByteRange>> elements = jsonElements(raw);
        return elements ? std::optional<std::uint64_t>(elements->size()) : std::nullopt;
    }
    const Result<std::vector<JsonEntry>> entries = jsonEntries(raw);
    return raw.starts_with('{') && entries ? std::optional<std::uint64_t>(entries->size()) : std::nullopt;
}

std::optional<std::int64_t> unknownForm(const StoredChannel &channel)
{
    if (channel.snapshot || channel.raw.empty() || !channel.readable())
        return std::nullopt;
    const Result<MsgpackHead> head = msgpackHead(channel.raw, 0);
    if (!head || head->kind != MsgpackHead::Kind::Ext || (head->number >= 0 && head->number <= snapshotExt))
        return std::nullopt;
    return head->number;
}

const StoredChannel *BlobView::channel(std::string_view name) const
{
    const auto found =
        std::find_if(channels.rbegin(), channels.rend(), [&](const StoredChannel &c) { return c.name == name; });
    return found == channels.rend() ? nullptr : &*found;
}

const std::string *BlobView::version(std::string_view name) const
{
    const auto found =
        std::find_if(versions.rbegin(), versions.rend(), [&](const StoredVersion &v) { return v.name == name; });
    return found == versions.rend() ? nullptr : &found->version;
}

Result<BlobView> viewBlob(std::string_view type, std::string_view bytes)
{
    if (type == "msgpack")
        return viewMsgpack(bytes);
    if (type == splitType)
        return viewSplit(bytes);
    if (isJsonType(type))
        return viewJson(type, bytes);
    // A tag that stays closed says why.
    const Result<Value> value = decodeTyped(type, bytes);
    if (!value)
        return tl::unexpected(value.error());
    return failure(Error::Code::Malformed, {}, "the row is no checkpoint");
}

std::optional<BlobPrefix> viewPrefix(std::string_view prefix)
{
    PrefixReader in(prefix);
    const std::optional<std::uint64_t> members = in.mapSize();
    if (!members)
        return std::nullopt;
    BlobPrefix view;
    for (std::uint64_t i = 0; i < *members && in.ok(); ++i) {
        const std::string key = in.text();
        if (!in.ok())
            break;
        if (key == "ts") {
            view.ts = in.text();
        } else if (key == "id") {
            view.id = in.text();
        } else if (key == "channel_values") {
            const std::optional<std::uint64_t> values = in.mapSize();
            for (std::uint64_t k = 0; values && k < *values; ++k) {
                BlobPrefix::Head head;
                head.name = in.text();
                if (!in.ok())
                    break;
                PrefixReader inside = in;
                head.snapshot = inside.ext() == snapshotExt;
                if (!head.snapshot)
                    inside = in;
                head.count = inside.listSize();
                if (!head.count)
                    head.count = inside.mapSize();
                view.channels.push_back(std::move(head));
                in.skip();
                if (!in.ok())
                    break;
            }
            break;
        } else {
            in.skip();
        }
    }
    return view;
}

} // namespace palimpsest
