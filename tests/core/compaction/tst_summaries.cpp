// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/summaries/extractive.h"

#include <QtTest>

using namespace palimpsest;

namespace {

MessagePtr message(const char *type, std::string content)
{
    auto made = std::make_shared<Message>();
    made->kind = kindOf(type);
    made->type = type;
    made->content = Value(std::move(content));
    return made;
}

MessagePtr call(const char *name, const char *id, Value args, const char *words = "")
{
    auto made = std::make_shared<Message>(*message("ai", words));
    made->toolCalls = Value::list({Value::map(
        {{"name", Value(name)}, {"args", std::move(args)}, {"id", Value(id)}, {"type", Value("tool_call")}})});
    return made;
}

MessagePtr result(const char *id, const char *content, const char *status = "success")
{
    auto made = std::make_shared<Message>(*message("tool", content));
    made->toolCallId = id;
    made->name = "tool";
    made->status = status;
    return made;
}

std::vector<MessagePtr> conversation()
{
    return {message("human", "Please write the report. It matters."),
        call("write_file", "1", Value::map({{"file_path", Value("/report.md")}}),
            "I start with the outline. Then more."),
        result("1", "ok"), call("execute", "2", Value::map({{"command", Value("make")}})),
        result("2", "no rule to make target", "error"), message("human", "Now add a table."),
        call("edit_file", "3", Value::map({{"file_path", Value("/report.md")}}))};
}

} // namespace

class TestSummaries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hasFourSectionsFromTheMessages();
    void isTheSameEveryTime();
    void staysWithinItsBudget();
    void carriesAnEarlierSummaryOn();
    void takesAnything();
};

void TestSummaries::hasFourSectionsFromTheMessages()
{
    const QString summary = QString::fromStdString(extractiveSummary(conversation(), 3000));
    QStringList headings;
    for (const QString &line : summary.split(u'\n')) {
        if (line.startsWith(QStringLiteral("## ")))
            headings << line.mid(3);
    }
    QCOMPARE(headings,
        (QStringList{QStringLiteral("SESSION INTENT"), QStringLiteral("SUMMARY"), QStringLiteral("ARTIFACTS"),
            QStringLiteral("NEXT STEPS")}));
    for (const char *part : {"Please write the report.", "Now add a table.", "I start with the outline.",
             "/report.md (write_file, edit_file)", "no rule to make target", "execute × 1",
             "Still without a result: edit_file"})
        QVERIFY2(summary.contains(QString::fromUtf8(part)), part);
}

void TestSummaries::isTheSameEveryTime()
{
    QCOMPARE(extractiveSummary(conversation(), 500), extractiveSummary(conversation(), 500));
}

void TestSummaries::staysWithinItsBudget()
{
    std::vector<MessagePtr> messages;
    for (int i = 0; i < 200; ++i) {
        messages.push_back(message("human", "Question " + std::to_string(i) + " " + std::string(300, 'q')));
        messages.push_back(message("ai", "Answer é 日本 " + std::to_string(i) + ". " + std::string(300, 'a')));
    }
    for (const std::size_t budget : {200, 500, 1000, 3000})
        QVERIFY(text::length(extractiveSummary(messages, budget)) <= budget);
    const std::string tiny = extractiveSummary(messages, 0);
    QCOMPARE(QString::fromStdString(tiny).count(QStringLiteral("\nNone")), 4);
}

void TestSummaries::carriesAnEarlierSummaryOn()
{
    std::vector<MessagePtr> messages{
        summaryMessage(extractiveSummary(conversation(), 3000), "/conversation_history/s.md"),
        message("human", "And a picture.")};
    const QString summary = QString::fromStdString(extractiveSummary(messages, 3000));
    QVERIFY(summary.contains(QStringLiteral("Please write the report.")));
    QVERIFY(summary.contains(QStringLiteral("/report.md")));
    QVERIFY(summary.contains(QStringLiteral("And a picture.")));
}

void TestSummaries::takesAnything()
{
    QVERIFY(!extractiveSummary({}, 1000).empty());
    auto odd = std::make_shared<Message>();
    odd->content = Value::list({Value(1), Value::map({{"type", Value()}})});
    odd->toolCalls = Value("no list");
    QVERIFY(!extractiveSummary({odd}, 1000).empty());
}

QTEST_APPLESS_MAIN(TestSummaries)
#include "tst_summaries.moc"
