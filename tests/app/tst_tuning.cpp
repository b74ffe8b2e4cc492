// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "models/decisionsmodel.h"
#include "models/display.h"
#include "tests/app/tuningprogram.h"
#include "tests/support/recordings.h"
#include "views/charts.h"
#include "views/dialogs/exportdialog.h"
#include "views/panes/comparepane.h"
#include "views/panes/decisionspane.h"
#include "views/panes/projectionpane.h"
#include "views/panes/sweeppane.h"
#include "views/panes/tuningpane.h"
#include "views/widgets/heatmap.h"
#include "views/widgets/parameterfield.h"
#include "views/widgets/section.h"
#include "views/widgets/triggereditor.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

using namespace palimpsest;
using namespace palimpsest::test;
using namespace Qt::StringLiterals;

namespace {

QString text(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The settings with which a recording was made.
Value truth(const QString &name)
{
    const QString path = recording(name).replace(u".sqlite"_s, u".expected.json"_s);
    return recordings::readJson(path.toStdString())["settings"];
}

struct Form : TuningProgram {
    TuningPane &pane() { return *desk->window().findChild<TuningPane *>(); }
    DecisionsPane &decisions() { return *desk->window().pane<DecisionsPane>(u"decisions"_s); }
    std::vector<double> events()
    {
        return timeline().scene().whatIfs.empty() ? std::vector<double>() : timeline().scene().whatIfs.front().events;
    }
    ContextSizeEditor *triggerSize(std::size_t clause = 0, std::size_t size = 0)
    {
        auto *editor = qobject_cast<TriggerEditor *>(pane().field("trigger")->field());
        return editor ? editor->editor(clause, size) : nullptr;
    }
};

} // namespace

class TestTuning : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void recordedSettingsAreProposedAndChangeNothing()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(!program.pane().proposal().document.isNil());
        QVERIFY(!program.model().isTouched());
        const auto label = [&program] {
            const auto &limits = program.timeline().scene().limits;
            return limits.empty() ? std::string() : limits.front().label;
        };
        QCOMPARE(program.tuning().origin(), TriggerOrigin::Inferred);
        QTRY_VERIFY(label().starts_with("inferred trigger: messages"));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        const WhatIfPtr run = program.tuning().whatIf();
        QCOMPARE(run->differing, 0);
        QCOMPARE(run->events, run->recordedEvents);
        QVERIFY(run->events >= 2);
        QVERIFY(!program.pane().outcome().contains(u"assumes"_s));
        QTRY_VERIFY(label().starts_with("trigger: messages"));
    }

    void aTriggerThatNothingTellsOfIsCalledADefault()
    {
        Form program;
        QVERIFY(program.open(u"plain"_s)); // no event
        QVERIFY(program.settle());
        QCOMPARE(program.tuning().origin(), TriggerOrigin::Default);
        QTRY_VERIFY(!program.timeline().scene().limits.empty());
        QVERIFY(program.timeline().scene().limits.front().label.starts_with("default trigger, not inferred: "));
    }

    void typingATriggerMovesTheEvents()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        const std::vector<double> before = program.events();
        QVERIFY(before.size() >= 2);
        ContextSizeEditor *size = program.triggerSize();
        QVERIFY(size);
        size->number()->setFocus();
        size->number()->selectAll();
        QTest::keyClicks(size->number(), u"20"_s);
        QVERIFY(program.settle());
        QCOMPARE(program.model().value("trigger"), Value::list({Value("messages"), Value(20)}));
        const std::vector<double> after = program.events();
        QVERIFY(after != before);
        QVERIFY(after.empty() || after.front() > before.front());
        QVERIFY(program.pane().outcome().contains(u"assumes the agent would have acted the same"_s));
        QCOMPARE(program.timeline().scene().limits.front().value, 20.0);

        // What was typed is one step; undone, the events are where they were.
        program.trigger(u"undo-setting"_s);
        QVERIFY(program.settle());
        QCOMPARE(program.events(), before);
        QCOMPARE(program.triggerSize()->number()->value(), 14.0);
        program.trigger(u"redo-setting"_s);
        QVERIFY(program.settle());
        QCOMPARE(program.events(), after);
    }

    void clausesAreAddedWithAndAndOr()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto *editor = qobject_cast<TriggerEditor *>(program.pane().field("trigger")->field());
        QVERIFY(editor);
        const auto click = [&](const QString &text) {
            const auto buttons = editor->findChildren<QToolButton *>();
            for (QToolButton *button : buttons) {
                if (button->text() == text) {
                    button->click();
                    return true;
                }
            }
            return false;
        };
        QVERIFY(click(u"+ and"_s));
        QTRY_COMPARE(editor->trigger().front().size(), 2U);
        QTRY_VERIFY(program.model().value("trigger").isMap());
        QVERIFY(click(u"+ or"_s));
        QTRY_COMPARE(editor->trigger().size(), 2U);
        QTRY_VERIFY(program.model().value("trigger").isList());
        QVERIFY(!program.model().fault());
    }

    void whatMakesNoSenseIsSaidInUpstreamsWords()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        const auto inForce = program.model().settings();
        program.triggerSize()->number()->setValue(0);
        QCOMPARE(program.pane().field("trigger")->fault(), u"trigger thresholds must be greater than 0, got 0."_s);
        QCOMPARE(program.model().settings(), inForce);
        program.triggerSize()->number()->setValue(16);
        QVERIFY(program.pane().field("trigger")->fault().isEmpty());
        program.model().setValue("keep", Value::list({Value("fraction"), Value(0.5)}));
        QVERIFY(program.pane().field("keep")->fault().startsWith(u"Model profile information is required"_s));
    }

    void settingsAreSavedAndLoaded()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        program.model().setValue("keep", Value::list({Value("messages"), Value(3)}));
        const Value saved = program.model().document();
        program.answers.next = program.folder.filePath(u"preset.json"_s);
        program.trigger(u"save-settings"_s);
        QFile file(program.answers.next);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto written = parseJson(file.readAll().toStdString());
        QVERIFY(written.has_value());
        QCOMPARE(*written, saved);
        QVERIFY(settingsFromJson(*written).has_value());
        program.model().undo();
        QVERIFY(program.model().document() != saved);
        program.trigger(u"load-settings"_s);
        QCOMPARE(program.model().document(), saved);
    }

    void pythonSetsExactlyTheseSettings()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        const QString folder = QStringLiteral(PALIMPSEST_TEST_DATA) + u"/tuning/"_s;
        QVERIFY(program.load(recordings::readJson((folder + u"agent.settings.json"_s).toStdString())));
        program.trigger(u"copy-python"_s);
        QCOMPARE(QGuiApplication::clipboard()->text(), text(folder + u"agent.py.txt"_s));
    }

    void theEffectivePaneShowsTheWhatIf()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto &effective = program.effective();
        auto *tab = effective.findChild<QToolButton *>(u"whatIfTab"_s);
        QVERIFY(tab && tab->isVisible());
        program.timeline().goTo(static_cast<std::int64_t>(program.timeline().scene().data->points.size()) - 1);
        const int recorded = effective.model()->rowCount();
        tab->click();
        QVERIFY(program.scene()->whatIf);
        QCOMPARE(effective.model()->rowCount(), recorded);
        program.model().setValue("trigger", Value());
        QVERIFY(program.settle());
        const ScenePtr scene = program.scene();
        QCOMPARE(effective.model()->rowCount(), static_cast<int>(scene->log.size()));
        QVERIFY(effective.title().contains(u"what-if"_s));
        QCOMPARE(scene->fates.cutoff().value, 0);
        tab->click();
        QCOMPARE(effective.model()->rowCount(), recorded);
    }

    void decisionsSayWhyAndGoToTheCall()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        program.raise(u"decisions"_s);
        DecisionsModel &model = *program.decisions().model();
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const int calls = static_cast<int>(program.tuning().whatIf()->replay.calls.size());
        QTRY_COMPARE(model.rowCount(), calls);
        int events = 0;
        for (int row = 0; row < calls; ++row) {
            const CallDecision &decision = model.decision(row);
            QVERIFY(!decision.differs);
            QVERIFY(!decision.why.empty());
            if (decision.decision != "summarized")
                continue;
            ++events;
            QVERIFY(decision.messages >= 14);
            QVERIFY(decision.wantedCutoff && decision.cutoff && *decision.cutoff <= *decision.wantedCutoff);
            QVERIFY(decision.savedBySummary > 0);
            QVERIFY(decision.recorded.starts_with("event"));
        }
        QCOMPARE(events, int(program.tuning().whatIf()->recordedEvents));
        // The filter leaves those that differ; a click goes to the call.
        program.decisions().filter()->setCurrentIndex(1);
        QCOMPARE(model.rowCount(), 0);
        program.model().setValue("trigger", Value::list({Value("messages"), Value(10)}));
        QVERIFY(program.settle());
        QTRY_COMPARE(model.rowCount(), int(program.tuning().whatIf()->differing));
        QVERIFY(model.rowCount() > 0);
        const CallNumber first = model.decision(0).call;
        QTableView *table = program.decisions().table();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(model.index(0, 1)).center());
        QCOMPARE(program.place().call, first);
    }

    void aAndBAreCompared()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto &compare = *program.desk->window().pane<ComparePane>(u"compare"_s);
        program.raise(u"compare"_s);
        // Nothing yet: words instead of empty tables.
        const auto *empty = compare.findChild<QLabel *>(u"emptyState"_s);
        QTRY_VERIFY(empty->isVisible());
        QVERIFY(empty->text().contains(u"→ A"_s));
        QVERIFY(!compare.figures()->isVisible());
        program.pane().findChild<QToolButton *>(u"keepA"_s)->click();
        program.model().setValue("trigger", Value::list({Value("messages"), Value(10)}));
        program.pane().findChild<QToolButton *>(u"keepB"_s)->click();
        QVERIFY(program.settle());
        QAbstractItemModel &figures = *compare.figures()->model();
        QTRY_VERIFY(figures.rowCount() > 8 && compare.calls()->model()->rowCount() > 0);
        const auto figure = [&](const QString &name, int column) {
            for (int row = 0; row < figures.rowCount(); ++row)
                if (figures.headerData(row, Qt::Vertical, Qt::DisplayRole).toString() == name)
                    return figures.index(row, column).data().toString();
            return QString();
        };
        // A is what was recorded; B compacts at other calls.
        for (const QString &name : {u"Calls"_s, u"Events"_s, u"Tokens sent"_s, u"Kept at the end"_s})
            QCOMPARE(figure(name, Comparison::A), figure(name, Comparison::Recorded));
        QCOMPARE(figure(u"Events"_s, Comparison::A), QString::number(program.tuning().whatIf()->recordedEvents));
        QCOMPARE(figure(u"Events"_s, Comparison::B), QString::number(program.tuning().whatIf()->events));
        QTableView *calls = compare.calls();
        program.raise(u"compare"_s);
        QTRY_VERIFY(calls->isVisible());
        QTest::mouseClick(
            calls->viewport(), Qt::LeftButton, {}, calls->visualRect(calls->model()->index(0, 0)).center());
        QCOMPARE(QString::number(program.place().call.value), calls->model()->index(0, 0).data().toString());
        QVERIFY(compare.request()->model()->rowCount() > 0);
    }

    void aSweepIsRunAndACellTaken()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto &sweep = *program.desk->window().pane<SweepPane>(u"sweep"_s);
        program.raise(u"sweep"_s);
        QTRY_VERIFY(sweep.isVisible());
        const auto *empty = sweep.findChild<QLabel *>(u"emptyState"_s);
        QVERIFY(empty->isVisible() && empty->text().contains(u"Run"_s));
        QVERIFY(!sweep.heatMap()->isVisible());
        sweep.form()->setAxis(0, u"trigger, messages"_s, 10, 18, 3);
        sweep.form()->setAxis(1, u"keep, messages"_s, 3, 6, 2);
        sweep.form()->setNeedles({u"heron"_s, u"no such words anywhere"_s});
        sweep.runButton()->click();
        QTRY_COMPARE(sweep.study().done(), 6U);
        QVERIFY(sweep.heatMap()->isVisible() && !empty->isVisible());
        QVERIFY(program.settle());
        QVERIFY(std::ranges::any_of(sweep.study().cells, [](const auto &cell) { return cell->onFront; }));
        // Every cell is what a replay of its settings does.
        for (std::size_t cell = 0; cell < 6; ++cell) {
            QVERIFY(program.load(sweep.study().grid.settingsFile(cell)));
            QCOMPARE(sweep.study().cells[cell]->total().events, program.tuning().whatIf()->events);
            QCOMPARE(sweep.study().cells[cell]->total().needles.size(), 2U);
            QVERIFY(!sweep.study().cells[cell]->total().needles[1]);
        }
        // A click takes the cell's settings over, as one step.
        sweep.heatMap()->plot()->replot();
        QTest::mouseClick(sweep.heatMap()->plot(), Qt::LeftButton, {}, sweep.heatMap()->pixelOf({1, 0}).toPoint());
        QCOMPARE(program.model().value("trigger"), Value::list({Value("messages"), Value(14)}));
        QCOMPARE(program.model().value("keep"), Value::list({Value("messages"), Value(3)}));
        // The keys do the same.
        sweep.heatMap()->plot()->setFocus();
        QTest::keyClick(sweep.heatMap()->plot(), Qt::Key_Up);
        QTest::keyClick(sweep.heatMap()->plot(), Qt::Key_Return);
        QCOMPARE(program.model().value("keep"), Value::list({Value("messages"), Value(6)}));
    }

    void twoThreadsOfTwoFilesAreCompared()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        auto &pane = *program.desk->window().pane<ComparePane>(u"compare"_s);
        program.raise(u"compare"_s);
        // The same script recorded by another version: ids differ, the answers do not.
        program.answers.next = recording(u"0.7.32/summarize_chain"_s);
        pane.findChild<QToolButton *>(u"otherThread"_s)->click();
        QVERIFY(program.settle());
        QAbstractItemModel &figures = *pane.figures()->model();
        QTRY_VERIFY(figures.rowCount() > 8);
        QCOMPARE(figures.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), u"this thread"_s);
        QCOMPARE(figures.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), u"other"_s);
        QCOMPARE(figures.index(0, 0).data(), figures.index(0, 1).data()); // as many calls
        QVERIFY(!pane.figures()->isColumnHidden(1));
        QVERIFY(pane.figures()->isColumnHidden(2));
        // What is shown can leave the program.
        pane.figures()->actions().last()->trigger();
        auto *dialog = program.desk->window().findChild<ExportDialog *>();
        QVERIFY(dialog);
        const auto order = dialog->order();
        QVERIFY(order && order->other);
        QCOMPARE(order->other->threadId, std::string("summarize_chain"));
        program.answers.next = program.folder.filePath(u"threads.html"_s);
        dialog->findChild<QPushButton *>(u"exportButton"_s)->click();
        QTRY_VERIFY(dialog->message().startsWith(u"Written"_s));
        QFile written(program.folder.filePath(u"threads.html"_s));
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(
            written.readAll().contains("Comparison of summarize_chain and summarize_chain of summarize_chain.sqlite"));
        delete dialog;
        // Back at the settings, nothing is left of the other thread.
        Q_EMIT pane.settingsWanted();
        QTRY_COMPARE(figures.rowCount(), 0);
    }

    void aSweepGoesOverManyThreadsAndGoesOnWhereItStopped()
    {
        TuningProgram program;
        QVERIFY(program.Program::open(QStringLiteral(PALIMPSEST_TEST_DATA) + u"/cases/worthless_summaries.sqlite"_s));
        QVERIFY(program.settle());
        auto &sweep = *program.desk->window().pane<SweepPane>(u"sweep"_s);
        program.raise(u"sweep"_s);
        sweep.form()->setAxis(0, u"trigger, messages"_s, 4, 12, 3);
        sweep.form()->setAxis(1, u"keep, messages"_s, 2, 4, 2);
        sweep.form()->setAxis(2, u"trim for the summarizer"_s, 1000, 4000, 2);
        sweep.form()->setScope(SweepForm::Scope::Source);
        sweep.runButton()->click();
        QTRY_COMPARE(sweep.study().done(), 12U);
        QVERIFY(program.settle());
        const std::size_t threads = program.desk->session().threads().size();
        QVERIFY(threads > 2);
        QCOMPARE(sweep.study().threads.size(), threads);
        // A cell has every thread's figures; its worst thread is the first of the list and opens by a click.
        const SweepCell &cell = *sweep.study().at(0, 0);
        QCOMPARE(cell.threads.size(), threads);
        Q_EMIT sweep.heatMap()->cellChosen({0, 0});
        QTreeWidget &worst = *sweep.worst();
        QVERIFY(worst.isVisible());
        QCOMPARE(worst.topLevelItemCount(), int(threads));
        const Spread spread = cell.spread([](const RunFigures &figures) { return double(figures.events); });
        QCOMPARE(worst.topLevelItem(0)->text(0), toQString(sweep.study().threads[spread.worstThread]));
        QCOMPARE(*sweepFigure(cell, SweepFigure::Events, SweepStat::Worst), spread.worst);
        QCOMPARE(*sweepFigure(cell, SweepFigure::Events, SweepStat::Median), spread.median);
        Q_EMIT worst.itemClicked(worst.topLevelItem(0), 0);
        QCOMPARE(program.place().thread, sweep.study().threads[spread.worstThread]);
        // The table has all parameters and the spread over the threads.
        const std::string csv = sweepCsv(sweep.study());
        QVERIFY(csv.starts_with("\"trigger\",\"keep\",\"trim_tokens_to_summarize\","));
        QCOMPARE(std::ranges::count(csv, '\n'), 13);
        QVERIFY(csv.find("events_p90") != std::string::npos);
    }

    void aStoppedSweepGoesOn()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        auto &sweep = *program.desk->window().pane<SweepPane>(u"sweep"_s);
        program.raise(u"sweep"_s);
        sweep.form()->setAxis(0, u"trigger, messages"_s, 4, 41, 38);
        sweep.form()->setAxis(1, u"keep, messages"_s, 1, 20, 20);
        sweep.runButton()->click();
        QTRY_VERIFY(sweep.study().done() > 0);
        sweep.runButton()->click();
        const std::size_t done = sweep.study().done();
        if (done < sweep.study().cells.size())
            QCOMPARE(sweep.runButton()->text(), u"Resume"_s);
        const SweepCell first =
            **std::ranges::find_if(sweep.study().cells, [](const auto &cell) { return cell.has_value(); });
        sweep.runButton()->click();
        QVERIFY(sweep.study().done() >= done); // nothing is thrown away
        QTRY_COMPARE(sweep.study().done(), sweep.study().cells.size());
        QVERIFY(program.settle());
        QCOMPARE(sweep.runButton()->text(), u"Run"_s);
        QVERIFY(std::ranges::any_of(sweep.study().cells,
            [&](const auto &cell) { return cell->values == first.values && cell->threads == first.threads; }));
    }

    void aProjectionSimulatesWhatFollows()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto &pane = *program.desk->window().pane<ProjectionPane>(u"projection"_s);
        program.raise(u"projection"_s);
        const auto calls = static_cast<std::int64_t>(program.tuning().whatIf()->replay.calls.size());
        pane.setTimes(3);
        QTRY_VERIFY(pane.study() && pane.study()->times == 3.0);
        QCOMPARE(pane.study()->recordedCalls, calls);
        QVERIFY(pane.study()->calls >= 3 * calls - 3);
        QVERIFY(pane.words().startsWith(u"Simulation"_s));
        QVERIFY(pane.study()->lines.front().figures.events > program.tuning().whatIf()->events);
        QCOMPARE(pane.figures()->columnCount(), 1);
        program.pane().findChild<QToolButton *>(u"keepA"_s)->click();
        program.raise(u"projection"_s);
        QTRY_COMPARE(pane.study()->lines.size(), 2U);
    }

    void totalsGoOverTheTreeOfNamespaces()
    {
        Form program;
        QVERIFY(program.open(u"subagent"_s));
        program.model().setValue("trigger", Value::list({Value("messages"), Value(4)}));
        QVERIFY(program.settle());
        QTRY_VERIFY(program.tuning().treeTotals());
        const Tuning::TreeTotals all = *program.tuning().treeTotals();
        QVERIFY(all.namespaces > 1);
        QVERIFY(all.events >= program.tuning().whatIf()->events);
        QVERIFY(program.pane().outcome().contains(u"namespaces"_s));
        // Subagents with settings of their own count by these.
        program.model().addPart("tools:*", 1);
        program.model().setValue("trigger", Value());
        QVERIFY(program.settle());
        QTRY_VERIFY(program.tuning().treeTotals()->events < all.events
            || program.tuning().treeTotals()->tokensSent != all.tokensSent);
    }

    void theFormFitsItsDock()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(parseJson(R"({"dialect": "deepagents-0.7.7", "model": {"max_input_tokens": 200000},
            "trigger": [{"tokens": 400000, "messages": 10, "fraction": 0.9}, ["fraction", 0.8]],
            "truncate_args": {}})")
                .value()));
        program.desk->window().resize(1280, 800);
        const auto sections = program.pane().findChildren<Section *>();
        for (Section *section : sections)
            section->setOpen(true);
        const auto *area = program.pane().findChild<QScrollArea *>();
        QTRY_VERIFY(area->widget()->minimumSizeHint().width() > 0);
        QVERIFY2(area->widget()->minimumSizeHint().width() <= area->viewport()->width(),
            qPrintable(QString::number(area->widget()->minimumSizeHint().width()) + u" of "_s
                + QString::number(area->viewport()->width())));
    }

    void toolsAndSystemPromptAreBroughtIn()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        const std::int64_t without = program.tuning().counting().toolsAndSystem;
        QFile file(program.folder.filePath(u"tools.json"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"result": {"tools": [{"name": "look", "description": "Looks it up.",
            "inputSchema": {"type": "object", "properties": {"topic": {"type": "string"}}}}]}})");
        file.close();
        program.answers.next = file.fileName();
        Q_EMIT program.pane().importWanted(u"tools"_s);
        QVERIFY(program.settle());
        const Value tools = program.model().value("tools");
        QCOMPARE(tools.asList().size(), 1U);
        QCOMPARE(tools.asList()[0]["parameters"]["type"].asText(), std::string("object"));
        const WhatIfPtr run = program.tuning().whatIf();
        QVERIFY(run->replay.calls.front().base.toolTokens > 0);
        // The timeline counts them too.
        QTRY_VERIFY(program.timeline().scene().data->points.front().parts(ContextUnit::Tokens)[0] != without);
    }

    void aThousandChangesKeepMemoryFlat()
    {
        Form program;
        QVERIFY(program.open(u"summarize_chain"_s));
        const auto change = [&](int count) {
            for (int i = 0; i < count; ++i) {
                program.model().setValue(
                    "trigger", Value::list({Value("messages"), Value(8 + i % 30)}), TuningModel::Step::GoesOn);
                if (!program.settle())
                    return false;
            }
            return true;
        };
        const auto rss = [] {
            QFile status(u"/proc/self/statm"_s);
            return status.open(QIODevice::ReadOnly) ? status.readAll().split(' ').at(1).toLongLong() * 4 : 0;
        };
        QVERIFY(change(100));
        const qint64 before = rss();
        QVERIFY(change(1000));
        QVERIFY2(rss() - before < 6 * 1024, QByteArray::number(rss() - before) + " KiB more");
    }
};

QTEST_MAIN(TestTuning)
#include "tst_tuning.moc"
