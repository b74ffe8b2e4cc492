// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/projection.h"
#include "models/display.h"
#include "tests/app/scriptedserver.h"
#include "tests/app/tuningprogram.h"
#include "views/panes/summariespane.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>

using namespace palimpsest;
using namespace palimpsest::test;
using namespace Qt::StringLiterals;

namespace {

struct SummariesProgram : TuningProgram {
    /// Opens the recording with its own settings and shows the pane with what they summarize.
    bool begin(const QString &url)
    {
        if (!open(u"summarize_chain"_s))
            return false;
        const Value document = Value::map(
            {{"dialect", Value("deepagents-0.7.7")}, {"trigger", Value::list({Value("messages"), Value(14)})},
                {"keep", Value::list({Value("messages"), Value(6)})}, {"tools", Value(0)},
                {"summarizer",
                    Value::map({{"api", Value("openai")}, {"model", Value("tiny")}, {"attempts", Value(1)},
                        {"url", Value(fromQString(url))}})}});
        raise(u"summaries"_s);
        return load(document) && pane().plans() && pane().plans()->size() > 1;
    }
    void choose(int row) { list().setCurrentItem(list().topLevelItem(row)); }
    /// The text of the summary that the what-if has at the first event.
    QString firstSummary()
    {
        const WhatIfPtr run = tuning().whatIf();
        for (std::size_t call = 0; call < run->replay.calls.size(); ++call)
            if (const EventPtr event = run->replay.calls[call].event)
                return toQString(textOf(*event->summaryMessage));
        return {};
    }
    SummariesPane &pane() { return *desk->window().pane<SummariesPane>(u"summaries"_s); }
    QTreeWidget &list() { return *pane().findChild<QTreeWidget *>(u"summaryList"_s); }
    QPushButton &send() { return *pane().findChild<QPushButton *>(u"sendPrompt"_s); }
    QString words() { return pane().findChild<QLabel *>(u"summaryDestination"_s)->text(); }
    QString answer() { return pane().findChild<QPlainTextEdit *>(u"summaryAnswer"_s)->toPlainText(); }
};

QByteArray chunk(const QByteArray &text)
{
    return R"(data: {"choices": [{"delta": {"content": ")" + text + "\"}}]}\n\n";
}

} // namespace

class TestModelSummaries : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        for (const char *variable : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "http_proxy", "https_proxy", "all_proxy"})
            qunsetenv(variable);
    }

    void aModelsSummaryTakesTheRecordedOnesPlace()
    {
        ScriptedServer server(
            {{ScriptedServer::head(200), chunk("The heron "), chunk("flies."), "data: [DONE]\n\n", {}}});
        SummariesProgram program;
        QVERIFY(program.begin(QString::fromStdString(server.url())));
        program.choose(0);
        const SummaryPlan plan = *program.pane().chosen();
        QCOMPARE(plan.origin, SummaryPlan::Origin::Recorded);
        // What is sent, how much and where to is shown, and nothing has been sent.
        QVERIFY(program.pane().prompt().contains(u"<messages>"_s) || program.pane().prompt().contains(u"heron"_s));
        QVERIFY(program.words().contains(u"127.0.0.1"_s));
        QVERIFY(program.words().contains(QLocale().toString(plan.question.tokens)));
        QVERIFY(server.requests().isEmpty());
        const QString prompt = program.pane().prompt();
        program.send().click();
        QVERIFY(program.pane().isSending());
        QTRY_VERIFY(!program.pane().isSending());
        QVERIFY(program.settle());
        QVERIFY(server.requests().value(0).contains("\"model\":"));
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(program.pane().prompt(), prompt); // the same messages are asked about
        QTRY_COMPARE(program.pane().chosen()->origin, SummaryPlan::Origin::Given);
        QCOMPARE(program.answer(), u"The heron flies."_s);
        QVERIFY(program.firstSummary().contains(u"The heron flies."_s));
        // Forgotten, the recorded one is back.
        program.pane().findChild<QPushButton *>(u"forgetSummary"_s)->click();
        QVERIFY(program.settle());
        QTRY_COMPARE(program.pane().chosen()->origin, SummaryPlan::Origin::Recorded);
        QVERIFY(!program.firstSummary().contains(u"The heron flies."_s));
    }

    void faultsAreSaidAndChangeNothing()
    {
        ScriptedServer server({{ScriptedServer::head(401), R"({"error": {"message": "bad key: sk-typed"}})", {}},
            {ScriptedServer::head(200), chunk("half")}});
        SummariesProgram program;
        QVERIFY(program.begin(QString::fromStdString(server.url())));
        program.choose(1);
        const QString before = program.firstSummary();
        program.pane().findChild<QLineEdit *>(u"summaryKey"_s)->setText(u"sk-typed"_s);
        program.send().click();
        QTRY_VERIFY(!program.pane().isSending());
        QVERIFY(program.words().contains(u"401"_s));
        QVERIFY(!program.words().contains(u"sk-typed"_s));
        QVERIFY(server.requests().value(0).toLower().contains("authorization: bearer sk-typed"));
        // The text is seen as it comes; cancelled, it is not taken.
        program.send().click();
        QTRY_COMPARE(program.answer(), u"half"_s);
        program.send().click();
        QVERIFY(!program.pane().isSending());
        QVERIFY(program.settle());
        QCOMPARE(program.firstSummary(), before);
        QVERIFY(program.tuning().given()->empty());
    }

    void aPromptThatIsTooLongIsFollowedByTheSmallerOne()
    {
        ScriptedServer server({{ScriptedServer::head(400),
            R"({"error": {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}})",
            {}}});
        SummariesProgram program;
        QVERIFY(program.begin(QString::fromStdString(server.url())));
        program.choose(0);
        const SummaryPlan plan = *program.pane().chosen();
        QVERIFY(plan.question.smaller);
        program.send().click();
        QTRY_VERIFY(!program.pane().isSending());
        QCOMPARE(program.pane().prompt(), toQString(*plan.question.smaller));
        QCOMPARE(server.requests().size(), 1); // the smaller one waits for the user
    }

    void nothingCanBeSentWithoutModelOrKey()
    {
        SummariesProgram program;
        QVERIFY(program.begin(u"http://127.0.0.1:1"_s));
        program.choose(0);
        auto *model = program.pane().findChild<QLineEdit *>(u"summaryModel"_s);
        auto *url = program.pane().findChild<QLineEdit *>(u"summaryUrl"_s);
        model->clear();
        Q_EMIT model->textEdited({});
        QVERIFY(!program.send().isEnabled());
        model->setText(u"tiny"_s);
        Q_EMIT model->textEdited(model->text());
        QVERIFY(program.send().isEnabled());
        url->clear();
        Q_EMIT url->textEdited({});
        QVERIFY(!program.send().isEnabled());
        QVERIFY(program.words().contains(u"OPENAI_API_KEY"_s));
        auto *key = program.pane().findChild<QLineEdit *>(u"summaryKey"_s);
        QTest::keyClicks(key, u"sk-typed"_s);
        QVERIFY(program.send().isEnabled());
        // A preset holds the endpoint, and never the key.
        QVERIFY(prettyJson(program.model().document()).find("sk-typed") == std::string::npos);
        QVERIFY(prettyJson(program.model().document()).find("\"tiny\"") != std::string::npos);
    }
};

QTEST_MAIN(TestModelSummaries)
#include "tst_modelsummaries.moc"
