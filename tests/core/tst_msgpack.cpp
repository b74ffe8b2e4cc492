// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/msgpack.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/typed.h"
#include "tests/support/anyvalue.h"
#include "core/serde/msgpackencode.h"

#include <QTest>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

using namespace palimpsest;
using namespace std::string_literals;
Q_DECLARE_METATYPE(palimpsest::Value)

using Form = Value::Form;

namespace {

Value decoded(const std::string &bytes)
{
    const Result<Value> value = decodeMsgpack(bytes);
    if (!value)
        qWarning("%s: %s", value.error().where.c_str(), value.error().what.c_str());
    return value ? *value : Value(Value::Tagged{Form::Python, "test", "Failed", Value(), {}});
}

} // namespace

class TestMsgpack : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void decodesScalars_data()
    {
        QTest::addColumn<QByteArray>("hex");
        QTest::addColumn<Value>("expected");
        const auto row = [](const char *hex, const Value &value) {
            QTest::newRow(hex) << QByteArray::fromHex(hex) << value;
        };
        row("c0", Value());
        row("c2", Value(false));
        row("c3", Value(true));
        row("00", Value(0));
        row("7f", Value(127));
        row("ff", Value(-1));
        row("e0", Value(-32));
        row("cc80", Value(128));
        row("cdffff", Value(65535));
        row("ceffffffff", Value(std::int64_t(4294967295)));
        row("cf7fffffffffffffff", Value(std::numeric_limits<std::int64_t>::max()));
        row("cfffffffffffffffff", Value::bigInt("18446744073709551615"));
        row("cf8000000000000000", Value::bigInt("9223372036854775808"));
        row("d080", Value(-128));
        row("d18000", Value(-32768));
        row("d280000000", Value(std::int64_t(-2147483648LL)));
        row("d38000000000000000", Value(std::numeric_limits<std::int64_t>::min()));
        row("d005", Value(5));
        row("ca3fc00000", Value(1.5));
        row("cb3ff8000000000000", Value(1.5));
        row("cb7ff8000000000000", Value(std::nan("")));
        row("cb7ff0000000000000", Value(std::numeric_limits<double>::infinity()));
        row("a0", Value(""));
        row("a3616263", Value("abc"));
        row("d903616263", Value("abc"));
        row("da0003616263", Value("abc"));
        row("db00000003616263", Value("abc"));
        row("a3eda080", Value("\xED\xA0\x80"));
        row("c40200ff", Value::bytes("\0\xFF"s));
        row("c5000141", Value::bytes("A"));
        row("c60000000141", Value::bytes("A"));
        row("90", Value(Value::List{}));
        row("80", Value(Value::Map{}));
        row("93010203", Value::list({Value(1), Value(2), Value(3)}));
        row("dc000101", Value::list({Value(1)}));
        row("dd0000000101", Value::list({Value(1)}));
        row("81a16101", Value::map({{"a", Value(1)}}));
        row("de0001a16101", Value::map({{"a", Value(1)}}));
        row("df00000001a16101", Value::map({{"a", Value(1)}}));
    }
    void decodesScalars()
    {
        QFETCH(QByteArray, hex);
        QFETCH(Value, expected);
        const std::string bytes = hex.toStdString();
        QVERIFY(decoded(bytes) == expected);
        QCOMPARE(msgpackSkip(bytes, 0).value_or(0), bytes.size());
        for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
            QVERIFY(!decodeMsgpack(bytes.substr(0, cut)));
            QVERIFY(!msgpackSkip(bytes.substr(0, cut), 0));
        }
        const Result<Value> followed = decodeMsgpack(bytes + '\0');
        QVERIFY(!followed);
        QCOMPARE(followed.error().code, Error::Code::Malformed);
        QCOMPARE(followed.error().where, "byte " + std::to_string(bytes.size()));
    }

    void keepsAnyMapKeyAndDuplicates()
    {
        Value::Map map;
        map.emplace_back(Value(1), Value("one"));
        map.emplace_back(Value(), Value("nil"));
        map.emplace_back(Value::list({Value(1), Value("x")}), Value("list"));
        map.emplace_back(Value(Value::Map{{Value("k"), Value(2)}}), Value("map"));
        map.emplace_back(Value("a"), Value(1));
        map.emplace_back(Value("a"), Value(2));
        const Value value(map);
        const Value back = decoded(encodeMsgpack(value));
        QCOMPARE(back.asMap().size(), map.size());
        QVERIFY(back == value);
        QCOMPARE(back["a"].asInt(), 2);
    }

    void decodesEachExtCode()
    {
        const auto tuple = [](std::initializer_list<Value> parts) { return encodeMsgpack(Value::list(parts)); };
        const Value kwargs = Value::map({{"content", Value("hi")}, {"type", Value("human")}});
        QVERIFY(decoded(msgpackExt(0, tuple({Value("uuid"), Value("UUID"), Value("ab12")})))
            == Value(Value::Tagged{Form::ConstructorSingle, "uuid", "UUID", Value("ab12"), {}}));
        QVERIFY(decoded(msgpackExt(
                    1, tuple({Value("datetime"), Value("date"), Value::list({Value(2026), Value(1), Value(2)})})))
            == Value(Value::Tagged{
                Form::ConstructorArgs, "datetime", "date", Value::list({Value(2026), Value(1), Value(2)}), {}}));
        QVERIFY(decoded(msgpackExt(2, tuple({Value("m"), Value("D"), kwargs})))
            == Value(Value::Tagged{Form::ConstructorKwargs, "m", "D", kwargs, {}}));
        QVERIFY(decoded(msgpackExt(
                    3, tuple({Value("datetime"), Value("datetime"), Value("2026-01-01"), Value("fromisoformat")})))
            == Value(Value::Tagged{Form::MethodSingle, "datetime", "datetime", Value("2026-01-01"), "fromisoformat"}));
        QVERIFY(decoded(msgpackExt(4, tuple({Value("m"), Value("V1"), kwargs})))
            == Value(Value::Tagged{Form::PydanticV1, "m", "V1", kwargs, {}}));
        QVERIFY(decoded(msgpackExt(5,
                    tuple({Value("langchain_core.messages.human"), Value("HumanMessage"), kwargs,
                        Value("model_validate_json")})))
            == Value(Value::Tagged{
                Form::PydanticV2, "langchain_core.messages.human", "HumanMessage", kwargs, "model_validate_json"}));
        const Value array = Value::list({Value("<f8"), Value::list({Value(1)}), Value("C"), Value::bytes("12345678")});
        QVERIFY(decoded(msgpackExt(6, encodeMsgpack(array)))
            == Value(Value::Tagged{Form::Numpy, "numpy", "ndarray", array, {}}));
        QVERIFY(decoded(msgpackExt(7, encodeMsgpack(kwargs)))
            == Value(
                Value::Tagged{Form::DeltaSnapshot, "langgraph.checkpoint.serde.types", "_DeltaSnapshot", kwargs, {}}));
    }

    void keepsUnknownAndIllFormedExts_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("payload");
        QTest::newRow("code 42") << 42 << QByteArray("\x01\x02\x03");
        QTest::newRow("timestamp") << -1 << QByteArray("abcd");
        QTest::newRow("empty payload") << 5 << QByteArray();
        QTest::newRow("no tuple") << 5 << QByteArray("\x01");
        QTest::newRow("short tuple") << 5 << QByteArray("\x92\xa1m\xa1n");
        QTest::newRow("names are no text") << 0 << QByteArray("\x93\x01\x02\x03");
        QTest::newRow("positional arguments are no list") << 1 << QByteArray("\x93\xa1m\xa1n\x03");
        QTest::newRow("keyword arguments are no map") << 2 << QByteArray("\x93\xa1m\xa1n\x03");
        QTest::newRow("no method") << 3 << QByteArray("\x93\xa1m\xa1n\x03");
        QTest::newRow("payload cut off") << 5 << QByteArray("\x93\xa1m\xa1n");
        QTest::newRow("bytes behind") << 7 << QByteArray("\x01\x01");
    }
    void keepsUnknownAndIllFormedExts()
    {
        QFETCH(int, code);
        QFETCH(QByteArray, payload);
        const std::string bytes = "\x92"s + msgpackExt(code, payload.toStdString()) + "\x07";
        const Value value = decoded(bytes);
        QCOMPARE(value.asList().size(), std::size_t(2));
        const Value::Tagged *tagged = value.asList()[0].asTagged();
        QVERIFY(tagged);
        QCOMPARE(tagged->form, Form::UnknownExt);
        QCOMPARE(tagged->method, std::to_string(code));
        QCOMPARE(tagged->value.asBytes(), payload.toStdString());
        QCOMPARE(value.asList()[1].asInt(), 7);
    }

    void losesNoByteOfTextThatIsNotUtf8()
    {
        for (const std::string &raw : {"caf\xE9"s, "\xFF"s, "\xC0\x80"s, "abcdefgh\x80"s, "\xF5\x80\x80\x80"s}) {
            const std::string bytes = "\x81\xA1k"s + static_cast<char>(0xA0 + raw.size()) + raw;
            const Value value = decoded(bytes);
            const std::string *kept = brokenText(value["k"]);
            QVERIFY(kept);
            QCOMPARE(*kept, raw);
        }
        QVERIFY(!brokenText(Value("fine")));
        QVERIFY(!brokenText(Value::bytes("\xFF")));
    }

    void refusesLengthsThatCannotBeTrue_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        for (const char *hex : {"db7fffffff616263", "dbffffffff", "c67fffffff00", "c6ffffffff", "c97fffffff05",
                 "c9ffffffff05", "dd7fffffff", "ddffffffff01", "df7fffffff", "dfffffffff0101", "dcffff", "deffff0101"})
            QTest::newRow(hex) << QByteArray::fromHex(hex);
        QByteArray nested; // each level announces more than follows
        for (int i = 0; i < 500; ++i)
            nested += QByteArray::fromHex("dd000f4240");
        nested += QByteArray(1000000, '\x01');
        QTest::newRow("nested long lists") << nested;
        QByteArray inExt = QByteArray(1000000, '\x01');
        for (int i = 0; i < 200; ++i) {
            const QByteArray inner = QByteArray::fromHex("dd000f4240") + inExt;
            inExt = QByteArray::fromStdString(msgpackExt(7, inner.toStdString()));
        }
        QTest::newRow("long lists in exts") << QByteArray("\x92") + inExt;
    }
    void refusesLengthsThatCannotBeTrue()
    {
        QFETCH(QByteArray, bytes);
        const Result<Value> value = decodeMsgpack(bytes.toStdString());
        QVERIFY(!value);
        QCOMPARE(value.error().code, Error::Code::Malformed);
        QVERIFY(!value.error().where.empty());
        QVERIFY(!msgpackSkip(bytes.toStdString(), 0));
    }

    void stopsAtTheDepthLimit()
    {
        const auto nestedLists = [](std::size_t depth) { return std::string(depth, '\x91') + "\x01"; };
        QVERIFY(decodeMsgpack(nestedLists(1024)));
        const Result<Value> deep = decodeMsgpack(nestedLists(1025));
        QVERIFY(!deep);
        QCOMPARE(deep.error().code, Error::Code::Limit);
        QCOMPARE(decodeMsgpack(nestedLists(5'000'000)).error().code, Error::Code::Limit);
        QCOMPARE(decodeMsgpack(std::string(5'000'000, '\x81')).error().code, Error::Code::Limit);
        // The scanner has no stack at all.
        QCOMPARE(msgpackSkip(nestedLists(5'000'000), 0).value_or(0), std::size_t(5'000'001));

        const auto nestedExts = [](int depth) {
            std::string bytes = "\x01";
            for (int i = 0; i < depth; ++i)
                bytes = msgpackExt(7, bytes);
            return bytes;
        };
        QVERIFY(decodeMsgpack(nestedExts(1000)));
        QCOMPARE(decodeMsgpack(nestedExts(3000)).error().code, Error::Code::Limit);
        QVERIFY(!decodeMsgpack("\x93\x01\x01\x01"s, MsgpackLimits{1024, 3}));
        QVERIFY(decodeMsgpack("\x93\x01\x01\x01"s, MsgpackLimits{1024, 4}));
    }

    void findsKeysAndElements()
    {
        const Value messages = Value::list({Value("a"),
            Value(Value::Tagged{Form::PydanticV2, "m", "H", Value::map({{"x", Value(1)}}), "v"}), Value(3)});
        const Value checkpoint =
            Value::map({{"v", Value(4)}, {"channel_values", Value::map({{"messages", messages}, {"n", Value(1)}})},
                {"channel_versions", Value::map({{"messages", Value("0001.5")}})}});
        const std::string bytes = encodeMsgpack(checkpoint);
        const auto range = msgpackFind(bytes, {"channel_values", "messages"});
        QVERIFY(range && *range);
        QVERIFY(decoded(std::string((*range)->of(bytes))) == messages);
        const auto elements = msgpackElements(bytes, (*range)->begin);
        QVERIFY(elements);
        QCOMPARE(elements->size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(decoded(std::string((*elements)[i].of(bytes))) == messages.asList()[i]);
        QCOMPARE(elements->back().end, (*range)->end);
        const auto entries = msgpackEntries(bytes, 0);
        QVERIFY(entries);
        QCOMPARE(entries->size(), std::size_t(3));
        QCOMPARE(msgpackText(bytes, (*entries)[2].key.begin).value_or(""), std::string_view("channel_versions"));
        QCOMPARE(entries->back().value.end, bytes.size());
        QVERIFY(!*msgpackFind(bytes, {"channel_values", "absent"}));
        QVERIFY(!*msgpackFind(bytes, {"v", "absent"}));
        QVERIFY(msgpackElements(bytes, 0)->empty());
        QCOMPARE((*msgpackFind("\x82\xA1k\x01\xA1k\x02"s, 0, "k"))->begin, std::size_t(6));
        QVERIFY(!msgpackFind(bytes.substr(0, bytes.size() - 1), {"v"}));
        const auto head = msgpackHead(bytes, (*elements)[1].begin);
        QVERIFY(head);
        QCOMPARE(head->kind, MsgpackHead::Kind::Ext);
        QCOMPARE(head->number, 5);
    }

    void decodesWhatWasEncoded()
    {
        const bool good = rc::check("decode(encode(value)) == value", [] {
            const Value value = *test::anyValue(3);
            const std::string bytes = encodeMsgpack(value);
            const Result<Value> back = decodeMsgpack(bytes);
            RC_ASSERT(back.has_value());
            RC_ASSERT(*back == value);
            RC_ASSERT(msgpackSkip(bytes, 0).value_or(0) == bytes.size());
        });
        QVERIFY(good);
    }

    void neverCrashesOnDamage()
    {
        const bool good = rc::check("cut and changed bytes give a value or an error", [] {
            std::string bytes = encodeMsgpack(*test::anyValue(3));
            const bool cut = *rc::gen::arbitrary<bool>();
            if (cut)
                bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
            else
                for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
                    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
            const Result<Value> value = decodeMsgpack(bytes);
            const Result<std::size_t> end = msgpackSkip(bytes, 0);
            if (!value)
                RC_ASSERT(!value.error().what.empty());
            if (cut) {
                RC_ASSERT(!value);
                RC_ASSERT(!end);
            }
            // What the decoder takes, the scanner passes over.
            if (value)
                RC_ASSERT(end.value_or(0) == bytes.size());
        });
        QVERIFY(good);
    }

    void decodesTypedRows()
    {
        QVERIFY(*decodeTyped("null", "") == Value());
        QVERIFY(*decodeTyped("bytes", "a\0b"s) == Value::bytes("a\0b"s));
        QVERIFY(*decodeTyped("bytearray", "ab")
            == Value(Value::Tagged{Form::Python, "builtins", "bytearray", Value::bytes("ab"), {}}));
        QVERIFY(*decodeTyped("msgpack", "\x93\x01\xC0\xA1x") == Value::list({Value(1), Value(), Value("x")}));
        QVERIFY(*decodeTyped("json", "{\"a\": [1, null]}") == Value::map({{"a", Value::list({Value(1), Value()})}}));
        for (const char *type : {"pickle", "msgpack+aes", "null+aes", "toml", ""}) {
            const Result<Value> value = decodeTyped(type, "abc");
            QVERIFY(!value);
            QCOMPARE(value.error().code, Error::Code::Unsupported);
            QVERIFY(!value.error().what.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestMsgpack)
#include "tst_msgpack.moc"
