// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panes.h"

#include "app/cli/settingsfile.h"
#include "app/mainwindow.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/tuning.h"
#include "core/compaction/pythoncode.h"
#include "core/compaction/unseenimport.h"
#include "core/serde/json.h"
#include "models/counted.h"
#include "models/display.h"
#include "views/panes/decisionspane.h"
#include "views/panes/timelinepane.h"
#include "views/panes/tuningpane.h"
#include "views/widgets/timelineview.h"

#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QGuiApplication>
#include <QSaveFile>
#include <QStandardPaths>

#include <cmath>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return MainWindow::tr(text);
}

Result<Value> readJsonFile(const QString &path)
{
    const auto bytes = readFile(fromQString(path));
    if (!bytes)
        return tl::unexpected(bytes.error());
    return parseJson(*bytes);
}

void loadSettings(MainWindow &window, TuningModel &model)
{
    const QString path = window.prompts().openFile(&window, tr("Load settings"), window.session().location());
    if (path.isEmpty())
        return;
    const auto json = readJsonFile(path);
    const auto loaded = json ? model.load(*json) : tl::unexpected(json.error());
    if (!loaded)
        window.showError({loaded.error().code, fromQString(path) + ": " + loaded.error().where, loaded.error().what});
}

void saveSettings(MainWindow &window, const TuningModel &model)
{
    const QString path =
        window.prompts().saveFile(&window, tr("Save settings"), u"settings.json"_s, tr("Settings (*.json)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    const std::string text = prettyJson(model.document()) + "\n";
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0
        || !file.commit())
        window.showError({Error::Code::Io, fromQString(path), fromQString(file.errorString())});
}

void importUnseen(MainWindow &window, TuningModel &model, const QString &key)
{
    const QString path = window.prompts().openFile(
        &window, key == u"tools"_s ? tr("Import tools") : tr("Import the system prompt"), window.session().location());
    if (path.isEmpty())
        return;
    const auto bytes = readFile(fromQString(path));
    if (!bytes) {
        window.showError(bytes.error());
        return;
    }
    const auto json = parseJson(*bytes);
    // A system prompt may be a plain text file.
    const bool text = !json && key != u"tools"_s;
    const Value content = json ? *json : text ? Value(*bytes) : Value();
    const auto value = !json && !text ? tl::unexpected(json.error())
        : key == u"tools"_s           ? toolsFromJson(content)
                                      : systemFromJson(content);
    if (!value)
        window.showError({value.error().code, fromQString(path) + ": " + value.error().where, value.error().what});
    else
        model.setValue(fromQString(key), *value);
}

QString outcomeWords(const WhatIf &run)
{
    QString text = run.events == run.recordedEvents && run.differing == 0
        ? tr("As recorded: %1").arg(counted(run.events, tr("event"), tr("events")))
        : tr("%1 (recorded %2) · %3 differ of %4")
              .arg(counted(run.events, tr("event"), tr("events")))
              .arg(run.recordedEvents)
              .arg(counted(run.differing, tr("call"), tr("calls")))
              .arg(run.replay.calls.size());
    if (run.leavesRecording())
        text += u'\n' + tr("assumes the agent would have acted the same");
    return text;
}

/// The line of all namespaces below the one that is looked at.
QString treeWords(const Tuning::TreeTotals &totals)
{
    return tr("All %1: %2, %3 sent, largest request %L4")
        .arg(counted(static_cast<qint64>(totals.namespaces), tr("namespace"), tr("namespaces")),
            counted(totals.events, tr("event"), tr("events")), counted(totals.tokensSent, tr("token"), tr("tokens")))
        .arg(totals.peakTokens);
}

/// What was found out, for the form: how far it is determined and by which calls.
TuningProposal proposalOf(const Inference &inference, const std::string &ns)
{
    TuningProposal proposal;
    proposal.words = toQString(describe(inference));
    if (const auto proposed = proposedSettings(inference, ns))
        proposal.document = tuningDocument(*proposed);
    if (!inference.families.empty())
        for (const InferenceBound &bound : inference.families.front().bounds)
            proposal.bounds << tr("call %1: %2").arg(bound.call + 1).arg(toQString(bound.why));
    for (const ChangePoint &change : inference.changes)
        proposal.bounds << tr("from call %1: %2").arg(change.fromCall).arg(toQString(change.why));
    return proposal;
}

void feed(MainWindow &window, Tuning &tuning, TuningPane *pane)
{
    Session &session = window.session();
    auto *timeline = window.findChild<TimelinePane *>();
    const auto showRun = [&session, &tuning, pane, timeline, counted = Tuning::Counting(),
                             limits = std::vector<TimelineLimit>()]() mutable {
        if (tuning.counting() != counted) {
            counted = tuning.counting();
            timeline->remake();
        }
        const WhatIfPtr run = tuning.whatIf();
        const bool shown = run && tuning.model()->isTouched();
        if (run)
            pane->setOutcome(
                outcomeWords(*run) + (tuning.treeTotals() ? u'\n' + treeWords(*tuning.treeTotals()) : QString()),
                run->leavesRecording());
        else
            pane->setOutcome(MainWindow::tr("Change a setting to see what it would have done"), false);
        timeline->setWhatIfs(shown ? std::vector{run->series} : std::vector<TimelineSeries>());
        if (run) {
            // The unit follows the trigger when it changes, not the one that looks at it in another.
            auto now = limitsOf(settingsFor(*run->settings, session.selection()->place().ns, 1), tuning.origin());
            if (now != limits) {
                limits = std::move(now);
                timeline->setLimits(limits);
            }
        }
        session.focus()->setWhatIf(run);
    };
    QObject::connect(&tuning, &Tuning::whatIfChanged, pane, showRun);
    QObject::connect(&tuning, &Tuning::treeTotalsChanged, pane, [&tuning, pane] {
        if (const WhatIfPtr run = tuning.whatIf(); run && tuning.treeTotals())
            pane->setOutcome(outcomeWords(*run) + u'\n' + treeWords(*tuning.treeTotals()), run->leavesRecording());
    });
    QObject::connect(
        &tuning, &Tuning::runFailed, pane, [pane](const QString &why) { pane->setOutcome({}, false, why); });
    QObject::connect(&tuning, &Tuning::inferenceChanged, pane, [&tuning, &session, pane] {
        pane->setProposal(
            tuning.inference() ? proposalOf(*tuning.inference(), session.selection()->place().ns) : TuningProposal());
    });
    QObject::connect(&tuning, &Tuning::inputChanged, pane, [&tuning, pane] {
        if (!tuning.input())
            return;
        const Tuning::Reach reach = tuning.reach();
        pane->setReach({std::ceil(reach.messages * 1.1), std::ceil(reach.tokens * 1.1)});
    });
}

void buildTuningPane(MainWindow &window, Tuning &tuning)
{
    TuningModel *model = tuning.model();
    auto *pane = new TuningPane(model, window.theme());
    pane->setModelPresets(
        allModelPresets(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + u"/models.json"_s));
    window.addPane(MainWindow::Area::Right, u"tuning"_s, tr("Tuning"), pane);
    QObject::connect(pane, &TuningPane::loadWanted, &window, [&window, model] { loadSettings(window, *model); });
    QObject::connect(pane, &TuningPane::saveWanted, &window, [&window, model] { saveSettings(window, *model); });
    QObject::connect(pane, &TuningPane::importWanted, &window,
        [&window, model](const QString &key) { importUnseen(window, *model, key); });
    QObject::connect(pane, &TuningPane::pythonWanted, &window,
        [model] { QGuiApplication::clipboard()->setText(toQString(pythonCode(model->currentSettings()))); });
    QObject::connect(pane, &TuningPane::slotWanted, &tuning, &Tuning::keepSlot);
    pane->addMenuAction(tr("Copy &capture snippet"),
        tr("Python that writes a live agent's settings, tools and system prompt as a settings file"), [] {
            QFile snippet(u":/tuning/capture.py"_s);
            if (snippet.open(QIODevice::ReadOnly))
                QGuiApplication::clipboard()->setText(QString::fromUtf8(snippet.readAll()));
        });
    feed(window, tuning, pane);

    window.addCommand(
        u"edit"_s, u"undo-setting"_s, tr("&Undo setting"), {QKeySequence::Undo}, [model] { model->undo(); });
    window.addCommand(
        u"edit"_s, u"redo-setting"_s, tr("&Redo setting"), {QKeySequence::Redo}, [model] { model->redo(); });
    window.addCommand(
        u"file"_s, u"load-settings"_s, tr("&Load settings…"), {}, [&window, model] { loadSettings(window, *model); });
    window.addCommand(
        u"file"_s, u"save-settings"_s, tr("&Save settings…"), {}, [&window, model] { saveSettings(window, *model); });
    window.addCommand(
        u"edit"_s, u"copy-python"_s, tr("Copy settings as &Python"), {}, [pane] { Q_EMIT pane->pythonWanted(); });
}

QWidget *makeDecisions(MainWindow &window, Tuning &tuning)
{
    auto *pane = new DecisionsPane(window.theme());
    pane->follow(window.session().focus());
    pane->setRun(tuning.whatIf());
    // Only what is seen is kept up to date while a slider is dragged.
    const auto show = [pane, &tuning] {
        if (pane->isVisible() || !tuning.whatIf())
            pane->setRun(tuning.whatIf());
    };
    QObject::connect(&tuning, &Tuning::whatIfChanged, pane, show);
    QObject::connect(window.dock(u"decisions"_s), &QDockWidget::visibilityChanged, pane, [pane, &tuning](bool visible) {
        if (visible && pane->run() != tuning.whatIf())
            pane->setRun(tuning.whatIf());
    });
    return pane;
}

} // namespace

void buildTuningPanes(MainWindow &window)
{
    auto *tuning = new Tuning(window.session(), &window);
    tuning->setObjectName(u"tuning"_s);
    buildTuningPane(window, *tuning);
    window.addPane(MainWindow::Area::Bottom, u"decisions"_s, tr("Decisions"),
        [&window, tuning] { return makeDecisions(window, *tuning); });
}

} // namespace palimpsest
