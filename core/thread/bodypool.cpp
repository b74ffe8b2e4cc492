// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/bodypool.h"

#include "core/serde/jsonscan.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/typed.h"
#include "core/thread/messagedefaults.h"

#include <immer/flex_vector_transient.hpp>

#include <algorithm>
#include <cstring>

namespace palimpsest {
namespace {

std::uint64_t load(const char *bytes, std::size_t size)
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b)
{
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

} // namespace

MessagePtr placeholderMessage(const std::string &reason)
{
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Other;
    message->type = "undecodable";
    message->content = Value(reason);
    return message;
}

/// 128 bits of two multiply-and-fold hashes (as wyhash does): bodies are compared by it.
BodyPool::Key BodyPool::keyOf(std::string_view bytes)
{
    constexpr std::uint64_t p0 = 0xa0761d6478bd642fULL;
    constexpr std::uint64_t p1 = 0xe7037ed1a0b428dbULL;
    constexpr std::uint64_t p2 = 0x8ebc6af09c88c6e3ULL;
    constexpr std::uint64_t p3 = 0x589965cc75374cc3ULL;
    std::uint64_t a = p0 ^ bytes.size();
    std::uint64_t b = p2 + bytes.size();
    std::size_t at = 0;
    for (; at + 16 <= bytes.size(); at += 16) {
        const std::uint64_t x = load(bytes.data() + at, 8);
        const std::uint64_t y = load(bytes.data() + at + 8, 8);
        a = mix(a ^ x ^ p1, y ^ p0);
        b = mix(b ^ y ^ p3, x ^ p2) + x;
    }
    const std::size_t rest = bytes.size() - at;
    const std::uint64_t x = load(bytes.data() + at, std::min<std::size_t>(rest, 8));
    const std::uint64_t y = rest > 8 ? load(bytes.data() + at + 8, rest - 8) : 0;
    return {mix(a ^ x ^ p3, y ^ p2), mix(b ^ y ^ p1, x ^ p0)};
}

Result<MessagePtr> BodyPool::body(std::string_view type, std::string_view raw)
{
    MessagePtr &place = m_bodies[keyOf(raw)];
    if (place)
        return place;
    Result<MessagePtr> message = decodedBody(type, raw);
    if (message)
        place = *message;
    return message;
}

Result<MessagePtr> BodyPool::decodedBody(std::string_view type, std::string_view raw) const
{
    const Result<Value> value = decodeTyped(type, raw);
    if (!value)
        return tl::unexpected(value.error());
    return storedMessage(*value, messageDefaults(type, m_language));
}

Result<std::optional<std::vector<ByteRange>>> BodyPool::elements(std::string_view type, std::string_view raw)
{
    if (isJsonType(type)) {
        if (jsonSpace(raw, 0) >= raw.size() || raw[jsonSpace(raw, 0)] != '[')
            return std::nullopt;
        return jsonElements(raw).map([](auto &&ranges) { return std::optional(std::move(ranges)); });
    }
    const Result<MsgpackHead> head = msgpackHead(raw, 0);
    if (!head)
        return tl::unexpected(head.error());
    if (head->kind != MsgpackHead::Kind::List)
        return std::nullopt;
    return msgpackElements(raw, 0).map([](auto &&ranges) { return std::optional(std::move(ranges)); });
}

Result<MessageLog> BodyPool::log(const StoredChannel &channel, const OnBad &onBad)
{
    if (!channel.readable())
        return tl::unexpected(channel.decode().error());
    const auto noList = [&] {
        return failure(Error::Code::Invalid, channel.name, "the channel holds no list of messages");
    };
    if (channel.raw.empty()) {
        if (channel.value.isNil())
            return MessageLog();
        if (!channel.value.isList())
            return noList();
        auto log = MessageLog().transient();
        for (const Value &item : channel.value.asList()) {
            Result<MessagePtr> message = storedMessage(item, messageDefaults(channel.type, m_language));
            if (!message)
                onBad(log.size(), message.error());
            log.push_back(message ? *message : placeholderMessage(message.error().what));
        }
        return log.persistent();
    }
    const Result<std::optional<std::vector<ByteRange>>> found = elements(channel.type, channel.raw);
    if (!found)
        return tl::unexpected(found.error());
    if (!*found) {
        const Result<Value> value = channel.decode();
        return value && value->isNil() ? Result<MessageLog>(MessageLog()) : noList();
    }
    const std::vector<ByteRange> &ranges = **found;
    std::size_t same = 0;
    const std::size_t most = std::min({ranges.size(), m_lastRanges.size(), m_lastLog.size()});
    const std::string_view last = m_lastRaw;
    while (same < most) {
        const auto [begin, end] = m_lastRanges[same];
        if (ranges[same].of(channel.raw) != last.substr(begin, end - begin))
            break;
        ++same;
    }
    auto log = m_lastLog.take(same).transient();
    for (std::size_t i = same; i < ranges.size(); ++i) {
        Result<MessagePtr> message = body(channel.type, ranges[i].of(channel.raw));
        if (!message)
            onBad(i, message.error());
        log.push_back(message ? *message : placeholderMessage(message.error().what));
    }
    m_lastLog = log.persistent();
    m_lastRaw.assign(channel.raw);
    m_lastRanges.clear();
    m_lastRanges.reserve(ranges.size());
    for (const ByteRange &range : ranges)
        m_lastRanges.emplace_back(static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end));
    return m_lastLog;
}

bool BodyPool::holds(const StoredChannel &channel, const MessageLog &log)
{
    const auto same = [](const MessagePtr &a, const MessagePtr &b) { return a == b || *a == *b; };
    const Result<std::optional<std::vector<ByteRange>>> found =
        channel.raw.empty() ? Result<std::optional<std::vector<ByteRange>>>() : elements(channel.type, channel.raw);
    if (!found || !*found) {
        // No list of bytes: what this makes of it is the answer.
        const Result<MessageLog> stored = this->log(channel, [](std::size_t, const Error &) { });
        return !stored || std::ranges::equal(*stored, log, same);
    }
    const std::vector<ByteRange> &ranges = **found;
    return std::ranges::equal(ranges, log, [&](const ByteRange &range, const MessagePtr &message) {
        const std::string_view raw = range.of(channel.raw);
        MessagePtr &known = m_bodies[keyOf(raw)];
        if (known == message)
            return true;
        const Result<MessagePtr> stored = decodedBody(channel.type, raw);
        if (!same(stored ? *stored : placeholderMessage(stored.error().what), message))
            return false;
        known = message;
        return true;
    });
}

Result<MessagesWrite> BodyPool::writeOf(
    std::string_view type, std::string_view raw, const std::vector<ByteRange> &ranges)
{
    MessagesWrite write;
    write.messages.reserve(ranges.size());
    for (const ByteRange &range : ranges) {
        Result<MessagePtr> message = body(type, range.of(raw));
        if (!message)
            return tl::unexpected(message.error());
        write.messages.push_back(std::move(*message));
    }
    return write;
}

Result<MessagesWrite> BodyPool::write(std::string_view type, std::string_view bytes)
{
    const bool json = isJsonType(type);
    if (json || type == "msgpack") {
        const Result<std::optional<std::vector<ByteRange>>> found = elements(type, bytes);
        if (!found)
            return tl::unexpected(found.error());
        if (*found)
            return writeOf(type, bytes, **found);
    }
    if (json) {
        // A single message, or LangGraph JS's Overwrite.
        const std::string_view inside = jsonFind(bytes, "__overwrite__");
        if (inside.starts_with('[')) {
            const Result<std::vector<ByteRange>> ranges = jsonElements(inside);
            Result<MessagesWrite> write =
                ranges ? writeOf(type, inside, *ranges) : Result<MessagesWrite>(tl::unexpected(ranges.error()));
            if (write)
                write->overwrite = true;
            return write;
        }
        if (inside.empty() && bytes.starts_with('{'))
            if (Result<MessagePtr> message = body(type, bytes))
                return MessagesWrite{false, {*std::move(message)}};
    }
    const Result<Value> value = decodeTyped(type, bytes);
    if (!value)
        return tl::unexpected(value.error());
    return messagesWrite(*value);
}

} // namespace palimpsest
