// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/text.h"
#include "core/values/value.h"

#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

/// Random values of every kind and form that the msgpack decoder can give.
namespace palimpsest::test {

using Form = Value::Form;

inline rc::Gen<Value> anyValue(int depth);

inline rc::Gen<Value> anyText()
{
    return rc::gen::map(rc::gen::container<std::vector<char32_t>>(rc::gen::oneOf(rc::gen::inRange<char32_t>(0, 0x80),
                            rc::gen::inRange<char32_t>(0x80, 0xD800), rc::gen::inRange<char32_t>(0xD800, 0x110000))),
        [](const std::vector<char32_t> &points) {
            std::string text;
            for (const char32_t c : points)
                text::append(text, c);
            return Value(text);
        });
}

inline rc::Gen<Value> anyInteger()
{
    return rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t i) { return Value(i); }),
        rc::gen::map(rc::gen::inRange(-200, 70000), [](int i) { return Value(i); }),
        rc::gen::map(
            rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t i) { return Value::bigInt(std::to_string(i)); }));
}

inline rc::Gen<Value> anyLeaf()
{
    return rc::gen::oneOf(rc::gen::just(Value()),
        rc::gen::map(rc::gen::arbitrary<bool>(), [](bool b) { return Value(b); }), anyInteger(),
        rc::gen::map(rc::gen::arbitrary<double>(), [](double d) { return Value(d); }),
        rc::gen::just(Value(std::nan(""))), anyText(),
        rc::gen::map(rc::gen::arbitrary<std::string>(), [](const std::string &s) { return Value::bytes(s); }));
}

inline rc::Gen<Value> anyTagged(int depth)
{
    return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 7), anyText(), anyText(),
                            rc::gen::container<std::vector<Value>>(anyValue(depth - 1)), anyValue(depth - 1)),
        [](const std::tuple<int, Value, Value, std::vector<Value>, Value> &parts) {
            const auto &[form, module, name, items, value] = parts;
            Value::Tagged tagged{static_cast<Form>(form), module.asText(), name.asText(), value, {}};
            if (tagged.form == Form::ConstructorArgs)
                tagged.value = Value(Value::List(items));
            if (tagged.form == Form::ConstructorKwargs)
                tagged.value = Value::map({{"a", value}});
            if (tagged.form == Form::MethodSingle || tagged.form == Form::PydanticV2)
                tagged.method = "fromisoformat";
            if (tagged.form == Form::Numpy) {
                tagged.module = "numpy";
                tagged.name = "ndarray";
                tagged.value =
                    Value::list({Value("<f8"), Value::list({Value(1)}), Value("C"), Value::bytes("12345678")});
            }
            return Value(tagged);
        });
}

inline rc::Gen<Value> anyValue(int depth)
{
    if (depth <= 0)
        return anyLeaf();
    return rc::gen::withSize([depth](int size) {
        const auto small = [size](rc::Gen<Value> gen) { return rc::gen::resize(size / 3, std::move(gen)); };
        return rc::gen::oneOf(anyLeaf(),
            small(rc::gen::map(rc::gen::container<std::vector<Value>>(anyValue(depth - 1)),
                [](const std::vector<Value> &items) { return Value(Value::List(items)); })),
            small(rc::gen::map(
                rc::gen::container<std::vector<Value::Entry>>(rc::gen::pair(anyValue(depth - 1), anyValue(depth - 1))),
                [](const std::vector<Value::Entry> &entries) { return Value(Value::Map(entries)); })),
            small(anyTagged(depth)));
    });
}

} // namespace palimpsest::test
