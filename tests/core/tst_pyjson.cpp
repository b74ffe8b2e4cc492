// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/values/pyjson.h"

#include <QTest>

#include <cmath>

using namespace palimpsest;
using namespace std::string_literals;

namespace {

Value python(const char *name, Value value)
{
    return Value(Value::Tagged{Value::Form::Python, "builtins", name, std::move(value), {}});
}

Value sample()
{
    return Value(Value::Map{{Value("k"),
                                Value::list({Value(1), Value(2.5), Value(), Value(true),
                                    Value("\xC3\xA9\xE2\x80\xA8\xF0\x9F\x99\x82\x7F\x01\"\\/\b\f")})},
        {Value("e"), Value(Value::Map{})}, {Value("l"), Value(Value::List{})}, {Value("n"), Value(std::nan(""))},
        {Value("i"), Value(-HUGE_VAL)}, {Value("t"), python("tuple", Value::list({Value(1)}))},
        {Value("big"), Value::bigInt("1180591620717411303424")}, {Value(3), Value("int")}, {Value(), Value("none")},
        {Value(true), Value(1)}, {Value(1.5), Value(0)}});
}

} // namespace

/// Every expected text was printed by json.dumps of Python 3.11.
class TestPyjson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void escapesToAsciiByDefault()
    {
        QCOMPARE(*pyjson(sample()),
            "{\"k\": [1, 2.5, null, true, \"\\u00e9\\u2028\\ud83d\\ude42\\u007f\\u0001\\\"\\\\/\\b\\f\"], \"e\": {}, \"l\": [], \"n\": NaN, \"i\": -Infinity, \"t\": [1], \"big\": 1180591620717411303424, \"3\": \"int\", \"null\": \"none\", \"true\": 1, \"1.5\": 0}"s);
        QCOMPARE(*pyjson(Value("\xED\xA0\x80x")), "\"\\ud800x\""s);
    }

    void keepsTextWhenAsked()
    {
        PyJsonOptions options;
        options.ensureAscii = false;
        QCOMPARE(*pyjson(sample()["k"], options),
            "[1, 2.5, null, true, \"\xC3\xA9\xE2\x80\xA8\xF0\x9F\x99\x82\x7F\\u0001\\\"\\\\/\\b\\f\"]"s);
        QCOMPARE(*pyjson(Value("\xED\xA0\x80x"), options), "\"\xED\xA0\x80x\""s);
    }

    void indentsAndSeparates()
    {
        PyJsonOptions options;
        options.indent = 1;
        QCOMPARE(*pyjson(Value::list({Value(1), Value::list({Value(2)})}), options), "[\n 1,\n [\n  2\n ]\n]"s);
        options.indent = 0;
        QCOMPARE(*pyjson(Value::list({Value(Value::List{}), Value(Value::Map{})}), options), "[\n[],\n{}\n]"s);
        options.indent = 2;
        QCOMPARE(*pyjson(Value::map({{"a", Value(1)}, {"b", Value(Value::List{})}}), options),
            "{\n  \"a\": 1,\n  \"b\": []\n}"s);
        options = {};
        options.itemSeparator = ",";
        options.keySeparator = ":";
        QCOMPARE(*pyjson(Value::map({{"a", Value::list({Value(1), Value(2)})}, {"b", Value()}}), options),
            "{\"a\":[1,2],\"b\":null}"s);
    }

    void sortsKeysAndWritesFloatsAsPython()
    {
        PyJsonOptions options;
        options.sortKeys = true;
        QCOMPARE(*pyjson(Value::map({{"b", Value(1)}, {"a", Value::map({{"d", Value(1)}, {"c", Value(2)}})}}), options),
            "{\"a\": {\"c\": 2, \"d\": 1}, \"b\": 1}"s);
        QCOMPARE(
            *pyjson(Value::list({Value(1e16), Value(1e-5), Value(-0.0), Value(1e22)})), "[1e+16, 1e-05, -0.0, 1e+22]"s);
    }

    void keepsTheLastOfDuplicateKeys()
    {
        QCOMPARE(*pyjson(Value(Value::Map{{Value("a"), Value(1)}, {Value("b"), Value(2)}, {Value("a"), Value(3)}})),
            "{\"a\": 3, \"b\": 2}"s);
    }

    void refusesWhatPythonRefuses()
    {
        const auto refusal = [](const Value &value) {
            const Result<std::string> json = pyjson(value);
            return json ? "taken: " + *json : json.error().what;
        };
        QCOMPARE(refusal(Value::bytes("x")), "Object of type bytes is not JSON serializable"s);
        QCOMPARE(refusal(python("set", Value::list({Value(1)}))), "Object of type set is not JSON serializable"s);
        QCOMPARE(refusal(Value(Value::Map{{python("tuple", Value::list({Value(1)})), Value(3)}})),
            "keys must be str, int, float, bool or None, not tuple"s);
        QCOMPARE(refusal(Value(Value::Map{{Value::bytes("k"), Value(3)}})),
            "keys must be str, int, float, bool or None, not bytes"s);
        PyJsonOptions options;
        options.defaultStr = true;
        QCOMPARE(
            *pyjson(Value::map({{"d", Value::bytes("x")}, {"s", python("set", Value::list({Value(1)}))}}), options),
            "{\"d\": \"b'x'\", \"s\": \"{1}\"}"s);
    }
};

QTEST_APPLESS_MAIN(TestPyjson)
#include "tst_pyjson.moc"
