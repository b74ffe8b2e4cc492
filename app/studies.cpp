// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panes.h"

#include "app/mainwindow.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/tuning.h"
#include "models/comparison.h"
#include "models/display.h"
#include "models/sweepstudy.h"
#include "views/panes/comparepane.h"
#include "views/panes/sweeppane.h"
#include "views/panes/tuningpane.h"

#include <QDockWidget>
#include <QSaveFile>

#include <chrono>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

using Cells = std::vector<std::pair<std::size_t, SweepCell>>;

constexpr auto compareLane = "compare";
constexpr auto sweepLane = "sweep";
constexpr std::size_t mostInBatch = 256;
constexpr std::chrono::milliseconds batchTime{100};

QString tr(const char *text)
{
    return MainWindow::tr(text);
}

void compare(Tuning &tuning, ComparePane *pane)
{
    if (!tuning.input() || (!tuning.slot(0) && !tuning.slot(1))) {
        pane->setComparison(nullptr);
        return;
    }
    pane->setBusy(true);
    tuning.studies().run(
        QString::fromLatin1(compareLane), pane,
        [input = tuning.input(), a = tuning.slot(0), b = tuning.slot(1)](
            const JobContext &job) { return makeComparison(input, a, b, job); },
        [pane](const Result<ComparisonPtr> &made) {
            pane->setBusy(false);
            if (made)
                pane->setComparison(*made);
            else
                pane->setProblem(toQString(made.error().where + ": " + made.error().what));
        });
}

void buildCompare(MainWindow &window, Tuning &tuning)
{
    auto *pane = new ComparePane(window.theme());
    pane->follow(window.session().focus());
    QDockWidget *dock = window.addPane(MainWindow::Area::Bottom, u"compare"_s, tr("Compare"), pane);
    auto *form = window.findChild<TuningPane *>();
    QObject::connect(&tuning, &Tuning::slotsChanged, pane, [&tuning, pane, form, dock] {
        for (int slot = 0; slot < 2; ++slot)
            form->setSlot(
                slot, tuning.slot(slot) ? toQString(settingsWords(settingsFor(*tuning.slot(slot), "", 1))) : QString());
        compare(tuning, pane);
        if (tuning.slot(0) || tuning.slot(1))
            dock->raise();
    });
    QObject::connect(&tuning, &Tuning::inputChanged, pane, [&tuning, pane] { compare(tuning, pane); });
}

void runSweep(Tuning &tuning, SweepPane *pane)
{
    if (!tuning.input()) {
        pane->end(tr("Open a thread that holds model calls first."));
        return;
    }
    SweepGrid grid = pane->grid();
    grid.base = tuning.model()->document();
    pane->begin(grid);
    tuning.studies().runInParts<Cells>(
        QString::fromLatin1(sweepLane), pane,
        [grid, input = tuning.input()](const JobContext &job, const std::function<void(Cells)> &emitCells) {
            Cells batch;
            auto last = std::chrono::steady_clock::now();
            SweepOptions options;
            options.finished = [&](std::size_t cell, const SweepCell &done) {
                batch.emplace_back(cell, done);
                const auto now = std::chrono::steady_clock::now();
                if (batch.size() < mostInBatch && now - last < batchTime)
                    return;
                last = now;
                emitCells(std::exchange(batch, {}));
            };
            const auto result = sweep(grid, {{input->thread().id, input}}, options, job);
            emitCells(std::move(batch));
            return result ? Result<void>() : Result<void>(tl::unexpected(result.error()));
        },
        [pane](const Cells &cells) { pane->addCells(cells); },
        [pane](const Result<void> &done) {
            pane->end(done ? QString() : toQString(done.error().where + ": " + done.error().what));
        });
}

void writeCsv(MainWindow &window, const SweepPane &pane)
{
    const QString path = window.prompts().saveFile(&window, tr("Save the sweep"), u"sweep.csv"_s, tr("Table (*.csv)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    const std::string text = sweepCsv(pane.study());
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0
        || !file.commit())
        window.showError({Error::Code::Io, fromQString(path), fromQString(file.errorString())});
}

void buildSweep(MainWindow &window, Tuning &tuning)
{
    auto *pane = new SweepPane(window.theme());
    window.addPane(MainWindow::Area::Bottom, u"sweep"_s, tr("Sweep"), pane);
    QObject::connect(pane, &SweepPane::runWanted, &tuning, [&tuning, pane] { runSweep(tuning, pane); });
    QObject::connect(pane, &SweepPane::cancelWanted, &tuning, [&tuning, pane] {
        tuning.studies().cancel(QString::fromLatin1(sweepLane));
        pane->end(tr("Stopped. The cells that were done are shown."));
    });
    QObject::connect(pane, &SweepPane::csvWanted, &window, [&window, pane] { writeCsv(window, *pane); });
    QObject::connect(pane, &SweepPane::settingsChosen, &tuning, [&tuning, &window](const Value &settings) {
        if (const auto taken = tuning.model()->load(settings); !taken)
            window.showError(taken.error());
    });
    QObject::connect(&tuning, &Tuning::inputChanged, pane, [&tuning, pane] {
        if (!tuning.input())
            return;
        const Tuning::Reach reach = tuning.reach();
        pane->setReach(reach.messages, reach.tokens);
    });
}

} // namespace

void buildStudies(MainWindow &window)
{
    auto &tuning = *window.findChild<Tuning *>();
    buildCompare(window, tuning);
    buildSweep(window, tuning);
}

} // namespace palimpsest
