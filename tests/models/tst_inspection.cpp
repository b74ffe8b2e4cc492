// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/display.h"
#include "models/inspection.h"

#include <QTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

const InspectionSection *sectionNamed(const Inspection &inspection, const QString &title)
{
    for (const InspectionSection &section : inspection.sections)
        if (section.title == title)
            return &section;
    return nullptr;
}

Message aiWithCall(const char *tool, Value args)
{
    Message message;
    message.kind = MessageKind::Ai;
    message.type = "ai";
    message.id = "m1";
    message.toolCalls = Value::list({Value::map(
        {{"name", Value(tool)}, {"args", std::move(args)}, {"id", Value("call-1")}, {"type", Value("tool_call")}})});
    return message;
}

} // namespace

class TestInspection : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void argumentsAreCodeOfTheirFile()
    {
        const Message message = aiWithCall("write_file",
            Value::map({{"file_path", Value("/src/main.py")}, {"content", Value("def f():\n    return 1\n")}}));
        const Inspection inspection = inspectMessage(message);
        QCOMPARE(inspection.title, u"AI message"_s);
        const InspectionSection *content = sectionNamed(inspection, u"write_file · content"_s);
        QVERIFY(content);
        QCOMPARE(content->kind, InspectionSection::Kind::Code);
        QCOMPARE(content->fileName, u"main.py"_s);
        QVERIFY(content->syntax.isEmpty());
        const InspectionSection *head = sectionNamed(inspection, u"Calls write_file"_s);
        QVERIFY(head);
        QVERIFY(head->facts.contains(std::pair(u"file_path"_s, u"/src/main.py"_s)));
    }

    void shellAndStructuredArgumentsHaveTheirSyntax()
    {
        const Message message =
            aiWithCall("execute", Value::map({{"command", Value("ls -l")}, {"env", Value::map({{"A", Value(1)}})}}));
        const Inspection inspection = inspectMessage(message);
        QCOMPARE(sectionNamed(inspection, u"execute · command"_s)->syntax, u"Bash"_s);
        QCOMPARE(sectionNamed(inspection, u"execute · env"_s)->syntax, u"JSON"_s);
    }

    void aToolResultIsInTheLanguageOfTheFileRead()
    {
        const Message call = aiWithCall("read_file", Value::map({{"file_path", Value("/a/b.cpp")}}));
        const auto views = toolCalls(call);
        Message result;
        result.kind = MessageKind::Tool;
        result.toolCallId = "call-1";
        result.content = Value("int main() {}");
        const Inspection inspection = inspectMessage(result, &views.front());
        QCOMPARE(sectionNamed(inspection, u"Content"_s)->fileName, u"b.cpp"_s);
        QCOMPARE(inspection.title, u"Tool result · read_file"_s);
        QCOMPARE(inspection.plain, u"int main() {}"_s);
    }

    void jsonTextIsShownAsJson()
    {
        Message message;
        message.kind = MessageKind::Tool;
        message.content = Value(" {\"a\": 1}\n");
        QCOMPARE(sectionNamed(inspectMessage(message), u"Content"_s)->syntax, u"JSON"_s);
    }

    void remotePicturesStayText()
    {
        Message message;
        message.kind = MessageKind::Human;
        message.content = Value::list({Value::map({{"type", Value("text")}, {"text", Value("look")}}),
            Value::map({{"type", Value("image")}, {"url", Value("https://example.invalid/a.png")}}),
            Value::map({{"type", Value("surprise")}, {"x", Value(7)}})});
        const Inspection inspection = inspectMessage(message);
        const InspectionSection *image = sectionNamed(inspection, u"Block 1 · image"_s);
        QVERIFY(image);
        QVERIFY(image->facts.front().second.contains(u"not fetched"_s));
        QVERIFY(sectionNamed(inspection, u"Block 2 · surprise"_s)->text.contains(u"\"x\": 7"_s));
    }

    void odd_data()
    {
        QTest::addColumn<Value>("content");
        QTest::newRow("nil") << Value();
        QTest::newRow("number") << Value(7);
        QTest::newRow("empty list") << Value(Value::List{});
        QTest::newRow("list of numbers") << Value::list({Value(1), Value()});
        QTest::newRow("bytes") << Value::bytes("\xff\xfe");
        QTest::newRow("block with odd members") << Value::list({Value::map({{"type", Value(3)}, {"text", Value(4)}})});
    }

    void odd()
    {
        QFETCH(Value, content);
        Message message;
        message.kind = MessageKind::Ai;
        message.content = content;
        message.toolCalls = Value::list({Value(1), Value::map({{"args", Value("no map")}})});
        const Inspection inspection = inspectMessage(message);
        QVERIFY(!inspection.sections.isEmpty());
        QVERIFY(!inspection.stored.isEmpty());
    }

    void eventWithoutArchiveSaysSo()
    {
        SummarizationEvent event;
        event.cutoffIndex = 9;
        const Inspection inspection = inspectEvent(event, 2);
        QCOMPARE(inspection.title, u"Event 2"_s);
        QVERIFY(inspection.sections.front().facts.contains(std::pair(u"archive"_s, u"none was written"_s)));
    }

    void textSurvivesBothWays()
    {
        const std::string lone = "a\xed\xa0\x80z\xf0\x9f\x98\x80é";
        const QString shown = toQString(lone);
        QCOMPARE(shown.size(), 6);
        QCOMPARE(shown[1], QChar(0xd800));
        QCOMPARE(fromQString(shown), lone);
        QCOMPARE(fromQString(toQString("plain")), std::string("plain"));
        QCOMPARE(toQString("\xff")[0], QChar(QChar::ReplacementCharacter));
    }

    void valuesAreSummedUp()
    {
        QCOMPARE(summaryOf(Value()), u"null"_s);
        QCOMPARE(summaryOf(Value("a\nb")), u"\"a⏎b\""_s);
        QCOMPARE(summaryOf(Value(42)), u"42"_s);
        QCOMPARE(summaryOf(Value::bytes("\x89PNG")), u"4 bytes  89 50 4e 47"_s);
        QCOMPARE(summaryOf(Value::list({Value(1)})), u"[1 item]"_s);
        QCOMPARE(summaryOf(Value(
                     Value::Tagged{Value::Form::PydanticV2, "my.mod", "Thing", Value::map({{"x", Value(1)}}), {}})),
            u"my.mod.Thing{x}"_s);
    }

    void prettyJsonCanStop()
    {
        Value::List list;
        for (int i = 0; i < 10'000; ++i)
            list.emplace_back(i);
        const std::string cut = prettyJson(Value(list), 200);
        QVERIFY(cut.size() < 400);
        QVERIFY(cut.find("…") != std::string::npos);
        QCOMPARE(prettyJson(Value::map({{"a", Value::list({Value(1)})}})), std::string("{\n  \"a\": [\n    1\n  ]\n}"));
    }
};

QTEST_APPLESS_MAIN(TestInspection)
#include "tst_inspection.moc"
