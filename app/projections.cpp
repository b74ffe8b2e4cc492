// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/session.h"
#include "app/tuning.h"
#include "models/display.h"
#include "models/projection.h"
#include "views/panes/projectionpane.h"

#include <QDockWidget>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr auto projectionLane = "projection";

/// The settings that are tuned, and those that are kept as A and B.
std::vector<NamedSettings> settingsOf(const Tuning &tuning)
{
    std::vector<NamedSettings> settings{{"now", tuning.whatIf()->settings}};
    for (int slot = 0; slot < 2; ++slot)
        if (tuning.slot(slot))
            settings.push_back({slot == 0 ? "A" : "B", tuning.slot(slot)});
    return settings;
}

QWidget *makeProjectionPane(MainWindow &window, Tuning &tuning)
{
    auto *pane = new ProjectionPane(window.theme());
    // Only what is seen is kept up to date while a slider is dragged.
    const auto project = [&tuning, pane] {
        if (!tuning.whatIf()) {
            pane->setStudy(nullptr);
            return;
        }
        if (!pane->isVisible())
            return;
        tuning.studies().run(
            QString::fromLatin1(projectionLane), pane,
            [input = tuning.input(), times = pane->times(), settings = settingsOf(tuning)](
                const JobContext &job) { return makeProjection(*input, times, settings, job); },
            [pane](const Result<ProjectionStudyPtr> &made) {
                if (made)
                    pane->setStudy(*made);
                else if (made.error().code != Error::Code::Cancelled)
                    pane->setStudy(nullptr, toQString(made.error().where + ": " + made.error().what));
            });
    };
    QObject::connect(&tuning, &Tuning::whatIfChanged, pane, project);
    QObject::connect(&tuning, &Tuning::slotsChanged, pane, project);
    QObject::connect(pane, &ProjectionPane::timesChanged, pane, project);
    QObject::connect(window.dock(u"projection"_s), &QDockWidget::visibilityChanged, pane, project);
    QMetaObject::invokeMethod(pane, project, Qt::QueuedConnection); // when it is seen
    return pane;
}

} // namespace

void buildProjection(MainWindow &window)
{
    Tuning &tuning = *window.findChild<Tuning *>();
    window.addPane(MainWindow::Area::Bottom, u"projection"_s, MainWindow::tr("Projection"),
        [&window, &tuning] { return makeProjectionPane(window, tuning); });
}

} // namespace palimpsest
