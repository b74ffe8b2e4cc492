// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/pyrepr.h"

#include "core/base/text.h"
#include "core/values/nonprintable.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace palimpsest {
namespace {

/// One bit a code point; filled once from the ranges.
class PrintableBits {
public:
    PrintableBits()
        : m_words(0x110000 / 64, ~std::uint64_t(0))
    {
        for (const auto &[first, last] : nonPrintableRanges)
            for (char32_t c = first; c <= last; ++c) {
                if (c % 64 == 0 && last - c >= 64) {
                    m_words[c / 64] = 0;
                    c += 63;
                } else {
                    m_words[c / 64] &= ~(std::uint64_t(1) << (c % 64));
                }
            }
    }
    [[nodiscard]] bool test(char32_t c) const { return c < 0x110000 && (m_words[c / 64] >> (c % 64) & 1); }

private:
    std::vector<std::uint64_t> m_words;
};

const PrintableBits &printableBits()
{
    static const PrintableBits bits;
    return bits;
}

/// Writes to text, or only counts code points. The walk over a value is the same.
struct TextSink {
    std::string &out;
    void ascii(std::string_view text) { out += text; }
    void raw(std::string_view wtf8) { out += wtf8; }
    void text(std::string_view wtf8);
    void bytes(std::string_view raw);
    void number(double d) { appendPyFloat(out, d); }
    void number(std::int64_t i) { out += std::to_string(i); }
};

struct LengthSink {
    std::size_t n = 0;
    void ascii(std::string_view text) { n += text.size(); }
    void raw(std::string_view wtf8) { n += text::length(wtf8); }
    void text(std::string_view wtf8);
    void bytes(std::string_view raw);
    void number(double d)
    {
        std::string digits;
        appendPyFloat(digits, d);
        n += digits.size();
    }
    void number(std::int64_t i)
    {
        char digits[24];
        n += static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, i).ptr - digits);
    }
};

void hexEscape(std::string &out, char32_t c)
{
    static constexpr char hex[] = "0123456789abcdef";
    const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
    out += '\\';
    out += digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        out += hex[(c >> shift) & 0xF];
}

/// Objects/unicodeobject.c unicode_repr: single quotes unless the text has some and no double ones.
char quoteFor(std::string_view text)
{
    return text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
}

/// The letter of a short escape, or 0.
char shortEscape(char c, char quote)
{
    switch (c) {
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\\':
        return '\\';
    default:
        return c == quote ? c : '\0';
    }
}

void TextSink::text(std::string_view s)
{
    const char quote = quoteFor(s);
    out.reserve(out.size() + s.size() + 2);
    out += quote;
    std::size_t plain = 0;
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t from = at;
        const auto lead = static_cast<unsigned char>(s[at]);
        char32_t c = lead;
        char escape = '\0';
        if (lead < 0x80) {
            ++at;
            escape = shortEscape(static_cast<char>(lead), quote);
            if (!escape && lead >= 0x20 && lead != 0x7F)
                continue;
        } else {
            c = text::next(s, at);
            if (isPythonPrintable(c))
                continue;
        }
        out.append(s.substr(plain, from - plain));
        if (escape) {
            out += '\\';
            out += escape;
        } else {
            hexEscape(out, c);
        }
        plain = at;
    }
    out.append(s.substr(plain));
    out += quote;
}

constexpr std::uint64_t everyByte(unsigned char b)
{
    return 0x0101010101010101ULL * b;
}

/// Eight ASCII characters. A mark is the high bit of a character's byte.
class AsciiWord {
public:
    explicit AsciiWord(std::uint64_t word)
        : m_word(word)
    {
    }
    /// Marks of the characters below `c`.
    [[nodiscard]] std::uint64_t below(unsigned char c) const
    {
        return ~(m_word + everyByte(static_cast<unsigned char>(0x80 - c))) & everyByte(0x80);
    }
    [[nodiscard]] std::uint64_t equal(unsigned char c) const
    {
        return ~((m_word ^ everyByte(c)) + everyByte(0x7F)) & everyByte(0x80);
    }
    static std::size_t number(std::uint64_t marks) { return ((marks >> 7) * everyByte(1)) >> 56; }

private:
    std::uint64_t m_word;
};

/// What a text adds to the length of a repr beside its quotes.
struct TextCost {
    std::size_t plain = 0; ///< with no quote escaped
    std::size_t singles = 0; ///< quotes
    std::size_t doubles = 0;

    /// The ASCII bytes that eight bytes begin with; how many there are.
    std::size_t take(const char *p)
    {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, p, sizeof bytes);
        std::size_t count = sizeof bytes;
        if (const std::uint64_t high = bytes & everyByte(0x80)) {
            if constexpr (std::endian::native != std::endian::little)
                return 0;
            count = static_cast<std::size_t>(std::countr_zero(high)) / 8;
            // Letters stand for themselves.
            const std::uint64_t mask = (std::uint64_t(1) << (8 * count)) - 1;
            bytes = (bytes & mask) | (everyByte('a') & ~mask);
        }
        plain += count;
        const AsciiWord word(bytes);
        const std::uint64_t four = word.below(0x20) | word.equal(0x7F);
        const std::uint64_t backslash = word.equal('\\');
        const std::uint64_t single = word.equal('\'');
        const std::uint64_t doubled = word.equal('"');
        if (!(four | backslash | single | doubled))
            return count;
        const std::uint64_t two = word.equal('\t') | word.equal('\n') | word.equal('\r');
        plain += 3 * AsciiWord::number(four) - 2 * AsciiWord::number(two) + AsciiWord::number(backslash);
        singles += AsciiWord::number(single);
        doubles += AsciiWord::number(doubled);
        return count;
    }
};

/// What an ASCII character adds to the length of a repr; quotes are counted apart.
constexpr std::array<std::uint8_t, 128> asciiCost = [] {
    std::array<std::uint8_t, 128> cost{};
    for (std::size_t c = 0; c < cost.size(); ++c)
        cost[c] = c < 0x20 || c == 0x7F ? 4 : 1;
    cost['\t'] = cost['\n'] = cost['\r'] = cost['\\'] = 2;
    return cost;
}();

void LengthSink::text(std::string_view s)
{
    TextCost cost;
    for (std::size_t at = 0; at < s.size();) {
        if (at + 8 <= s.size()) {
            const std::size_t ascii = cost.take(s.data() + at);
            at += ascii;
            if (ascii == 8)
                continue;
        }
        const auto lead = static_cast<unsigned char>(s[at]);
        if (lead >= 0x80) {
            const char32_t c = text::next(s, at);
            cost.plain += isPythonPrintable(c) ? 1 : c < 0x100 ? 4 : c < 0x10000 ? 6 : 10;
            continue;
        }
        cost.plain += asciiCost[lead];
        cost.singles += lead == '\'';
        cost.doubles += lead == '"';
        ++at;
    }
    // Single quotes are escaped only when the text has double ones too.
    n += 2 + cost.plain + (cost.doubles > 0 ? cost.singles : 0);
}

/// Objects/bytesobject.c PyBytes_Repr.
void TextSink::bytes(std::string_view raw)
{
    const char quote = quoteFor(raw);
    out += 'b';
    out += quote;
    for (const char c : raw) {
        const auto code = static_cast<unsigned char>(c);
        if (const char escape = shortEscape(c, quote)) {
            out += '\\';
            out += escape;
        } else if (code < 0x20 || code >= 0x7F) {
            hexEscape(out, code);
        } else {
            out += c;
        }
    }
    out += quote;
}

void LengthSink::bytes(std::string_view raw)
{
    const char quote = quoteFor(raw);
    n += 3;
    for (const char c : raw) {
        const auto code = static_cast<unsigned char>(c);
        n += shortEscape(c, quote) ? 2 : code < 0x20 || code >= 0x7F ? 4 : 1;
    }
}

template <class Sink> void walk(Sink &sink, const Value &value);

template <class Sink>
void walkItems(Sink &sink, const Value::List &items, std::string_view open, std::string_view close)
{
    sink.ascii(open);
    bool first = true;
    for (const Value &item : items) {
        if (!first)
            sink.ascii(", ");
        first = false;
        walk(sink, item);
    }
    sink.ascii(close);
}

bool sameKey(const Value &a, const Value &b)
{
    return a.isText() && b.isText() ? a.asText() == b.asText() : a == b;
}

bool hasDuplicateKeys(const Value::Map &map)
{
    if (map.size() < 2)
        return false;
    if (map.size() <= 16) {
        // Not initialised: this runs for every small map of a log.
        std::array<const std::string *, 16> texts;
        std::size_t n = 0;
        for (std::size_t k = 0; k < map.size(); ++k) {
            const Value &key = map[k].first;
            if (!key.isText()) {
                for (std::size_t i = 0; i < k; ++i)
                    if (sameKey(map[i].first, key))
                        return true;
                continue;
            }
            const std::string &text = key.asText();
            for (std::size_t i = 0; i < n; ++i)
                if (texts[i]->size() == text.size() && *texts[i] == text)
                    return true;
            texts[n++] = &text;
        }
        return false;
    }
    std::unordered_map<std::string_view, int> seen;
    seen.reserve(map.size());
    for (const auto &[key, value] : map)
        if (key.isText() && ++seen[key.asText()] > 1)
            return true;
    return false;
}

/// As a Python dict keeps them: the first place, the last value.
Value::Map withoutDuplicates(const Value::Map &map)
{
    Value::Map unique;
    std::unordered_map<std::string_view, std::size_t> places;
    for (const auto &entry : map) {
        std::size_t at = unique.size();
        if (entry.first.isText()) {
            at = places.try_emplace(entry.first.asText(), at).first->second;
        } else if (map.size() <= 16) {
            for (std::size_t i = unique.size(); i-- > 0;)
                if (sameKey(unique[i].first, entry.first))
                    at = i;
        }
        if (at < unique.size())
            unique[at].second = entry.second;
        else
            unique.push_back(entry);
    }
    return unique;
}

template <class Sink> void walkDict(Sink &sink, const Value::Map &map)
{
    if (hasDuplicateKeys(map)) {
        walkDict(sink, withoutDuplicates(map));
        return;
    }
    sink.ascii("{");
    bool first = true;
    for (const auto &[key, item] : map) {
        if (!first)
            sink.ascii(", ");
        first = false;
        walk(sink, key);
        sink.ascii(": ");
        walk(sink, item);
    }
    sink.ascii("}");
}

template <class Sink> void walkCall(Sink &sink, std::string_view name, const Value &arguments)
{
    sink.raw(name);
    sink.ascii("(");
    bool first = true;
    const auto separate = [&] {
        if (!first)
            sink.ascii(", ");
        first = false;
    };
    for (const Value &argument : arguments.asList()) {
        separate();
        walk(sink, argument);
    }
    for (const auto &[key, argument] : arguments.asMap()) {
        separate();
        sink.raw(pystr(key));
        sink.ascii("=");
        walk(sink, argument);
    }
    sink.ascii(")");
}

/// datetime.timedelta(days=1, seconds=2): zeros are left out.
template <class Sink> void walkTimedelta(Sink &sink, const Value::List &parts)
{
    static constexpr std::array<std::string_view, 3> names{"days", "seconds", "microseconds"};
    Value::Map given;
    for (std::size_t i = 0; i < parts.size() && i < names.size(); ++i)
        if (parts[i].truthy())
            given.emplace_back(Value(names[i]), parts[i]);
    walkCall(sink, "datetime.timedelta", given.empty() ? Value::list({Value(0)}) : Value(std::move(given)));
}

/// "2026-01-02T03:04:05.000006+00:00" as datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc); empty
/// when it is no such text or has another offset.
std::string datetimeRepr(const std::string &iso)
{
    std::array<int, 7> n{};
    std::size_t at = 0;
    const auto number = [&](std::size_t width, int &out) {
        const auto [end, error] = std::from_chars(iso.data() + at, iso.data() + std::min(iso.size(), at + width), out);
        const bool good = error == std::errc() && static_cast<std::size_t>(end - iso.data()) == at + width;
        at += width;
        return good;
    };
    static constexpr std::array<std::pair<std::size_t, char>, 6> fields{
        {{4, '-'}, {2, '-'}, {2, 'T'}, {2, ':'}, {2, ':'}, {2, '.'}}};
    std::size_t i = 0;
    for (; i < fields.size(); ++i) {
        if (!number(fields[i].first, n[i]))
            return {};
        if (at >= iso.size() || iso[at] != fields[i].second) {
            ++i;
            break;
        }
        ++at;
    }
    if (at > 0 && at < iso.size() + 1 && iso[at - 1] == '.' && !number(6, n[6]))
        return {};
    const std::string_view zone = std::string_view(iso).substr(std::min(at, iso.size()));
    if (i < 5 || (!zone.empty() && zone != "+00:00"))
        return {};
    std::string out = "datetime.datetime(";
    const std::size_t shown = n[6] ? 7 : n[5] ? 6 : 5;
    for (std::size_t k = 0; k < shown; ++k)
        out += (k ? ", " : "") + std::to_string(n[k]);
    return out + (zone.empty() ? ")" : ", tzinfo=datetime.timezone.utc)");
}

std::string hyphenated(const std::string &hex)
{
    if (hex.size() != 32)
        return hex;
    return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' + hex.substr(16, 4) + '-'
        + hex.substr(20);
}

template <class Sink> void walkTagged(Sink &sink, const Value::Tagged &tagged)
{
    using Form = Value::Form;
    const Value &value = tagged.value;
    const bool builtin = tagged.module == "builtins" || tagged.module.empty();
    if (builtin && tagged.name == "str" && value.isBytes()) {
        sink.text(value.asBytes());
    } else if (builtin && tagged.name == "bytearray") {
        sink.ascii("bytearray(");
        walk(sink, value);
        sink.ascii(")");
    } else if (builtin && tagged.name == "tuple" && value.isList()) {
        walkItems(sink, value.asList(), "(", value.asList().size() == 1 ? ",)" : ")");
    } else if (builtin && tagged.name == "set" && value.isList()) {
        if (value.asList().empty())
            sink.ascii("set()");
        else
            walkItems(sink, value.asList(), "{", "}");
    } else if (builtin && tagged.name == "frozenset" && value.isList()) {
        if (value.asList().empty())
            sink.ascii("frozenset()");
        else
            walkItems(sink, value.asList(), "frozenset({", "})");
    } else if (tagged.name == "Overwrite" && tagged.module == "langgraph.types" && tagged.form == Form::Python) {
        walkCall(sink, "Overwrite", Value::map({{"value", value}, {"type", Value("__overwrite__")}}));
    } else if (tagged.name == "Send" && tagged.form == Form::ConstructorArgs && value.asList().size() == 2) {
        walkCall(sink, "Send", Value::map({{"node", value.asList()[0]}, {"arg", value.asList()[1]}}));
    } else if (tagged.module == "uuid" && tagged.name == "UUID" && value.isText()) {
        walkCall(sink, "UUID", Value::list({Value(hyphenated(value.asText()))}));
    } else if (tagged.module == "datetime" && tagged.name == "timedelta" && value.isList()) {
        walkTimedelta(sink, value.asList());
    } else if (tagged.module == "datetime" && tagged.name == "date" && value.isList()) {
        walkCall(sink, "datetime.date", value);
    } else if (tagged.module == "datetime" && tagged.name == "datetime" && !datetimeRepr(value.asText()).empty()) {
        sink.ascii(datetimeRepr(value.asText()));
    } else if (tagged.module.starts_with("pathlib") && value.isList()) {
        std::string path;
        for (const Value &part : value.asList())
            path += (path.empty() || path.ends_with('/') ? "" : "/") + part.asText();
        walkCall(sink, tagged.name, Value::list({Value(path)}));
    } else if (value.isMap() || tagged.form == Form::ConstructorArgs) {
        walkCall(sink, tagged.name, value);
    } else if (tagged.form == Form::UnknownExt) {
        walkCall(sink, "Ext", Value::list({Value::bigInt(tagged.method), value}));
    } else {
        walkCall(sink, tagged.name, Value::list({value}));
    }
}

template <class Sink> void walk(Sink &sink, const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Nil:
        sink.ascii("None");
        break;
    case Value::Kind::Bool:
        sink.ascii(value.asBool() ? "True" : "False");
        break;
    case Value::Kind::Int:
        sink.number(value.asInt());
        break;
    case Value::Kind::BigInt:
        sink.ascii(value.bigIntDigits());
        break;
    case Value::Kind::Float:
        sink.number(value.asDouble());
        break;
    case Value::Kind::Text:
        sink.text(value.asText());
        break;
    case Value::Kind::Bytes:
        sink.bytes(value.asBytes());
        break;
    case Value::Kind::List:
        walkItems(sink, value.asList(), "[", "]");
        break;
    case Value::Kind::Map:
        walkDict(sink, value.asMap());
        break;
    case Value::Kind::Tagged:
        walkTagged(sink, *value.asTagged());
        break;
    }
}

} // namespace

bool isPythonPrintable(char32_t c)
{
    return printableBits().test(c);
}

void appendPyFloat(std::string &out, double number)
{
    if (std::isnan(number)) {
        out += "nan";
        return;
    }
    if (std::signbit(number))
        out += '-';
    if (std::isinf(number)) {
        out += "inf";
        return;
    }
    // "d.ddde±xx" holds the shortest digits; Python's float_repr_style "short" lays them out (Python/pystrtod.c
    // format_float_short).
    char buffer[40];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, std::fabs(number), std::chars_format::scientific).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const std::size_t e = text.find('e');
    int exponent = 0;
    std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
    std::string digits(1, text[0]);
    if (e > 2)
        digits += text.substr(2, e - 2);
    const auto count = static_cast<int>(digits.size());
    if (exponent < -4 || exponent >= 16) {
        out += digits[0];
        if (count > 1)
            out.append(1, '.').append(digits, 1);
        out += 'e';
        out += exponent < 0 ? '-' : '+';
        const int size = std::abs(exponent);
        if (size < 10)
            out += '0';
        out += std::to_string(size);
    } else if (exponent < 0) {
        out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
    } else if (count <= exponent + 1) {
        out.append(digits).append(static_cast<std::size_t>(exponent + 1 - count), '0').append(".0");
    } else {
        const auto point = static_cast<std::size_t>(exponent) + 1;
        out.append(digits, 0, point).append(1, '.').append(digits, point);
    }
}

void appendPyrepr(std::string &out, const Value &value)
{
    TextSink sink{out};
    walk(sink, value);
}

std::string pyrepr(const Value &value)
{
    std::string out;
    appendPyrepr(out, value);
    return out;
}

std::size_t pyreprLength(const Value &value)
{
    LengthSink sink;
    walk(sink, value);
    return sink.n;
}

std::string pystr(const Value &value)
{
    return value.isText() ? value.asText() : pyrepr(value);
}

} // namespace palimpsest
