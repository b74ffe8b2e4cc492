// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/serde/msgpack.h"
#include "core/values/pyrepr.h"
#include "tests/support/anyvalue.h"

#include <QFile>
#include <QTest>

using namespace palimpsest;
using namespace std::string_literals;

Q_DECLARE_METATYPE(palimpsest::Value)

namespace {

std::string fileBytes(const char *name)
{
    QFile file(QStringLiteral(PALIMPSEST_TEST_DATA "/serde/") + QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

Value python(const char *name, Value value)
{
    return Value(Value::Tagged{Value::Form::Python, "builtins", name, std::move(value), {}});
}

} // namespace

class TestPyrepr : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void looksLikePythonsObjects()
    {
        // What Python read back from the same bytes.
        const Result<Value> typed = decodeMsgpack(fileBytes("typed.msgpack"));
        const Result<Value> expected = parseJson(fileBytes("typed.repr.json"));
        QVERIFY(typed && expected);
        for (const char *key : {"none", "big", "neg", "float", "nan", "inf", "bytes", "tuple", "set", "frozenset",
                 "deque", "decimal", "complexless", "datetime", "date", "delta", "uuid", "ip", "namedtuple",
                 "dataclass", "pydantic", "send", "exception", "surrogate", "nul", "ext_looking"}) {
            const std::string repr = pyrepr((*typed)[key]);
            QVERIFY2(repr == (*expected)[key].asText(), (key + ": "s + repr).c_str());
        }
    }

    void writesBytesTuplesAndSets_data()
    {
        QTest::addColumn<Value>("value");
        QTest::addColumn<QString>("repr");
        const auto row = [](const Value &value, const char *repr) {
            QTest::newRow(repr) << value << QString::fromUtf8(repr);
        };
        row(Value::bytes("a'\n\0\xFF"s), "b\"a'\\n\\x00\\xff\"");
        row(Value::bytes("'\""), "b'\\'\"'");
        row(Value::bytes(""), "b''");
        row(python("bytearray", Value::bytes("a")), "bytearray(b'a')");
        row(python("tuple", Value(Value::List{})), "()");
        row(python("tuple", Value::list({Value(1)})), "(1,)");
        row(python("tuple", Value::list({Value(1), Value("x")})), "(1, 'x')");
        row(python("set", Value(Value::List{})), "set()");
        row(python("set", Value::list({Value(1)})), "{1}");
        row(python("frozenset", Value::list({Value(1)})), "frozenset({1})");
        row(python("str", Value::bytes("caf\xE9")), "'caf\\udce9'");
        row(Value(Value::Map{{Value(1), Value("one")}, {Value(), Value(true)}}), "{1: 'one', None: True}");
        // json.loads('{"a": 1, "b": 2, "a": 3}')
        row(Value(Value::Map{{Value("a"), Value(1)}, {Value("b"), Value(2)}, {Value("a"), Value(3)}}),
            "{'a': 3, 'b': 2}");
    }
    void writesBytesTuplesAndSets()
    {
        QFETCH(Value, value);
        QFETCH(QString, repr);
        QCOMPARE(QString::fromStdString(pyrepr(value)), repr);
    }

    void dropsDuplicatesOfLargeMapsToo()
    {
        Value::Map map;
        for (int i = 0; i < 100; ++i)
            map.emplace_back(Value(std::to_string(i % 50)), Value(i));
        const std::string repr = pyrepr(Value(map));
        QVERIFY(repr.starts_with("{'0': 50, '1': 51, "));
        QVERIFY(repr.ends_with("'49': 99}"));
        QCOMPARE(pyreprLength(Value(map)), repr.size());
    }

    void lengthIsThatOfTheRepr()
    {
        QVERIFY(rc::check("pyreprLength(value) == length(pyrepr(value))", [] {
            const Value value = *test::anyValue(3);
            RC_ASSERT(pyreprLength(value) == text::length(pyrepr(value)));
        }));
        QVERIFY(rc::check("texts with many quotes and controls", [] {
            const std::string s =
                *rc::gen::container<std::string>(rc::gen::elementOf("abcdefgh'\"\\\n\t\x01\x7F\xC3\xA9 "s));
            RC_ASSERT(pyreprLength(Value(s)) == text::length(pyrepr(Value(s))));
        }));
    }
};

QTEST_APPLESS_MAIN(TestPyrepr)
#include "tst_pyrepr.moc"
