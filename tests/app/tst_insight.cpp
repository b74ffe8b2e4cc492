// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning.h"
#include "models/tracemodel.h"
#include "models/weightmodel.h"
#include "tests/app/program.h"
#include "tests/support/recordings.h"
#include "views/panes/compositionpane.h"
#include "views/panes/diffpane.h"
#include "views/panes/growthpane.h"
#include "views/panes/summariespane.h"
#include "views/panes/sweeppane.h"
#include "views/panes/tracepane.h"
#include "views/widgets/deferredpane.h"
#include "views/widgets/explainbar.h"
#include "views/widgets/tracelane.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeView>

using namespace palimpsest;
using namespace palimpsest::test;
using namespace Qt::StringLiterals;

namespace {

struct InsightProgram : Program {
    bool open(const QString &name) { return Program::open(recording(name)); }
    template <class Pane> Pane &pane()
    {
        for (DeferredPane *place : desk->window().findChildren<DeferredPane *>())
            place->pane();
        return *desk->window().findChild<Pane *>();
    }
};

} // namespace

class TestInsight : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tracesATypedTextAndLeadsToItsPlaces()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        TracePane &pane = program.pane<TracePane>();
        const QAbstractItemModelTester tester(pane.model());
        program.raise(u"trace"_s);
        pane.ask(u"heron-542"_s);
        QTRY_VERIFY(pane.model()->trace() && !pane.model()->trace()->keepsIt.empty());
        const TracePtr trace = pane.model()->trace();
        QCOMPARE(trace->lostAt->call, std::size_t(7));
        QVERIFY(pane.verdict().startsWith(u"Lost at call 8: summarization"_s));
        QVERIFY(pane.model()->rowCount() >= 3);
        QCOMPARE(pane.model()->index(0, TraceModel::KindColumn).data().toString(), u"not yet"_s);
        // The timeline has a lane of it.
        QVERIFY(!program.pane<TimelineView>().scene().trace.empty());
        // An archive's row leads to its section, a call's place to the call.
        for (int row = 0; row < pane.model()->rowCount(); ++row) {
            const QModelIndex index = pane.model()->index(row, TraceModel::KindColumn);
            if (index.data(TraceModel::KindRole).toInt() != static_cast<int>(TraceKind::Archive))
                continue;
            Q_EMIT pane.table()->clicked(index);
            break;
        }
        QCOMPARE(program.place().call, CallNumber(8));
        QVERIFY(program.place().artifact.starts_with("/conversation_history/"));
        QCOMPARE(program.place().section, 0);
        Q_EMIT pane.lane()->callChosen(3);
        QCOMPARE(program.place().call, CallNumber(4));
        QCOMPARE(pane.lane()->callAt(pane.lane()->width() - 11), 20);
        pane.findChild<QLineEdit *>(u"traceText"_s)->clear();
        Q_EMIT pane.findChild<QLineEdit *>(u"traceText"_s)->textEdited({});
        QVERIFY(!pane.model()->trace());
        QVERIFY(program.pane<TimelineView>().scene().trace.empty());
    }

    void keyTermsAreHeldAgainstEverySummaryAndThePromptIsShown()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        TracePane &pane = program.pane<TracePane>();
        program.raise(u"trace"_s);
        pane.ask(u"heron-542"_s);
        QTRY_VERIFY(pane.model()->trace() && !pane.model()->trace()->keepsIt.empty());
        pane.findChild<QToolButton *>(u"survivalButton"_s)->click();
        QTableView &table = *pane.findChild<QTableView *>(u"survivalTable"_s);
        QVERIFY(table.isVisible());
        QAbstractItemModel &terms = *table.model();
        const QAbstractItemModelTester tester(&terms);
        QVERIFY(terms.rowCount() > 0);
        QCOMPARE(terms.columnCount(), 3 + static_cast<int>(pane.model()->trace()->summaries.size()));
        QVERIFY(terms.index(0, 1).data().toString().contains(u"gone"_s));
        QVERIFY(terms.index(0, terms.columnCount() - 1).data().toString().contains(u"there"_s));
        // One click leads to the prompt that the summary of that call was asked with.
        Q_EMIT pane.findChild<QLabel *>(u"traceVerdict"_s)->linkActivated(u"prompt"_s);
        SummariesPane &summaries = program.pane<SummariesPane>();
        QTRY_VERIFY(summaries.isVisible() && summaries.chosen());
        QCOMPARE(summaries.chosen()->call, CallNumber(8));
        QVERIFY(summaries.prompt().contains(u"heron-542"_s));
    }

    void asksWhereTheChosenMessageWent()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        const ScenePtr scene = program.scene();
        const std::string id = *scene->log[0]->id;
        program.selection().setMessage(id);
        program.trigger(u"trace"_s);
        TracePane &pane = program.pane<TracePane>();
        QTRY_VERIFY(pane.model()->trace() && pane.model()->trace()->lostAt);
        QCOMPARE(pane.model()->trace()->needle, id);
        QTRY_VERIFY(pane.isVisible());
        // Part of a message's text is followed as a text.
        program.selection().setText({13, 16});
        program.trigger(u"trace"_s);
        QTRY_COMPARE(pane.model()->trace()->needle, std::string("vault passphrase"));
    }

    void anErrorIsExplainedByTheMessageItSpeaksOf()
    {
        InsightProgram program;
        QVERIFY(program.Program::open(QStringLiteral(PALIMPSEST_TEST_DATA) + u"/cases/orphan_by_cutoff.sqlite"_s));
        program.trigger(u"explain"_s);
        ExplainBar &bar = *program.findings().explainBar();
        bar.field()->setText(u"messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: call_A. "
                             "Each `tool_result` block must have a corresponding `tool_use` block"_s);
        QTest::keyClick(bar.field(), Qt::Key_Return);
        QTRY_VERIFY(bar.answer().contains(u"orphan-tool-result"_s));
        QVERIFY(bar.answer().contains(u"Fix:"_s));
        Q_EMIT bar.findChild<QLabel *>(u"explanation"_s)->linkActivated(u"place"_s);
        QVERIFY(!program.place().message.empty());
        bar.field()->clear();
        QTRY_VERIFY(!bar.findChild<QLabel *>(u"explanation"_s)->isVisible());
    }

    void aTextThatMustStayGoesToTheSweep()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        program.raise(u"inspector"_s);
        // Marked in any text view.
        QTextBrowser view(&program.desk->window());
        view.setPlainText(u"one\nthe passphrase for vault"_s);
        view.show();
        view.setFocus();
        QTRY_VERIFY(view.hasFocus());
        view.selectAll();
        program.trigger(u"must-keep"_s);
        const auto needles = program.pane<SweepPane>().form()->grid().needles;
        QCOMPARE(needles, std::vector<std::string>{"the passphrase for vault"});
        // Without a mark, what is being traced.
        view.hide();
        program.raise(u"trace"_s);
        program.pane<TracePane>().ask(u"heron-542"_s);
        program.trigger(u"must-keep"_s);
        QCOMPARE(program.pane<SweepPane>().form()->grid().needles.back(), std::string("heron-542"));
    }

    void theFindingsSpeakOfSettingsThatReproduceTheRun()
    {
        InsightProgram program;
        QVERIFY(program.open(u"langchain_destructive"_s));
        QVERIFY(program.studied());
        Tuning &tuning = *program.desk->window().findChild<Tuning *>();
        QTRY_VERIFY(tuning.whatIf());
        const auto truth = recordings::readJson(
            recording(u"langchain_destructive"_s).replace(u".sqlite"_s, u".expected.json"_s).toStdString());
        QVERIFY(tuning.model()->load(truth["settings"]));
        const auto before = program.desk->session().focus()->findings();
        QTRY_VERIFY(program.desk->session().focus()->findings() != before);
        for (const Finding &finding : program.desk->session().focus()->findings()->all())
            QVERIFY(finding.evidence["assumed"].isNil());
    }

    void saysWhatIsWrongWithAnExpression()
    {
        InsightProgram program;
        QVERIFY(program.open(u"plain"_s));
        TracePane &pane = program.pane<TracePane>();
        for (auto *button : pane.findChildren<QToolButton *>())
            if (button->text() == u".*"_s)
                button->setChecked(true);
        pane.ask(u"a(b"_s);
        auto *verdict = pane.findChild<QLabel *>(u"traceVerdict"_s);
        QTRY_VERIFY(verdict->text().contains(u"is no regular expression"_s));
    }

    void measuresGrowthWhenItIsLookedAt()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        GrowthPane &pane = program.pane<GrowthPane>();
        const QAbstractItemModelTester tester(pane.model());
        program.raise(u"growth"_s);
        QTRY_VERIFY(pane.growth());
        QCOMPARE(pane.growth()->thread, std::string("summarize_chain"));
        QVERIFY(pane.model()->rowCount() > 10);
        QVERIFY(pane.model()->index(0, 0).data(WeightModel::GroupRole).toBool());
        auto *plan = pane.findChild<QLineEdit *>(u"growthPlan"_s);
        plan->setText(u"keep=3"_s);
        Q_EMIT plan->returnPressed();
        QTRY_VERIFY(pane.growth()->plan);
        QVERIFY(pane.summary().contains(u"it would break messages"_s));
        plan->setText(u"nonsense"_s);
        Q_EMIT plan->returnPressed();
        QVERIFY(pane.findChild<QLabel *>(u"growthSummary"_s)->text().contains(u"is no plan"_s));
    }

    void comparesCallsSideBySide()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        program.selection().setCall(CallNumber(8), {});
        program.trigger(u"diff-before"_s);
        DiffPane &pane = program.pane<DiffPane>();
        QTRY_VERIFY(pane.compared());
        QCOMPARE(pane.compared()->a.call, CallNumber(7));
        QCOMPARE(pane.compared()->b.call, CallNumber(8));
        QVERIFY(pane.differences() > 0);
        QVERIFY(pane.view()->toPlainText().contains(u"summary"_s));
        program.trigger(u"next-difference"_s);
        QCOMPARE(pane.current(), 0);
        program.trigger(u"previous-difference"_s);
        QCOMPARE(pane.current(), pane.differences() - 1);
        const ComparedSidesPtr before = pane.compared();
        program.trigger(u"diff-swap"_s);
        QTRY_VERIFY(pane.compared() != before);
        QCOMPARE(pane.compared()->a.call, CallNumber(8));
        // A link leads to the message it names.
        Q_EMIT pane.view()->anchorClicked(QUrl(u"b:0"_s));
        QCOMPARE(program.place().call, CallNumber(7));
        QVERIFY(!program.place().message.empty());
        pane.setSides(u"call:99"_s, u"head"_s);
        QTRY_VERIFY(!pane.compared());
    }

    void countsWhatARequestIsMadeOf()
    {
        InsightProgram program;
        QVERIFY(program.open(u"summarize_chain"_s));
        program.raise(u"composition"_s);
        program.selection().setCall(CallNumber(8), {});
        CompositionPane &pane = program.pane<CompositionPane>();
        const QAbstractItemModelTester tester(pane.model());
        QTRY_VERIFY(pane.composition().total > 0);
        QCOMPARE(pane.composition().largest.size(), program.scene()->effective.size());
        QVERIFY(pane.model()->rowCount() > 5);
        // A row of a message chooses it.
        const QModelIndex first = pane.model()->index(1, 0);
        const QByteArray key = first.data(WeightModel::KeyRole).toByteArray();
        QVERIFY(!key.isEmpty());
        Q_EMIT pane.findChild<QTreeView *>()->clicked(first);
        QCOMPARE(QByteArray::fromStdString(program.place().message), key);
        const double before = pane.composition().total;
        program.selection().setCall(CallNumber(2), {});
        QTRY_VERIFY(pane.composition().total != before);
    }
};

QTEST_MAIN(TestInsight)
#include "tst_insight.moc"
