// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"
#include "app/desk.h"
#include "app/tuning.h"
#include "core/serde/json.h"
#include "models/decisionsmodel.h"
#include "models/display.h"
#include "tests/support/recordings.h"
#include "views/charts.h"
#include "views/panes/comparepane.h"
#include "views/panes/decisionspane.h"
#include "views/panes/messagepane.h"
#include "views/panes/sweeppane.h"
#include "views/panes/tuningpane.h"
#include "views/widgets/heatmap.h"
#include "views/widgets/parameterfield.h"
#include "views/widgets/timelineview.h"
#include "views/widgets/triggereditor.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

/// Answers every dialog with one path.
class Answers : public Prompts {
public:
    QString next;
    QString openFile(QWidget *, const QString &, const QString &) override { return next; }
    QString openFolder(QWidget *, const QString &, const QString &) override { return next; }
    QString saveFile(QWidget *, const QString &, const QString &, const QString &) override { return next; }
    QString askText(QWidget *, const QString &, const QString &, const QString &) override { return next; }
    bool confirm(QWidget *, const QString &, const QString &, const QString &) override { return true; }
};

QString recording(const QString &name)
{
    const QString folder =
        qEnvironmentVariable("PALIMPSEST_RECORDINGS", QStringLiteral(PALIMPSEST_TEST_DATA) + u"/recordings"_s);
    return folder + u"/0.7.7/"_s + name + u".sqlite"_s;
}

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

struct Program {
    QTemporaryDir folder;
    SettingsStore settings{folder.filePath(u"settings.ini"_s)};
    Answers answers;
    Desk desk{*qApp, settings, answers, coreReader()};

    Program()
    {
        desk.window().resize(1500, 950);
        desk.window().show();
    }
    /// Opens a recording and waits until its settings are inferred and replayed.
    bool open(const QString &name)
    {
        desk.session().open(recording(name));
        desk.window().command(u"layout-tune"_s)->trigger();
        return QTest::qWaitFor(
            [this] {
                const ScenePtr scene = desk.session().focus()->scene();
                return !desk.session().isBusy() && scene->checkpoint && scene->facts && view().scene().data && idle();
            },
            30000);
    }
    bool idle() { return tuning().input() && tuning().inference() && tuning().whatIf() && !tuning().isBusy(); }
    bool settle()
    {
        return QTest::qWaitFor([this] { return idle(); }, 20000);
    }
    bool load(const Value &document) { return model().load(document).has_value() && settle(); }
    Tuning &tuning() { return *desk.window().findChild<Tuning *>(); }
    TuningModel &model() { return *tuning().model(); }
    TuningPane &pane() { return *desk.window().findChild<TuningPane *>(); }
    DecisionsPane &decisions() { return *desk.window().findChild<DecisionsPane *>(); }
    TimelineView &view() { return *desk.window().findChild<TimelineView *>(); }
    const Place &place() { return desk.session().selection()->place(); }
    std::vector<double> events()
    {
        return view().scene().whatIfs.empty() ? std::vector<double>() : view().scene().whatIfs.front().events;
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
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(!program.pane().proposal().document.isNil());
        QVERIFY(!program.model().isTouched());
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        const WhatIfPtr run = program.tuning().whatIf();
        QCOMPARE(run->differing, 0);
        QCOMPARE(run->events, run->recordedEvents);
        QVERIFY(run->events >= 2);
        QVERIFY(!program.pane().outcome().contains(u"assumes"_s));
    }

    void typingATriggerMovesTheEvents()
    {
        Program program;
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
        QCOMPARE(program.view().scene().limits.front().value, 20.0);

        // What was typed is one step; undone, the events are where they were.
        program.desk.window().command(u"undo-setting"_s)->trigger();
        QVERIFY(program.settle());
        QCOMPARE(program.events(), before);
        QCOMPARE(program.triggerSize()->number()->value(), 14.0);
        program.desk.window().command(u"redo-setting"_s)->trigger();
        QVERIFY(program.settle());
        QCOMPARE(program.events(), after);
    }

    void clausesAreAddedWithAndAndOr()
    {
        Program program;
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
        Program program;
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
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        program.model().setValue("keep", Value::list({Value("messages"), Value(3)}));
        const Value saved = program.model().document();
        program.answers.next = program.folder.filePath(u"preset.json"_s);
        program.desk.window().command(u"save-settings"_s)->trigger();
        QFile file(program.answers.next);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto written = parseJson(file.readAll().toStdString());
        QVERIFY(written.has_value());
        QCOMPARE(*written, saved);
        QVERIFY(settingsFromJson(*written).has_value());
        program.model().undo();
        QVERIFY(program.model().document() != saved);
        program.desk.window().command(u"load-settings"_s)->trigger();
        QCOMPARE(program.model().document(), saved);
    }

    void pythonSetsExactlyTheseSettings()
    {
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(parseJson(R"({"dialect": "deepagents-0.7.7", "model": {"max_input_tokens": 200000},
            "trigger": [{"tokens": 4000, "messages": 10}, ["fraction", 0.8]], "keep": ["messages", 6],
            "truncate_args": {"trigger": ["messages", 20], "keep": ["messages", 20], "max_length": 100,
            "truncation_text": "it\u0027s cut"}, "compact_tool": true, "tool_token_limit_before_evict": null})")
                .value()));
        program.desk.window().command(u"copy-python"_s)->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(),
            text(QStringLiteral(PALIMPSEST_TEST_DATA) + u"/tuning/agent.py.txt"_s));
    }

    void theEffectivePaneShowsTheWhatIf()
    {
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto &effective = *program.desk.window().findChild<MessagePane *>(u"effectivePane"_s);
        auto *tab = effective.findChild<QToolButton *>(u"whatIfTab"_s);
        QVERIFY(tab && tab->isVisible());
        program.view().goTo(static_cast<std::int64_t>(program.view().scene().data->points.size()) - 1);
        const int recorded = effective.model()->rowCount();
        tab->click();
        QVERIFY(program.desk.session().focus()->scene()->whatIf);
        QCOMPARE(effective.model()->rowCount(), recorded);
        program.model().setValue("trigger", Value());
        QVERIFY(program.settle());
        const ScenePtr scene = program.desk.session().focus()->scene();
        QCOMPARE(effective.model()->rowCount(), static_cast<int>(scene->log.size()));
        QVERIFY(effective.title().contains(u"what-if"_s));
        QCOMPARE(scene->fates.cutoff().value, 0);
        tab->click();
        QCOMPARE(effective.model()->rowCount(), recorded);
    }

    void decisionsSayWhyAndGoToTheCall()
    {
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        program.desk.window().dock(u"decisions"_s)->show();
        program.desk.window().dock(u"decisions"_s)->raise();
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
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        program.pane().findChild<QToolButton *>(u"keepA"_s)->click();
        program.model().setValue("trigger", Value::list({Value("messages"), Value(10)}));
        program.pane().findChild<QToolButton *>(u"keepB"_s)->click();
        QVERIFY(program.settle());
        auto &compare = *program.desk.window().findChild<ComparePane *>();
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
        program.desk.window().dock(u"compare"_s)->show();
        program.desk.window().dock(u"compare"_s)->raise();
        QTRY_VERIFY(calls->isVisible());
        QTest::mouseClick(
            calls->viewport(), Qt::LeftButton, {}, calls->visualRect(calls->model()->index(0, 0)).center());
        QCOMPARE(QString::number(program.place().call.value), calls->model()->index(0, 0).data().toString());
        QVERIFY(compare.request()->model()->rowCount() > 0);
    }

    void aSweepIsRunAndACellTaken()
    {
        Program program;
        QVERIFY(program.open(u"summarize_chain"_s));
        QVERIFY(program.load(truth(u"summarize_chain"_s)));
        auto &sweep = *program.desk.window().findChild<SweepPane *>();
        program.desk.window().dock(u"sweep"_s)->show();
        program.desk.window().dock(u"sweep"_s)->raise();
        QTRY_VERIFY(sweep.isVisible());
        sweep.setAxis(0, u"trigger, messages"_s, 10, 18, 3);
        sweep.setAxis(1, u"keep, messages"_s, 3, 6, 2);
        sweep.setNeedles({u"heron"_s, u"no such words anywhere"_s});
        sweep.runButton()->click();
        QTRY_COMPARE(sweep.study().done(), 6U);
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

    void toolsAndSystemPromptAreBroughtIn()
    {
        Program program;
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
        QTRY_VERIFY(program.view().scene().data->points.front().parts(ContextUnit::Tokens)[0] != without);
    }

    void aThousandChangesKeepMemoryFlat()
    {
        Program program;
        QVERIFY(program.open(u"long_run"_s));
        const auto change = [&](int count) {
            for (int i = 0; i < count; ++i) {
                program.model().setValue(
                    "trigger", Value::list({Value("messages"), Value(8 + i % 40)}), TuningModel::Step::GoesOn);
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
        QVERIFY2(rss() - before < 16 * 1024, QByteArray::number(rss() - before) + " KiB more");
    }
};

QTEST_MAIN(TestTuning)
#include "tst_tuning.moc"
