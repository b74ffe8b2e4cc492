// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace palimpsest {

/// The decoded, structural form of anything stored: immutable, cheap to copy (containers are shared). A class name in a file is a
/// label here; nothing is ever constructed from it.
class Value {
public:
    using List = std::vector<Value>;
    using Entry = std::pair<Value, Value>;
    /// Ordered as stored, keys of any kind, duplicates kept as they came.
    using Map = std::vector<Entry>;

    enum class Kind { Nil, Bool, Int, BigInt, Float, Text, Bytes, List, Map, Tagged };

    /// How a tagged value was stored. The names are those of LangGraph's serializer (langgraph/checkpoint/serde/jsonplus.py, 4.3.2).
    enum class Form {
        ConstructorSingle, ///< ext 0: Class(argument)
        ConstructorArgs, ///< ext 1: Class(*arguments)
        ConstructorKwargs, ///< ext 2: Class(**arguments)
        MethodSingle, ///< ext 3: Class.method(argument)
        PydanticV1, ///< ext 4
        PydanticV2, ///< ext 5
        Numpy, ///< ext 6
        DeltaSnapshot, ///< ext 7: `value` is the channel's whole value
        UnknownExt, ///< any other ext code: `value` is its bytes, `method` the code as text
        LangChain, ///< a JSON `lc` envelope: module path and class from `id`
        Python, ///< a Python-only shape met in goldens or pickles: builtins.tuple, builtins.set, langgraph Overwrite
    };
    struct Tagged;

    Value() = default;
    explicit Value(bool b)
        : m_data(b)
    {
    }
    explicit Value(std::int64_t i)
        : m_data(i)
    {
    }
    explicit Value(int i)
        : m_data(static_cast<std::int64_t>(i))
    {
    }
    explicit Value(double d)
        : m_data(d)
    {
    }
    /// WTF-8 text.
    explicit Value(std::string text)
        : m_data(std::move(text))
    {
    }
    explicit Value(std::string_view text)
        : m_data(std::string(text))
    {
    }
    explicit Value(const char *text)
        : m_data(std::string(text))
    {
    }
    explicit Value(List list)
        : m_data(std::make_shared<const List>(std::move(list)))
    {
    }
    explicit Value(Map map)
        : m_data(std::make_shared<const Map>(std::move(map)))
    {
    }
    explicit Value(Tagged tagged);
    static Value bytes(std::string raw);
    /// An integer outside int64 as decimal digits; one inside becomes Int.
    static Value bigInt(std::string digits);
    static Value list(std::initializer_list<Value> items) { return Value(List(items)); }
    /// A map with text keys, in the order given.
    static Value map(std::initializer_list<std::pair<std::string_view, Value>> entries);

    [[nodiscard]] Kind kind() const;
    [[nodiscard]] bool isNil() const { return std::holds_alternative<std::monostate>(m_data); }
    [[nodiscard]] bool isText() const { return std::holds_alternative<std::string>(m_data); }
    [[nodiscard]] bool isList() const { return std::holds_alternative<ListPtr>(m_data); }
    [[nodiscard]] bool isMap() const { return std::holds_alternative<MapPtr>(m_data); }
    [[nodiscard]] bool isInt() const { return std::holds_alternative<std::int64_t>(m_data); }
    [[nodiscard]] bool isBool() const { return std::holds_alternative<bool>(m_data); }
    [[nodiscard]] bool isFloat() const { return std::holds_alternative<double>(m_data); }
    [[nodiscard]] bool isTagged() const { return std::holds_alternative<TaggedPtr>(m_data); }
    [[nodiscard]] bool isBytes() const { return std::holds_alternative<BytesPtr>(m_data); }

    // Each accessor gives an empty value of its kind when the value is of another kind.
    [[nodiscard]] bool asBool(bool otherwise = false) const;
    [[nodiscard]] std::int64_t asInt(std::int64_t otherwise = 0) const;
    /// Float or int as double.
    [[nodiscard]] double asDouble(double otherwise = 0) const;
    [[nodiscard]] const std::string &asText() const;
    [[nodiscard]] const std::string &asBytes() const;
    [[nodiscard]] const std::string &bigIntDigits() const;
    [[nodiscard]] const List &asList() const;
    [[nodiscard]] const Map &asMap() const;
    /// Null when the value is not tagged.
    [[nodiscard]] const Tagged *asTagged() const;

    /// The entry with this text key, or null; the last one when a key is there twice, as in Python.
    [[nodiscard]] const Value *find(std::string_view key) const;
    /// The entry with this text key, or nil.
    [[nodiscard]] const Value &operator[](std::string_view key) const;
    [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
    /// Python's truth of the value: nil, false, zero and empty are false.
    [[nodiscard]] bool truthy() const;

    /// A copy of this map with `key` set (in its place when there, else at the end).
    [[nodiscard]] Value with(std::string_view key, Value value) const;
    /// A copy of this map without `key`.
    [[nodiscard]] Value without(std::string_view key) const;

    /// Structural equality; NaN equals NaN, 1 and 1.0 and true differ, map order does not count.
    friend bool operator==(const Value &, const Value &);

    /// Rough heap use in bytes, shared parts counted each time they are met.
    [[nodiscard]] std::size_t footprint() const;

private:
    struct Digits {
        std::string text;
        bool operator==(const Digits &) const = default;
    };
    struct Bytes {
        std::string raw;
    };
    using BytesPtr = std::shared_ptr<const Bytes>;
    using BigPtr = std::shared_ptr<const Digits>;
    using ListPtr = std::shared_ptr<const List>;
    using MapPtr = std::shared_ptr<const Map>;
    using TaggedPtr = std::shared_ptr<const Tagged>;
    std::variant<std::monostate, bool, std::int64_t, BigPtr, double, std::string, BytesPtr, ListPtr, MapPtr, TaggedPtr> m_data;
};

struct Value::Tagged {
    Form form = Form::ConstructorSingle;
    std::string module; ///< "langchain_core.messages.human"
    std::string name; ///< "HumanMessage"
    Value value; ///< argument, list of arguments or map of keyword arguments, by `form`
    std::string method; ///< for MethodSingle, or the method kept beside pydantic values

    bool operator==(const Tagged &) const = default;
    [[nodiscard]] std::string qualifiedName() const { return module.empty() ? name : module + "." + name; }
};

} // namespace palimpsest
