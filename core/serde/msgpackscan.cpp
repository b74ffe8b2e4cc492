// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/msgpackscan.h"

#include <string>

namespace palimpsest {
namespace {

using Kind = MsgpackHead::Kind;

std::uint64_t bigEndian(std::string_view bytes, std::size_t at, std::size_t width)
{
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < width; ++i)
        n = (n << 8) | static_cast<unsigned char>(bytes[at + i]);
    return n;
}

std::int64_t signedBigEndian(std::string_view bytes, std::size_t at, std::size_t width)
{
    const std::uint64_t n = bigEndian(bytes, at, width);
    const unsigned unused = static_cast<unsigned>(64 - 8 * width);
    return static_cast<std::int64_t>(n << unused) >> unused;
}

enum class Trouble { None, Short, Reserved };

/// Reads a head without building an error: the loop below passes over millions.
Trouble readHead(std::string_view bytes, std::size_t at, MsgpackHead &head)
{
    if (at >= bytes.size())
        return Trouble::Short;
    const std::size_t left = bytes.size() - at - 1;
    const auto lead = static_cast<unsigned char>(bytes[at]);
    ++at;
    const auto scalar = [&](Kind kind, std::size_t width) {
        if (left < width)
            return Trouble::Short;
        head.kind = kind;
        if (kind == Kind::Int)
            head.number = signedBigEndian(bytes, at, width);
        else if (kind == Kind::UInt)
            head.number = static_cast<std::int64_t>(bigEndian(bytes, at, width));
        if (kind == Kind::UInt && head.number >= 0)
            head.kind = Kind::Int;
        head.payload = {at + width, at + width};
        return Trouble::None;
    };
    const auto container = [&](Kind kind, std::uint64_t count, std::size_t width) {
        head.kind = kind;
        head.count = static_cast<std::uint32_t>(count);
        head.payload = {at + width, at + width};
        return Trouble::None;
    };
    const auto countedContainer = [&](Kind kind, std::size_t width) {
        return left < width ? Trouble::Short : container(kind, bigEndian(bytes, at, width), width);
    };
    const auto payload = [&](Kind kind, std::uint64_t size, std::size_t width) {
        const std::size_t code = kind == Kind::Ext ? 1 : 0;
        if (left < width + code || left - width - code < size)
            return Trouble::Short;
        head.kind = kind;
        if (code)
            head.number = static_cast<signed char>(bytes[at + width]);
        head.payload = {at + width + code, at + width + code + static_cast<std::size_t>(size)};
        return Trouble::None;
    };
    const auto countedPayload = [&](Kind kind, std::size_t width) {
        return left < width ? Trouble::Short : payload(kind, bigEndian(bytes, at, width), width);
    };

    if (lead < 0x80 || lead >= 0xE0) {
        head.kind = Kind::Int;
        head.number = static_cast<signed char>(lead);
        head.payload = {at, at};
        return Trouble::None;
    }
    if (lead < 0x90)
        return container(Kind::Map, lead & 0x0F, 0);
    if (lead < 0xA0)
        return container(Kind::List, lead & 0x0F, 0);
    if (lead < 0xC0)
        return payload(Kind::Text, lead & 0x1F, 0);
    switch (lead) {
    case 0xC0:
        return scalar(Kind::Nil, 0);
    case 0xC2:
    case 0xC3:
        head.number = lead & 1;
        return scalar(Kind::Bool, 0);
    case 0xC4:
    case 0xC5:
    case 0xC6:
        return countedPayload(Kind::Bytes, std::size_t(1) << (lead - 0xC4));
    case 0xC7:
    case 0xC8:
    case 0xC9:
        return countedPayload(Kind::Ext, std::size_t(1) << (lead - 0xC7));
    case 0xCA:
    case 0xCB:
        return scalar(Kind::Float, lead == 0xCA ? 4 : 8);
    case 0xCC:
    case 0xCD:
    case 0xCE:
    case 0xCF:
        return scalar(Kind::UInt, std::size_t(1) << (lead - 0xCC));
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
        return scalar(Kind::Int, std::size_t(1) << (lead - 0xD0));
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xD7:
    case 0xD8:
        return payload(Kind::Ext, std::uint64_t(1) << (lead - 0xD4), 0);
    case 0xD9:
    case 0xDA:
    case 0xDB:
        return countedPayload(Kind::Text, std::size_t(1) << (lead - 0xD9));
    case 0xDC:
    case 0xDD:
        return countedContainer(Kind::List, lead == 0xDC ? 2 : 4);
    case 0xDE:
    case 0xDF:
        return countedContainer(Kind::Map, lead == 0xDE ? 2 : 4);
    default:
        return Trouble::Reserved;
    }
}

tl::unexpected<Error> troubleAt(Trouble trouble, std::size_t at)
{
    return failure(Error::Code::Malformed, "byte " + std::to_string(at),
        trouble == Trouble::Reserved ? "the msgpack value begins with the reserved byte C1"
                                     : "the msgpack value is cut off: it announces more bytes than there are");
}

/// Moves `at` behind the value there. False with `trouble` set when the bytes do not hold it.
bool skip(std::string_view bytes, std::size_t &at, Trouble &trouble)
{
    std::uint64_t due = 1;
    MsgpackHead head;
    while (due > 0) {
        trouble = readHead(bytes, at, head);
        if (trouble != Trouble::None)
            return false;
        at = head.payload.end;
        --due;
        if (head.kind == Kind::List)
            due += head.count;
        else if (head.kind == Kind::Map)
            due += 2 * std::uint64_t(head.count);
        // Each value takes a byte at least, so a length that cannot be true is refused at once.
        if (due > bytes.size() - at) {
            trouble = Trouble::Short;
            return false;
        }
    }
    return true;
}

} // namespace

Result<MsgpackHead> msgpackHead(std::string_view bytes, std::size_t at)
{
    MsgpackHead head;
    if (const Trouble trouble = readHead(bytes, at, head); trouble != Trouble::None)
        return troubleAt(trouble, at);
    return head;
}

Result<std::size_t> msgpackSkip(std::string_view bytes, std::size_t at)
{
    Trouble trouble = Trouble::None;
    if (!skip(bytes, at, trouble))
        return troubleAt(trouble, at);
    return at;
}

namespace {

/// Calls `visit(begin, end)` for each of the values inside the container at `at`: elements of a list, keys and values
/// of a map in turn.
template <class Visit> Result<void> eachChild(std::string_view bytes, std::size_t at, Kind wanted, Visit visit)
{
    MsgpackHead head;
    Trouble trouble = readHead(bytes, at, head);
    if (trouble != Trouble::None)
        return troubleAt(trouble, at);
    if (head.kind != wanted)
        return {};
    at = head.payload.end;
    const std::uint64_t children = (wanted == Kind::Map ? 2 : 1) * std::uint64_t(head.count);
    if (children > bytes.size() - at)
        return troubleAt(Trouble::Short, at);
    for (std::uint64_t i = 0; i < children; ++i) {
        const std::size_t begin = at;
        if (!skip(bytes, at, trouble))
            return troubleAt(trouble, at);
        visit(ByteRange{begin, at});
    }
    return {};
}

} // namespace

Result<std::optional<ByteRange>> msgpackFind(std::string_view bytes, std::size_t at, std::string_view key)
{
    std::optional<ByteRange> found;
    bool isValue = false;
    bool matches = false;
    const Result<void> walked = eachChild(bytes, at, Kind::Map, [&](const ByteRange &range) {
        if (!isValue)
            matches = msgpackText(bytes, range.begin) == key;
        else if (matches)
            found = range;
        isValue = !isValue;
    });
    if (!walked)
        return tl::unexpected(walked.error());
    return found;
}

Result<std::optional<ByteRange>> msgpackFind(std::string_view bytes, std::initializer_list<std::string_view> path)
{
    std::optional<ByteRange> range = ByteRange{0, bytes.size()};
    for (const std::string_view key : path) {
        Result<std::optional<ByteRange>> next = msgpackFind(bytes, range->begin, key);
        if (!next || !*next)
            return next;
        range = *next;
    }
    return range;
}

Result<std::vector<ByteRange>> msgpackElements(std::string_view bytes, std::size_t at)
{
    std::vector<ByteRange> ranges;
    const Result<void> walked =
        eachChild(bytes, at, Kind::List, [&](const ByteRange &range) { ranges.push_back(range); });
    if (!walked)
        return tl::unexpected(walked.error());
    return ranges;
}

Result<std::vector<MsgpackEntry>> msgpackEntries(std::string_view bytes, std::size_t at)
{
    std::vector<MsgpackEntry> entries;
    bool isValue = false;
    const Result<void> walked = eachChild(bytes, at, Kind::Map, [&](const ByteRange &range) {
        if (isValue)
            entries.back().value = range;
        else
            entries.push_back({range, {}});
        isValue = !isValue;
    });
    if (!walked)
        return tl::unexpected(walked.error());
    return entries;
}

std::optional<std::string_view> msgpackText(std::string_view bytes, std::size_t at)
{
    MsgpackHead head;
    if (readHead(bytes, at, head) != Trouble::None || head.kind != Kind::Text)
        return std::nullopt;
    return head.payload.of(bytes);
}

} // namespace palimpsest
