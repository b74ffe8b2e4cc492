// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/pyjson.h"

#include "core/base/text.h"
#include "core/values/pyrepr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace palimpsest {
namespace {

void hexEscape(std::string &out, unsigned unit)
{
    static constexpr char hex[] = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += hex[(unit >> shift) & 0xF];
}

/// The letter of a short escape, or 0.
char shortEscape(unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        return static_cast<char>(c);
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '\f':
        return 'f';
    case '\b':
        return 'b';
    default:
        return '\0';
    }
}

/// Whether a byte stands for itself.
using PlainBytes = std::array<bool, 256>;
constexpr PlainBytes plainBytes(bool ensureAscii)
{
    PlainBytes plain{};
    for (std::size_t c = 0x20; c < plain.size(); ++c)
        plain[c] = c != '"' && c != '\\' && !(ensureAscii && c >= 0x7F);
    return plain;
}

/// Modules/_json.c ascii_escape_unicode and escape_unicode.
void appendText(std::string &out, std::string_view s, bool ensureAscii)
{
    static constexpr PlainBytes plainAscii = plainBytes(true);
    static constexpr PlainBytes plainText = plainBytes(false);
    const PlainBytes &stands = ensureAscii ? plainAscii : plainText;
    out.reserve(out.size() + s.size() + 2);
    out += '"';
    std::size_t plain = 0;
    for (std::size_t at = 0; at < s.size();) {
        const auto lead = static_cast<unsigned char>(s[at]);
        if (stands[lead]) {
            ++at;
            continue;
        }
        out.append(s.substr(plain, at - plain));
        if (const char escape = shortEscape(lead)) {
            out += '\\';
            out += escape;
            ++at;
        } else if (lead < 0x80) {
            hexEscape(out, lead);
            ++at;
        } else {
            char32_t c = text::next(s, at);
            if (c >= 0x10000) {
                c -= 0x10000;
                hexEscape(out, 0xD800 + static_cast<unsigned>(c >> 10));
                hexEscape(out, 0xDC00 + static_cast<unsigned>(c & 0x3FF));
            } else {
                hexEscape(out, static_cast<unsigned>(c));
            }
        }
        plain = at;
    }
    out.append(s.substr(plain));
    out += '"';
}

std::string typeNameOf(const Value &value)
{
    if (value.isBytes())
        return "bytes";
    if (value.isList())
        return "list";
    if (value.isMap())
        return "dict";
    const Value::Tagged *tagged = value.asTagged();
    return tagged ? tagged->name : "object";
}

class Dump {
public:
    Dump(std::string &out, const PyJsonOptions &options)
        : m_out(out)
        , m_options(options)
        , m_items(options.itemSeparator.value_or(options.indent ? "," : ", "))
        , m_keys(options.keySeparator.value_or(": "))
    {
    }

    std::string error; ///< Python's words, empty while all is well

    void write(const Value &value, int level = 0)
    {
        switch (value.kind()) {
        case Value::Kind::Nil:
            m_out += "null";
            break;
        case Value::Kind::Bool:
            m_out += value.asBool() ? "true" : "false";
            break;
        case Value::Kind::Int:
            m_out += std::to_string(value.asInt());
            break;
        case Value::Kind::BigInt:
            m_out += value.bigIntDigits();
            break;
        case Value::Kind::Float:
            m_out += number(value.asDouble());
            break;
        case Value::Kind::Text:
            appendText(m_out, value.asText(), m_options.ensureAscii);
            break;
        case Value::Kind::List:
            list(value.asList(), level);
            break;
        case Value::Kind::Map:
            map(value.asMap(), level);
            break;
        case Value::Kind::Bytes:
        case Value::Kind::Tagged:
            other(value, level);
            break;
        }
    }

private:
    static std::string number(double d)
    {
        if (std::isnan(d))
            return "NaN";
        if (std::isinf(d))
            return d < 0 ? "-Infinity" : "Infinity";
        std::string out;
        appendPyFloat(out, d);
        return out;
    }

    void newLine(int level)
    {
        if (!m_options.indent)
            return;
        m_out += '\n';
        m_out.append(static_cast<std::size_t>(std::max(0, *m_options.indent * level)), ' ');
    }

    void list(const Value::List &items, int level)
    {
        if (items.empty()) {
            m_out += "[]";
            return;
        }
        m_out += '[';
        bool first = true;
        for (const Value &item : items) {
            if (!first)
                m_out += m_items;
            first = false;
            newLine(level + 1);
            write(item, level + 1);
        }
        newLine(level);
        m_out += ']';
    }

    void map(const Value::Map &entries, int level)
    {
        std::vector<const Value::Entry *> order;
        order.reserve(entries.size());
        std::unordered_map<std::string_view, std::size_t> places;
        for (const auto &entry : entries) {
            // As a Python dict: a key that is there twice keeps its first place and its last value.
            std::size_t at = order.size();
            if (entries.size() > 16 && entry.first.isText()) {
                at = places.try_emplace(entry.first.asText(), at).first->second;
            } else if (entries.size() <= 16) {
                for (std::size_t i = 0; i < order.size() && at == order.size(); ++i)
                    if (order[i]->first == entry.first)
                        at = i;
            }
            if (at < order.size())
                order[at] = &entry;
            else
                order.push_back(&entry);
        }
        if (m_options.sortKeys)
            std::stable_sort(order.begin(), order.end(),
                [](const auto *a, const auto *b) { return a->first.asText() < b->first.asText(); });
        if (order.empty()) {
            m_out += "{}";
            return;
        }
        m_out += '{';
        bool first = true;
        for (const Value::Entry *entry : order) {
            if (!first)
                m_out += m_items;
            first = false;
            newLine(level + 1);
            key(entry->first);
            m_out += m_keys;
            write(entry->second, level + 1);
        }
        newLine(level);
        m_out += '}';
    }

    void key(const Value &key)
    {
        std::string text;
        switch (key.kind()) {
        case Value::Kind::Text:
            text = key.asText();
            break;
        case Value::Kind::Nil:
            text = "null";
            break;
        case Value::Kind::Bool:
            text = key.asBool() ? "true" : "false";
            break;
        case Value::Kind::Int:
            text = std::to_string(key.asInt());
            break;
        case Value::Kind::BigInt:
            text = key.bigIntDigits();
            break;
        case Value::Kind::Float:
            text = number(key.asDouble());
            break;
        default:
            fail("keys must be str, int, float, bool or None, not " + typeNameOf(key));
            text = pystr(key);
        }
        appendText(m_out, text, m_options.ensureAscii);
    }

    void other(const Value &value, int level)
    {
        const Value::Tagged *tagged = value.asTagged();
        if (tagged && tagged->name == "tuple" && tagged->module == "builtins" && tagged->value.isList()) {
            list(tagged->value.asList(), level);
            return;
        }
        if (!m_options.defaultStr)
            fail("Object of type " + typeNameOf(value) + " is not JSON serializable");
        appendText(m_out, pystr(value), m_options.ensureAscii);
    }

    void fail(std::string what)
    {
        if (error.empty())
            error = std::move(what);
    }

    std::string &m_out;
    const PyJsonOptions &m_options;
    std::string m_items;
    std::string m_keys;
};

} // namespace

Result<std::string> pyjson(const Value &value, const PyJsonOptions &options)
{
    std::string out;
    Dump dump(out, options);
    dump.write(value);
    if (!dump.error.empty())
        return failure(Error::Code::Invalid, "json", dump.error);
    return out;
}

} // namespace palimpsest
