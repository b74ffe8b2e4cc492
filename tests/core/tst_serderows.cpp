// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/aes.h"
#include "core/serde/envelope.h"
#include "core/serde/json.h"
#include "core/serde/pickle.h"
#include "core/serde/typed.h"
#include "core/thread/message.h"

#include <QFile>
#include <QTest>

using namespace palimpsest;
using namespace std::string_literals;
using Form = Value::Form;

namespace {

std::string fileBytes(const char *name)
{
    QFile file(QStringLiteral(PALIMPSEST_TEST_DATA "/serde/") + QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

Value opened(const char *json)
{
    const Result<Value> value = decodeTyped("json", json);
    return value ? *value : Value("unreadable");
}

constexpr const char *key = "0123456789abcdef";

} // namespace

/// Rows that are more than msgpack: JSON with envelopes, encrypted rows, pickles.
class TestSerdeRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void opensConstructors()
    {
        const Value message = opened(
            R"({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "hi", "id": "h1"}})");
        QVERIFY(message.asTagged());
        QCOMPARE(message.asTagged()->form, Form::LangChain);
        QCOMPARE(message.asTagged()->qualifiedName(), "langchain.schema.messages.HumanMessage"s);
        const MessagePtr human = messageFromValue(message);
        QVERIFY(human);
        QCOMPARE(human->kind, MessageKind::Human);
        QCOMPARE(human->content.asText(), "hi"s);
        QCOMPARE(*human->id, "h1"s);
    }

    void opensWhatOldSaversWrote()
    {
        const Value value = opened(
            R"({"when": {"lc": 2, "type": "constructor", "id": ["datetime", "datetime"], "method": "fromisoformat", "args": ["2024-01-02T03:04:05+00:00"], "kwargs": {}},
                "set": {"lc": 2, "type": "constructor", "id": ["builtins", "set"], "args": [[1, 2]]},
                "path": {"lc": 2, "type": "constructor", "id": ["pathlib", "Path"], "args": ["/", "a"]},
                "blob": {"lc": 2, "type": "constructor", "id": ["builtins", "bytes"], "method": "fromhex", "args": ["00ff"], "kwargs": {}},
                "model": {"lc": 2, "type": "constructor", "id": ["m", "Model"], "method": [null, "construct"], "args": [], "kwargs": {"x": 1}},
                "point": {"lc": 2, "type": "constructor", "id": ["m", "Point"], "method": null, "args": [], "kwargs": {"x": 1}}})");
        QVERIFY(value["when"]
            == Value(Value::Tagged{
                Form::MethodSingle, "datetime", "datetime", Value("2024-01-02T03:04:05+00:00"), "fromisoformat"}));
        QVERIFY(value["set"]
            == Value(Value::Tagged{Form::ConstructorSingle, "builtins", "set", Value::list({Value(1), Value(2)}), {}}));
        QVERIFY(value["path"]
            == Value(
                Value::Tagged{Form::ConstructorArgs, "pathlib", "Path", Value::list({Value("/"), Value("a")}), {}}));
        QVERIFY(value["blob"] == Value::bytes("\0\xFF"s));
        QVERIFY(value["model"]
            == Value(Value::Tagged{Form::PydanticV1, "m", "Model", Value::map({{"x", Value(1)}}), "construct"}));
        QVERIFY(value["point"]
            == Value(Value::Tagged{Form::ConstructorKwargs, "m", "Point", Value::map({{"x", Value(1)}}), {}}));
    }

    void opensWhatJavaScriptWrites()
    {
        const Result<Value> row = decodeTyped("json", fileBytes("js_messages.json"));
        QVERIFY(row);
        const MessagePtr tool = messageFromValue(row->asList().at(0));
        QVERIFY(tool);
        QCOMPARE(tool->kind, MessageKind::Tool);
        QCOMPARE(*tool->toolCallId, "o1"s);
        // User data that looks like a record stays a map; what is stored inside it as records is opened.
        const Value &artifact = tool->artifact;
        QVERIFY(artifact.isMap());
        QCOMPARE(artifact["lc"].asInt(), 1);
        QVERIFY(artifact["bytes"] == Value::bytes("\0\xFF\x07"s));
        QVERIFY(artifact["set"]
            == Value(Value::Tagged{Form::ConstructorSingle, {}, "Set", Value::list({Value(1), Value(2)}), {}}));
        QVERIFY(artifact["map"]
            == Value(Value::Tagged{Form::ConstructorSingle, {}, "Map", Value::map({{"k", Value("v")}}), {}}));
        QVERIFY(artifact["re"]
            == Value(Value::Tagged{Form::ConstructorArgs, {}, "RegExp", Value::list({Value("a+b"), Value("gi")}), {}}));
        QVERIFY(artifact.contains("nothing"));
        QVERIFY(artifact["nothing"].isNil());

        QVERIFY(opened(R"({"lc": 2, "type": "delta_snapshot", "value": [1]})")
            == Value(Value::Tagged{Form::DeltaSnapshot, "langgraph.checkpoint.serde.types", "_DeltaSnapshot",
                Value::list({Value(1)}), {}}));
        QVERIFY(opened(R"({"__lc_escaped__": {"lc": 1, "type": "constructor", "id": ["x"], "kwargs": {}}})").isMap());
    }

    void keepsEnvelopesOfOtherShape_data()
    {
        QTest::addColumn<QByteArray>("json");
        for (const char *json : {R"({"lc": 1, "type": "constructor", "id": ["x"]})",
                 R"({"lc": 1, "type": "constructor", "id": [1], "kwargs": {}})",
                 R"({"lc": 1, "type": "constructor", "id": "x", "kwargs": {}})",
                 R"({"lc": 1, "type": "secret", "id": ["KEY"]})",
                 R"({"lc": 1, "type": "not_implemented", "id": ["a", "B"], "repr": "B"})",
                 R"({"lc": 3, "type": "constructor", "id": ["x"], "kwargs": {}})",
                 R"({"lc": 2, "type": "constructor", "id": []})", R"({"lc": 2, "type": "delta_snapshot"})",
                 R"({"lc": 2, "type": "new thing"})"})
            QTest::newRow(json) << QByteArray(json);
    }
    void keepsEnvelopesOfOtherShape()
    {
        QFETCH(QByteArray, json);
        QVERIFY(opened(json.constData()) == *parseJson(json.toStdString()));
    }

    void sharesWhatHasNoEnvelope()
    {
        const Value plain = *parseJson(R"({"a": [1, {"b": 2}], "c": [{"lc": 2, "type": "undefined"}]})");
        const Value value = openEnvelopes(plain);
        QCOMPARE(&value["a"].asList(), &plain["a"].asList());
        QVERIFY(value["c"].asList().at(0).isNil());
    }

    void opensEncryptedRows()
    {
        const std::string row = fileBytes("checkpoint.msgpack+aes");
        const Result<Value> checkpoint = decodeTyped("msgpack+aes", row, key);
        QVERIFY2(checkpoint, checkpoint ? "" : checkpoint.error().what.c_str());
        QCOMPARE((*checkpoint)["channel_values"]["extra"]["secret"].asText(), "heron"s);
        QVERIFY(messageFromValue((*checkpoint)["channel_values"]["messages"].asList().at(0)));
        const Result<Value> nothing = decodeTyped("null+aes", fileBytes("null+aes"), key);
        QVERIFY(nothing);
        QVERIFY(nothing->isNil());
    }

    void refusesEncryptedRowsItCannotOpen()
    {
        const std::string row = fileBytes("checkpoint.msgpack+aes");
        QCOMPARE(decodeTyped("msgpack+aes", row).error().code, Error::Code::Unsupported);
        QCOMPARE(decodeTyped("msgpack+aes", row, "short").error().code, Error::Code::Invalid);
        QCOMPARE(decodeTyped("msgpack+rot13", row, key).error().code, Error::Code::Unsupported);
        QCOMPARE(decodeTyped("msgpack+aes", row, "fedcba9876543210").error().code, Error::Code::Malformed);
        for (std::size_t cut = 0; cut < row.size(); cut += 7)
            QVERIFY(!decodeTyped("msgpack+aes", row.substr(0, cut), key));
        std::string changed = row;
        changed[100] = static_cast<char>(changed[100] ^ 1);
        QVERIFY(!decryptAesEax(changed, key));
        QVERIFY(!decryptAesEax(row, "0123456789abcdef01234567"));
        QVERIFY(!decryptAesEax(row, "0123456789abcdef0123456789abcdef"));
    }

    void readsTheSaversPickles()
    {
        // (thread, namespace, channel, version) -> (type, bytes)
        const Result<Value> blobs = readClosedPickle(fileBytes("checkpoint.3.pckl"));
        QVERIFY2(blobs, blobs ? "" : blobs.error().what.c_str());
        QVERIFY(!blobs->asMap().empty());
        std::size_t decoded = 0;
        for (const auto &[place, typed] : blobs->asMap()) {
            QVERIFY(place.asTagged());
            QCOMPARE(place.asTagged()->value.asList().size(), std::size_t(4));
            const Value::List &pair = typed.asTagged()->value.asList();
            QCOMPARE(pair.size(), std::size_t(2));
            if (pair[0].asText() == "empty")
                continue;
            QVERIFY(decodeTyped(pair[0].asText(), pair[1].asBytes()));
            ++decoded;
        }
        QVERIFY(decoded > 0);
    }

    void takesNothingElseFromAPickle_data()
    {
        QTest::addColumn<QByteArray>("pickle");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("other class") << QByteArray::fromStdString(fileBytes("retry_counter.pckl"))
                                     << QByteArray("uuid.UUID");
        QTest::newRow("system") << QByteArray::fromStdString("cos\nsystem\n(X\x02\0\0\0lstR."s)
                                << QByteArray("os.system");
        QTest::newRow("frame cut off") << QByteArray::fromStdString("\x80\x04\x95"s) << QByteArray("cut off");
        QTest::newRow("protocol 6") << QByteArray::fromStdString("\x80\x06N."s) << QByteArray("protocol 6");
        QTest::newRow("instance") << QByteArray("(ios\nsystem\n.") << QByteArray("opcode INST (0x69)");
        QTest::newRow("build") << QByteArray("}}b.") << QByteArray("(BUILD)");
        QTest::newRow("dict of arguments")
            << QByteArray("c__builtin__\ndict\nN\x85R.") << QByteArray("calls __builtin__.dict");
        QTest::newRow("function as value") << QByteArray("c__builtin__\ndict\n.") << QByteArray("function");
        QTest::newRow("contains itself") << QByteArray::fromStdString("}q\0K\1h\0s."s) << QByteArray("contains itself");
        QTest::newRow("empty stack") << QByteArray(".") << QByteArray("0 values");
        QTest::newRow("no mark") << QByteArray("}u.") << QByteArray("no mark");
        QTest::newRow("items of none") << QByteArray("NNNs.") << QByteArray("no dict");
        QTest::newRow("never remembered") << QByteArray("h\7.") << QByteArray("never remembered");
        QTest::newRow("2 GB text") << QByteArray("X\xFF\xFF\xFF\x7Fxx") << QByteArray("cut off");
        QByteArray deep = "}";
        for (int i = 0; i < 100000; ++i)
            deep += "\x85"; // a tuple around it
        QTest::newRow("deep") << deep + "." << QByteArray("deeper");
        QByteArray wide = QByteArray::fromStdString(")q\0"s);
        for (int i = 0; i < 150; ++i)
            wide += QByteArray::fromStdString("h\0h\0\x86q\0"s); // twice the last
        QTest::newRow("doubling") << wide + "." << QByteArray("values");
    }
    void takesNothingElseFromAPickle()
    {
        QFETCH(QByteArray, pickle);
        QFETCH(QByteArray, says);
        const Result<Value> value = readClosedPickle(pickle.toStdString());
        QVERIFY(!value);
        QVERIFY2(value.error().what.find(says.toStdString()) != std::string::npos, value.error().what.c_str());
    }

    void readsNoPickleThatIsCutOff()
    {
        const std::string pickle = fileBytes("checkpoint.3.pckl");
        for (std::size_t cut = 0; cut < pickle.size(); cut += 3)
            QVERIFY(!readClosedPickle(std::string_view(pickle).substr(0, cut)));
    }
};

QTEST_APPLESS_MAIN(TestSerdeRows)
#include "tst_serderows.moc"
