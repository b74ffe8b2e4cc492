// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/value.h"

#include <charconv>
#include <cmath>

namespace palimpsest {

Value::Value(Tagged tagged)
    : m_data(std::make_shared<const Tagged>(std::move(tagged)))
{
}

Value Value::bytes(std::string raw)
{
    Value v;
    v.m_data = std::make_shared<const Bytes>(Bytes{std::move(raw)});
    return v;
}

Value Value::bigInt(std::string digits)
{
    std::int64_t small = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), small);
    if (error == std::errc() && end == digits.data() + digits.size())
        return Value(small);
    Value v;
    v.m_data = std::make_shared<const Digits>(Digits{std::move(digits)});
    return v;
}

Value Value::map(std::initializer_list<std::pair<std::string_view, Value>> entries)
{
    Map map;
    map.reserve(entries.size());
    for (const auto &[key, value] : entries)
        map.emplace_back(Value(key), value);
    return Value(std::move(map));
}

Value::Kind Value::kind() const
{
    static constexpr Kind kinds[] = {Kind::Nil, Kind::Bool, Kind::Int, Kind::BigInt, Kind::Float, Kind::Text, Kind::Bytes, Kind::List, Kind::Map, Kind::Tagged};
    return kinds[m_data.index()];
}

bool Value::asBool(bool otherwise) const
{
    const auto *b = std::get_if<bool>(&m_data);
    return b ? *b : otherwise;
}

std::int64_t Value::asInt(std::int64_t otherwise) const
{
    const auto *i = std::get_if<std::int64_t>(&m_data);
    return i ? *i : otherwise;
}

double Value::asDouble(double otherwise) const
{
    if (const auto *d = std::get_if<double>(&m_data))
        return *d;
    if (const auto *i = std::get_if<std::int64_t>(&m_data))
        return static_cast<double>(*i);
    if (const auto *big = std::get_if<BigPtr>(&m_data))
        return std::strtod((*big)->text.c_str(), nullptr);
    return otherwise;
}

namespace {
const std::string emptyText;
const Value::List emptyList;
const Value::Map emptyMap;
const Value nil;
} // namespace

const std::string &Value::asText() const
{
    const auto *s = std::get_if<std::string>(&m_data);
    return s ? *s : emptyText;
}

const std::string &Value::asBytes() const
{
    const auto *b = std::get_if<BytesPtr>(&m_data);
    return b ? (*b)->raw : emptyText;
}

const std::string &Value::bigIntDigits() const
{
    const auto *b = std::get_if<BigPtr>(&m_data);
    return b ? (*b)->text : emptyText;
}

const Value::List &Value::asList() const
{
    const auto *l = std::get_if<ListPtr>(&m_data);
    return l ? **l : emptyList;
}

const Value::Map &Value::asMap() const
{
    const auto *m = std::get_if<MapPtr>(&m_data);
    return m ? **m : emptyMap;
}

const Value::Tagged *Value::asTagged() const
{
    const auto *t = std::get_if<TaggedPtr>(&m_data);
    return t ? t->get() : nullptr;
}

const Value *Value::find(std::string_view key) const
{
    const Map &map = asMap();
    for (auto it = map.rbegin(); it != map.rend(); ++it)
        if (it->first.isText() && it->first.asText() == key)
            return &it->second;
    return nullptr;
}

const Value &Value::operator[](std::string_view key) const
{
    const Value *v = find(key);
    return v ? *v : nil;
}

bool Value::truthy() const
{
    switch (kind()) {
    case Kind::Nil:
        return false;
    case Kind::Bool:
        return asBool();
    case Kind::Int:
        return asInt() != 0;
    case Kind::BigInt:
        return true;
    case Kind::Float:
        return asDouble() != 0;
    case Kind::Text:
        return !asText().empty();
    case Kind::Bytes:
        return !asBytes().empty();
    case Kind::List:
        return !asList().empty();
    case Kind::Map:
        return !asMap().empty();
    case Kind::Tagged:
        return true;
    }
    return true;
}

Value Value::with(std::string_view key, Value value) const
{
    Map copy = asMap();
    for (auto it = copy.rbegin(); it != copy.rend(); ++it)
        if (it->first.isText() && it->first.asText() == key) {
            it->second = std::move(value);
            return Value(std::move(copy));
        }
    copy.emplace_back(Value(key), std::move(value));
    return Value(std::move(copy));
}

Value Value::without(std::string_view key) const
{
    Map copy;
    copy.reserve(asMap().size());
    for (const Entry &entry : asMap())
        if (!entry.first.isText() || entry.first.asText() != key)
            copy.push_back(entry);
    return Value(std::move(copy));
}

bool operator==(const Value &a, const Value &b)
{
    if (a.m_data.index() != b.m_data.index())
        return false;
    switch (a.kind()) {
    case Value::Kind::Nil:
        return true;
    case Value::Kind::Bool:
        return a.asBool() == b.asBool();
    case Value::Kind::Int:
        return a.asInt() == b.asInt();
    case Value::Kind::BigInt:
        return a.bigIntDigits() == b.bigIntDigits();
    case Value::Kind::Float:
        return a.asDouble() == b.asDouble() || (std::isnan(a.asDouble()) && std::isnan(b.asDouble()));
    case Value::Kind::Text:
        return a.asText() == b.asText();
    case Value::Kind::Bytes:
        return a.asBytes() == b.asBytes();
    case Value::Kind::List:
        return &a.asList() == &b.asList() || a.asList() == b.asList();
    case Value::Kind::Tagged:
        return a.asTagged() == b.asTagged() || *a.asTagged() == *b.asTagged();
    case Value::Kind::Map:
        break;
    }
    const Value::Map &left = a.asMap();
    const Value::Map &right = b.asMap();
    if (&left == &right)
        return true;
    if (left.size() != right.size())
        return false;
    // Equal maps nearly always have equal order, so the quadratic search is the exception.
    if (left == right)
        return true;
    std::vector<bool> taken(right.size(), false);
    for (const Value::Entry &entry : left) {
        bool found = false;
        for (std::size_t i = 0; i < right.size() && !found; ++i)
            if (!taken[i] && entry == right[i])
                found = taken[i] = true;
        if (!found)
            return false;
    }
    return true;
}

std::size_t Value::footprint() const
{
    std::size_t n = sizeof(Value);
    switch (kind()) {
    case Kind::Text:
        return n + (asText().capacity() > 15 ? asText().capacity() + 1 : 0);
    case Kind::Bytes:
        return n + asBytes().capacity();
    case Kind::List:
        for (const Value &item : asList())
            n += item.footprint();
        return n + 16;
    case Kind::Map:
        for (const Entry &entry : asMap())
            n += entry.first.footprint() + entry.second.footprint();
        return n + 16;
    case Kind::Tagged:
        return n + asTagged()->value.footprint() + sizeof(Tagged);
    default:
        return n;
    }
}

} // namespace palimpsest
