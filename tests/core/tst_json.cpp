// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/values/json.h"

#include <QTest>

#include <cmath>

using namespace palimpsest;

class TestJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepsWhatPythonWrites_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("written");
        QTest::newRow("nan") << QByteArray("[NaN, -Infinity]") << QByteArray(R"([{"$float":"nan"},{"$float":"-inf"}])");
        QTest::newRow("lone surrogate") << QByteArray(R"("a\ud83dz")") << QByteArray(R"("a\ud83dz")");
        QTest::newRow("pair") << QByteArray(R"("\ud83d\ude00")") << QByteArray("\"\xF0\x9F\x98\x80\"");
        QTest::newRow("big") << QByteArray("18446744073709551615") << QByteArray(R"({"$int":"18446744073709551615"})");
        QTest::newRow("duplicate keys") << QByteArray(R"({"a":1,"a":2})")
                                        << QByteArray(R"({"$map":[["a",1],["a",2]]})");
        QTest::newRow("order") << QByteArray(R"({"z":1,"a":[true,null,{}],"m":[]})")
                               << QByteArray(R"({"z":1,"a":[true,null,{}],"m":[]})");
        QTest::newRow("floats") << QByteArray("[1.0, 0.1, 1e300, -0.0]") << QByteArray("[1.0,0.1,1e+300,-0.0]");
        QTest::newRow("control") << QByteArray("\"\\u0000\\n\"") << QByteArray("\"\\u0000\\n\"");
    }
    void keepsWhatPythonWrites()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, written);
        const auto value = parseJson(json.toStdString());
        QVERIFY(value.has_value());
        QCOMPARE(QByteArray::fromStdString(toJson(*value)), written);
    }
    void refusesWhatIsNoJson()
    {
        for (const char *bad :
            {"", "[", "{\"a\"}", "[1,]", "01", "1.", "\"a", "\"\\x\"", "nul", "[1] 2", "{\"a\":1,}"}) {
            const auto value = parseJson(bad);
            QVERIFY2(!value, bad);
            QVERIFY(value.error().where.starts_with("byte "));
        }
    }
    void survivesNestingBombs()
    {
        const auto value = parseJson(std::string(500000, '['));
        QVERIFY(!value);
        QCOMPARE(value.error().code, Error::Code::Limit);
        QVERIFY(parseJson(std::string(900, '[') + std::string(900, ']')));
    }
    void readsOneDocumentAfterTheOther()
    {
        const std::string lines = "{\"a\":1}\n[2]\n";
        std::size_t at = 0;
        QCOMPARE((*parseJsonAt(lines, at))["a"], Value(1));
        QCOMPARE(*parseJsonAt(lines, at), Value::list({Value(2)}));
    }
    void writesWhatJsonHasNoFormFor()
    {
        QCOMPARE(toJson(Value::bytes("\xFF\x00")), std::string(R"({"$bytes_base64":"/w=="})"));
        QCOMPARE(toJson(Value(Value::Map{{Value(1), Value("x")}})), std::string(R"({"$map":[[1,"x"]]})"));
        QCOMPARE(toJson(Value(Value::Tagged{Value::Form::ConstructorSingle, "uuid", "UUID", Value("a"), {}})),
            std::string(R"({"$class":"uuid.UUID","$value":"a"})"));
    }
};

QTEST_APPLESS_MAIN(TestJson)
#include "tst_json.moc"
