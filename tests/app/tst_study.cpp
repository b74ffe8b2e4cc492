// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/samples.h"
#include "models/findingsmodel.h"
#include "models/statemodel.h"
#include "tests/app/program.h"
#include "views/dialogs/commandpalette.h"
#include "views/panes/inspectionview.h"
#include "views/panes/timelinepane.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTreeView>

using namespace palimpsest;
using namespace Qt::StringLiterals;
using palimpsest::test::Program;
using palimpsest::test::recording;

namespace {

QString words(const StateModel &model, const QString &channel)
{
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, StateModel::NameColumn).data().toString() == channel)
            return model.index(row, StateModel::ValueColumn).data().toString();
    return {};
}

} // namespace

class TestStudy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theTimelineShowsEveryCallAndEvent()
    {
        Program program;
        QVERIFY(program.open(recording(u"summarize_chain"_s)));
        const TimelineDataPtr shown = program.timeline().scene().data;
        QVERIFY(shown->pointsAreCalls);
        const ThreadNamespace &space = *program.desk->session().focus()->scene()->space;
        QCOMPARE(shown->points.size(), space.calls.size());
        QCOMPARE(shown->events.size(), space.eventCheckpoints.size());
        QVERIFY(shown->events.size() >= 2);
        // Where an event is made, the context is smaller than at the call before.
        for (const TimelineMark &event : shown->events) {
            const auto at = static_cast<std::size_t>(event.position);
            QVERIFY(
                shown->points[at].total(ContextUnit::Messages) < shown->points[at - 1].total(ContextUnit::Messages));
        }
        QVERIFY(shown->turns.size() >= 3);
    }

    void scrubbingMovesEveryPane()
    {
        Program program;
        QVERIFY(program.open(recording(u"summarize_chain"_s)));
        program.raise(u"inspector"_s);
        QTRY_VERIFY(program.inspector().isVisible());
        program.timeline().goTo(4);
        QCOMPARE(program.place().call, CallNumber(5));
        QCOMPARE(program.desk->session().focus()->scene()->call->number, CallNumber(5));
        QTRY_COMPARE(program.inspector().inspection().title, u"Call 5"_s);
        program.desk->session().selection()->setCall(CallNumber(9), {});
        QTRY_COMPARE(program.timeline().playhead(), 8.0);
    }

    void theInspectorShowsWhatIsChosen()
    {
        Program program;
        QVERIFY(program.open(recording(u"tool_offload"_s)));
        const ScenePtr scene = program.desk->session().focus()->scene();
        MessageIndex tool;
        for (std::size_t i = 0; i < scene->log.size(); ++i)
            if (scene->log[i]->kind == MessageKind::Tool)
                tool = MessageIndex(i);
        QVERIFY(tool.isValid());
        program.raise(u"inspector"_s);
        QTRY_VERIFY(program.inspector().isVisible());
        program.desk->session().selection()->setMessage(messageKey(*scene->log[tool.at()], tool));
        QCOMPARE(program.inspector().inspection().subject, Inspection::Subject::Message);
        QCOMPARE(program.inspector().inspection().plain.toStdString(), textOf(*scene->log[tool.at()]));
        QTRY_VERIFY(program.inspector().view()->isComplete());
        QVERIFY(!scene->checkpoint->files.empty());
        const std::string path = scene->checkpoint->files.begin()->first;
        program.desk->session().selection()->setArtifact(path);
        QCOMPARE(program.inspector().inspection().subject, Inspection::Subject::File);
        QCOMPARE(program.inspector().inspection().subtitle.toStdString(), path);
    }

    void theStateIsATreeOfEveryChannel()
    {
        Program program;
        QVERIFY(program.open(recording(u"summarize_chain"_s)));
        StateModel &model = *program.state().model();
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        program.raise(u"state"_s);
        QTRY_VERIFY(model.rowCount() > 3);
        const std::size_t messages = program.desk->session().focus()->scene()->checkpoint->messages.size();
        QCOMPARE(words(model, u"messages"_s), u"[%1 items]"_s.arg(messages));
        QVERIFY(!words(model, u"_summarization_event"_s).isEmpty());
        QVERIFY(model.changedCount() > 0);
        program.timeline().goTo(6);
        const std::size_t fewer = program.desk->session().focus()->scene()->checkpoint->messages.size();
        QVERIFY(fewer < messages);
        QTRY_COMPARE(words(model, u"messages"_s), u"[%1 items]"_s.arg(fewer));
    }

    void theRulesFindingsAreShownWhereTheyAre()
    {
        Program program;
        QVERIFY(program.open(recording(u"interrupted"_s)));
        QVERIFY(program.studied());
        const ThreadFindingsPtr findings = program.desk->session().focus()->findings();
        const auto is = [](const Finding &f) { return f.rule == "unanswered-tool-call" && f.messageId; };
        const auto found = std::ranges::find_if(findings->all(), is);
        QVERIFY(found != findings->all().end());
        // In the list, with their number in its title
        FindingsPane &pane = program.findings();
        QCOMPARE(pane.model()->findingCount(), int(findings->all().size()));
        QCOMPARE(
            program.desk->window().dock(u"findings"_s)->windowTitle(), u"Findings %1"_s.arg(findings->all().size()));
        // on the timeline
        const auto &problems = program.timeline().scene().data->problems;
        QVERIFY(std::ranges::any_of(
            problems, [](const TimelineMark &mark) { return mark.kind == TimelineMark::Kind::Finding; }));
        // and a click goes to the row that carries it.
        QModelIndex group;
        for (int row = 0; row < pane.model()->rowCount(); ++row)
            if (pane.model()->index(row, 0).data(FindingsModel::RuleRole).toString() == u"unanswered-tool-call"_s)
                group = pane.model()->index(row, 0);
        QVERIFY(group.isValid());
        Q_EMIT pane.tree()->clicked(pane.model()->index(0, 0, group));
        QCOMPARE(program.place().checkpoint, found->checkpointId);
        QCOMPARE(program.place().message, *found->messageId);
        const int row = program.raw().list()->currentIndex().row();
        QVERIFY(row >= 0);
        QVERIFY(program.raw().model()->describe(row).findings.contains(QString::fromStdString(found->message)));
    }

    void theInspectorShowsTheMessageThatWasAskedFor()
    {
        Program program;
        QVERIFY(program.open(recording(u"summarize_chain"_s)));
        const ScenePtr scene = program.scene();
        const MessagePtr wanted = scene->log[3];
        program.desk->window().close();
        WindowArguments arguments;
        arguments.source = recording(u"summarize_chain"_s).toStdString();
        arguments.place.message = *wanted->id;
        program.start(arguments);
        QVERIFY(program.ready());
        QTRY_COMPARE(program.inspector().inspection().subject, Inspection::Subject::Message);
        QCOMPARE(program.inspector().inspection().plain.toStdString(), textOf(*wanted));
    }

    void everyRecordingHasATimeline()
    {
        Program program;
        for (const char *name : {"plain", "fork", "subagent", "dangling", "interrupted", "exit_durability", "media",
                 "langchain_destructive"}) {
            QVERIFY2(program.open(recording(QString::fromLatin1(name))), name);
            QVERIFY2(!program.timeline().scene().data->points.empty(), name);
            QVERIFY(!program.timeline().grab().isNull());
        }
    }

    void darkThemeReachesEveryPane()
    {
        Program program;
        QVERIFY(program.open(recording(u"summarize_chain"_s)));
        program.desk->window().command(u"theme-dark"_s)->trigger();
        QCOMPARE(program.settings->value(u"theme"_s).toString(), u"dark"_s);
        // Only text and thin lines are bright, once what is laid out in slices is there.
        const auto isDark = [&program] {
            const QImage picture = program.desk->window().grab().toImage();
            qint64 bright = 0;
            for (int y = 0; y < picture.height(); y += 4)
                for (int x = 0; x < picture.width(); x += 4)
                    bright += picture.pixelColor(x, y).lightness() > 200 ? 1 : 0;
            return bright * 16 < qint64(picture.width()) * picture.height() / 12;
        };
        QTRY_VERIFY(isDark());
        program.desk->window().command(u"theme-light"_s)->trigger();
    }

    void samplesAreThereAndOpen()
    {
        const QList<SampleThread> samples = sampleThreads();
        QVERIFY(samples.size() >= 3);
        QTemporaryDir folder;
        for (const SampleThread &sample : samples) {
            const QString file = extractedSample(sample.location, folder.path());
            QVERIFY2(QFile::exists(file), qPrintable(sample.location));
            QCOMPARE(extractedSample(sample.location, folder.path()), file);
        }
        QCOMPARE(extractedSample(u"/a/b.sqlite"_s), u"/a/b.sqlite"_s);
        Program program;
        QVERIFY(program.startPage()->isVisible());
        QVERIFY(program.open(extractedSample(samples.front().location, folder.path())));
        QVERIFY(!program.startPage()->isVisible());
    }

    void thePaletteKnowsEveryCommand()
    {
        Program program;
        program.desk->window().command(u"commands"_s)->trigger();
        auto *palette = program.desk->window().findChild<CommandPalette *>();
        QVERIFY(palette);
        QVERIFY(palette->shown().contains(u"Play the thread"_s));
        QVERIFY(palette->shown().size() > 15);
        palette->close();
    }
};

QTEST_MAIN(TestStudy)
#include "tst_study.moc"
