// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <bit>
#include <cstring>

namespace palimpsest::text {
namespace {

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Length in bytes of the sequence that starts at `at`, or 0 when there is none.
std::size_t sequence(std::string_view s, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(s[at]);
    const std::size_t left = s.size() - at;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead < 0xE0)
        return left >= 2 && isContinuation(s[at + 1]) ? 2 : 0;
    if (lead >= 0xE0 && lead < 0xF0) {
        if (left < 3 || !isContinuation(s[at + 1]) || !isContinuation(s[at + 2]))
            return 0;
        return lead == 0xE0 && static_cast<unsigned char>(s[at + 1]) < 0xA0 ? 0 : 3;
    }
    if (lead >= 0xF0 && lead < 0xF5) {
        if (left < 4 || !isContinuation(s[at + 1]) || !isContinuation(s[at + 2]) || !isContinuation(s[at + 3]))
            return 0;
        const auto second = static_cast<unsigned char>(s[at + 1]);
        if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90))
            return 0;
        return 4;
    }
    return 0;
}

std::uint64_t wordAt(const char *p)
{
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    return word;
}

constexpr std::uint64_t highBits = 0x8080808080808080ULL;

/// How many bytes of a word come before the first one that is not ASCII, from the word's high bits.
int leadingAscii(std::uint64_t high)
{
    return (std::endian::native == std::endian::little ? std::countr_zero(high) : std::countl_zero(high)) / 8;
}

bool isAsciiWord(const char *p)
{
    return (wordAt(p) & highBits) == 0;
}

/// How many bytes from `at` on are ASCII in whole blocks of 32: long texts nearly always are.
std::size_t asciiBlocks(std::string_view s, std::size_t at)
{
    const std::size_t from = at;
    while (at + 32 <= s.size()) {
        const char *p = s.data() + at;
        if ((wordAt(p) | wordAt(p + 8) | wordAt(p + 16) | wordAt(p + 24)) & highBits)
            break;
        at += 32;
    }
    return at - from;
}

} // namespace

std::size_t length(std::string_view s)
{
    std::size_t n = asciiBlocks(s, 0);
    std::size_t at = n;
    while (at < s.size()) {
        if (at + 8 <= s.size()) {
            const std::uint64_t high = wordAt(s.data() + at) & highBits;
            const auto ascii = static_cast<std::size_t>(high ? leadingAscii(high) : 8);
            at += ascii;
            n += ascii;
            if (!high)
                continue;
        }
        const std::size_t bytes = sequence(s, at);
        at += bytes ? bytes : 1;
        ++n;
    }
    return n;
}

std::size_t offset(std::string_view s, std::size_t n)
{
    std::size_t at = 0;
    while (n > 0 && at < s.size()) {
        if (n >= 8 && at + 8 <= s.size() && isAsciiWord(s.data() + at)) {
            at += 8;
            n -= 8;
            continue;
        }
        const std::size_t bytes = sequence(s, at);
        at += bytes ? bytes : 1;
        --n;
    }
    return at;
}

std::string_view head(std::string_view s, std::size_t n)
{
    return s.substr(0, offset(s, n));
}

std::string_view tail(std::string_view s, std::size_t n)
{
    const std::size_t all = length(s);
    return all <= n ? s : s.substr(offset(s, all - n));
}

std::string_view slice(std::string_view s, std::size_t begin, std::size_t end)
{
    if (end <= begin)
        return {};
    const std::size_t from = offset(s, begin);
    return s.substr(from, offset(s.substr(from), end - begin));
}

char32_t next(std::string_view s, std::size_t &at)
{
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(s[i])); };
    const std::size_t bytes = sequence(s, at);
    const std::size_t from = at;
    at += bytes ? bytes : 1;
    switch (bytes) {
    case 1:
        return byte(from);
    case 2:
        return ((byte(from) & 0x1F) << 6) | (byte(from + 1) & 0x3F);
    case 3:
        return ((byte(from) & 0x0F) << 12) | ((byte(from + 1) & 0x3F) << 6) | (byte(from + 2) & 0x3F);
    case 4:
        return ((byte(from) & 0x07) << 18) | ((byte(from + 1) & 0x3F) << 12) | ((byte(from + 2) & 0x3F) << 6) | (byte(from + 3) & 0x3F);
    default:
        return 0xDC00 + byte(from);
    }
}

std::vector<std::string_view> splitLines(std::string_view s)
{
    std::vector<std::string_view> lines;
    std::size_t start = 0;
    for (std::size_t at = 0; at < s.size();) {
        const auto c = static_cast<unsigned char>(s[at]);
        std::size_t bytes = 0; // length of the line break at `at`
        if (c == '\r')
            bytes = at + 1 < s.size() && s[at + 1] == '\n' ? 2 : 1;
        else if ((c >= '\n' && c <= '\f') || (c >= 0x1C && c <= 0x1E))
            bytes = 1;
        else if (c == 0xC2 && s.substr(at).starts_with("\xC2\x85"))
            bytes = 2;
        else if (c == 0xE2 && (s.substr(at).starts_with("\xE2\x80\xA8") || s.substr(at).starts_with("\xE2\x80\xA9")))
            bytes = 3;
        if (bytes == 0) {
            ++at;
            continue;
        }
        lines.push_back(s.substr(start, at - start));
        at += bytes;
        start = at;
    }
    if (start < s.size())
        lines.push_back(s.substr(start));
    return lines;
}

void append(std::string &out, char32_t c)
{
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

bool isValid(std::string_view s)
{
    for (std::size_t at = asciiBlocks(s, 0); at < s.size();) {
        if (at + 8 <= s.size() && isAsciiWord(s.data() + at)) {
            at += 8;
            continue;
        }
        const std::size_t bytes = sequence(s, at);
        if (!bytes)
            return false;
        at += bytes;
    }
    return true;
}

std::string repaired(std::string_view s)
{
    std::string out;
    out.reserve(s.size());
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t bytes = sequence(s, at);
        if (bytes)
            out.append(s.substr(at, bytes));
        else
            append(out, 0xFFFD);
        at += bytes ? bytes : 1;
    }
    return out;
}

} // namespace palimpsest::text
