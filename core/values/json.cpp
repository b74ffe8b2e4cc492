// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/json.h"

#include "core/base/base64.h"
#include "core/base/text.h"

#include <charconv>
#include <cmath>
#include <unordered_set>

namespace palimpsest {
namespace {

bool isPlainObject(const Value::Map &map)
{
    for (const auto &[key, value] : map)
        if (!key.isText())
            return false;
    if (map.size() <= 8) {
        for (std::size_t i = 1; i < map.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (map[i].first.asText() == map[j].first.asText())
                    return false;
        return true;
    }
    std::unordered_set<std::string_view> seen;
    for (const auto &[key, value] : map)
        if (!seen.insert(key.asText()).second)
            return false;
    return true;
}

void writeMap(std::string &out, const Value::Map &map)
{
    bool first = true;
    if (isPlainObject(map)) {
        out += '{';
        for (const auto &[key, value] : map) {
            if (!first)
                out += ',';
            first = false;
            writeJsonText(out, key.asText());
            out += ':';
            writeJson(out, value);
        }
        out += '}';
        return;
    }
    out += "{\"$map\":[";
    for (const auto &[key, value] : map) {
        if (!first)
            out += ',';
        first = false;
        out += '[';
        writeJson(out, key);
        out += ',';
        writeJson(out, value);
        out += ']';
    }
    out += "]}";
}

} // namespace

void writeJsonFloat(std::string &out, double number)
{
    char digits[40];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    const std::string_view text(digits, static_cast<std::size_t>(end - digits));
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos)
        out += ".0";
}

void writeJsonText(std::string &out, std::string_view s)
{
    static constexpr char hex[] = "0123456789abcdef";
    out += '"';
    std::size_t plain = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto c = static_cast<unsigned char>(s[i]);
        const bool surrogate = c == 0xED && i + 2 < s.size() && static_cast<unsigned char>(s[i + 1]) >= 0xA0;
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F && !surrogate)
            continue;
        out.append(s.substr(plain, i - plain));
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default: {
            unsigned code = c;
            if (surrogate) {
                std::size_t at = i;
                code = static_cast<unsigned>(text::next(s, at));
                i += 2;
            }
            out += "\\u";
            for (int shift = 12; shift >= 0; shift -= 4)
                out += hex[(code >> shift) & 0xF];
        }
        }
        plain = i + 1;
    }
    out.append(s.substr(plain));
    out += '"';
}

void writeJson(std::string &out, const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Nil:
        out += "null";
        break;
    case Value::Kind::Bool:
        out += value.asBool() ? "true" : "false";
        break;
    case Value::Kind::Int:
        out += std::to_string(value.asInt());
        break;
    case Value::Kind::BigInt:
        out += "{\"$int\":\"" + value.bigIntDigits() + "\"}";
        break;
    case Value::Kind::Float:
        if (std::isfinite(value.asDouble()))
            writeJsonFloat(out, value.asDouble());
        else if (std::isnan(value.asDouble()))
            out += "{\"$float\":\"nan\"}";
        else
            out += value.asDouble() > 0 ? "{\"$float\":\"inf\"}" : "{\"$float\":\"-inf\"}";
        break;
    case Value::Kind::Text:
        writeJsonText(out, value.asText());
        break;
    case Value::Kind::Bytes:
        out += "{\"$bytes_base64\":\"" + base64::encode(value.asBytes()) + "\"}";
        break;
    case Value::Kind::List: {
        out += '[';
        bool first = true;
        for (const Value &item : value.asList()) {
            if (!first)
                out += ',';
            first = false;
            writeJson(out, item);
        }
        out += ']';
        break;
    }
    case Value::Kind::Map:
        writeMap(out, value.asMap());
        break;
    case Value::Kind::Tagged:
        out += "{\"$class\":";
        writeJsonText(out, value.asTagged()->qualifiedName());
        out += ",\"$value\":";
        writeJson(out, value.asTagged()->value);
        out += '}';
        break;
    }
}

std::string toJson(const Value &value)
{
    std::string out;
    writeJson(out, value);
    return out;
}

} // namespace palimpsest
