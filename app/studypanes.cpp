// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panes.h"

#include "app/mainwindow.h"
#include "app/samples.h"
#include "app/session.h"
#include "app/settingsstore.h"
#include "app/tuning.h"
#include "core/insight/explain/explain.h"
#include "core/sources/deepagentshome.h"
#include "core/tokens/approximate.h"
#include "models/display.h"
#include "views/dialogs/commandpalette.h"
#include "views/dialogs/helppage.h"
#include "views/dialogs/helpsheet.h"
#include "views/panes/findingspane.h"
#include "views/panes/inspectorpane.h"
#include "views/panes/startpage.h"
#include "views/panes/statepane.h"
#include "views/panes/timelinepane.h"
#include "views/render/highlighter.h"
#include "views/theme.h"
#include "views/widgets/explainbar.h"
#include "views/widgets/timelineview.h"

#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>

#include <cmath>
#include <utility>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// Messages are counted as the settings that are tuned count them.
TimelineOptions timelineOptions(MainWindow &window)
{
    const auto *tuning = window.findChild<Tuning *>();
    const Tuning::Counting counting = tuning ? tuning->counting() : Tuning::Counting();
    ApproximateOptions options;
    options.charsPerToken = counting.charsPerToken;
    return {[options](const Message &message) {
                return static_cast<std::int64_t>(std::ceil(approximateMessageTokensOrBest(message, options)));
            },
        counting.toolsAndSystem, window.session().focus()->findings()};
}

void buildTimeline(MainWindow &window)
{
    Session &session = window.session();
    auto *pane = new TimelinePane(window.theme(),
        [&window, &session](
            ThreadPtr thread, const std::string &ns, QObject *receiver, std::function<void(TimelineDataPtr)> done) {
            session.workers().run(
                u"timeline"_s, receiver,
                [thread = std::move(thread), ns, options = timelineOptions(window)](
                    const JobContext &job) { return makeTimeline(thread, ns, options, job); },
                [done = std::move(done)](const TimelineDataPtr &made) { done(made); });
        });
    window.addPane(MainWindow::Area::Top, u"timeline"_s, MainWindow::tr("Timeline"), pane);
    pane->follow(session.focus());
    TimelineView *view = pane->view();
    window.addCommand(u"go"_s, u"play"_s, MainWindow::tr("&Play the thread"), {QKeySequence(u"Ctrl+Space"_s)},
        [view] { view->setPlaying(!view->isPlaying()); });
    window.addCommand(u"go"_s, u"previous-call"_s, MainWindow::tr("Previous c&all"), {QKeySequence(u"Alt+Up"_s)},
        [view] { view->step(-1); });
    window.addCommand(u"go"_s, u"next-call"_s, MainWindow::tr("Next ca&ll"), {QKeySequence(u"Alt+Down"_s)},
        [view] { view->step(1); });
    window.addCommand(u"view"_s, u"timeline-tokens"_s, MainWindow::tr("Timeline counts &tokens"), {},
        [pane] { pane->setUnit(ContextUnit::Tokens); });
    window.addCommand(u"view"_s, u"timeline-messages"_s, MainWindow::tr("Timeline counts &messages"), {},
        [pane] { pane->setUnit(ContextUnit::Messages); });
    window.addCommand(
        u"view"_s, u"timeline-all"_s, MainWindow::tr("Timeline: show &all calls"), {}, [view] { view->showAll(); });
}

void buildThemes(MainWindow &window)
{
    auto *group = new QActionGroup(&window);
    const std::pair<Theme::Mode, QString> modes[] = {
        {Theme::Mode::System, MainWindow::tr("Colours: as the s&ystem")},
        {Theme::Mode::Light, MainWindow::tr("Colours: &light")},
        {Theme::Mode::Dark, MainWindow::tr("Colours: &dark")},
        {Theme::Mode::HighContrast, MainWindow::tr("Colours: &high contrast")},
    };
    for (const auto &[mode, text] : modes) {
        QAction *action = window.addCommand(u"view"_s, u"theme-"_s + Theme::modeName(mode), text, {}, [&window, mode] {
            window.theme().setMode(mode);
            window.session().settings().setValue(u"theme"_s, Theme::modeName(mode));
        });
        action->setCheckable(true);
        action->setChecked(window.theme().mode() == mode);
        group->addAction(action);
    }
    const auto zoom = [&window](int steps) { window.theme().zoomText(steps); };
    window.addCommand(u"view"_s, u"text-larger"_s, MainWindow::tr("Text larg&er"),
        {QKeySequence::ZoomIn, QKeySequence(u"Ctrl+="_s)}, [zoom] { zoom(1); });
    window.addCommand(
        u"view"_s, u"text-smaller"_s, MainWindow::tr("Text s&maller"), {QKeySequence::ZoomOut}, [zoom] { zoom(-1); });
    window.addCommand(u"view"_s, u"text-normal"_s, MainWindow::tr("Text as it &was"), {QKeySequence(u"Ctrl+0"_s)},
        [zoom] { zoom(0); });
}

void buildHelp(MainWindow &window)
{
    window.addCommand(u"help"_s, u"commands"_s, MainWindow::tr("&Commands…"), {QKeySequence(u"Ctrl+K"_s)}, [&window] {
        auto *palette = new CommandPalette(window.theme(), window.actions(), &window);
        palette->show();
    });
    window.addCommand(u"help"_s, u"keys"_s, MainWindow::tr("&Keys and words"),
        {QKeySequence(u"?"_s), QKeySequence::HelpContents}, [&window] {
            QList<HelpSheet::Group> groups;
            const QList<QAction *> menus = window.menuBar()->actions();
            for (const QAction *menu : menus) {
                if (!menu->menu())
                    continue;
                HelpSheet::Group group{CommandPalette::plainText(*menu), menu->menu()->actions()};
                for (const QAction *action : menu->menu()->actions())
                    if (action->menu())
                        group.actions += action->menu()->actions();
                groups.append(group);
            }
            auto *sheet = new HelpSheet(window.theme(), groups, &window);
            sheet->show();
        });
    const auto addPage = [&window](const QString &name, const QString &text) {
        window.addCommand(u"help"_s, u"help-"_s + name, text, {}, [&window, name] {
            Focus *focus = window.session().focus();
            auto *page = new HelpPage(
                window.theme(), [focus](QStringView mechanism) { return mechanismPlaces(*focus->scene(), mechanism); },
                &window);
            QObject::connect(focus, &Focus::threadChanged, page, &HelpPage::refresh);
            QObject::connect(page, &HelpPage::placeWanted, focus->selection(),
                [focus](const Place &place) { focus->selection()->setPlace(place); });
            page->showPage(name + u".md"_s);
            page->show();
        });
    };
    addPage(u"forgot"_s, MainWindow::tr("My agent &forgot something"));
    addPage(u"compaction"_s, MainWindow::tr("&How compaction works"));
    addPage(u"rules"_s, MainWindow::tr("&Every finding"));
    window.addCommand(u"help"_s, u"about"_s, MainWindow::tr("&About Palimpsest"), {}, [&window] {
        auto *about = new AboutDialog(window.theme(), QApplication::applicationVersion(), &window);
        about->show();
    });
}

QWidget *makeStartPage(MainWindow &window)
{
    auto *page = new StartPage(window.theme());
    page->setSamples(sampleThreads());
    QStringList places = window.session().settings().recent();
    if (const auto home = usersDeepAgentsHome())
        if (const QString folder = QString::fromStdString(*home); !places.contains(folder))
            places.append(folder);
    page->setRecent(places);
    const auto command = [&window](const QString &name) {
        return [&window, name] {
            if (QAction *action = window.command(name))
                action->trigger();
        };
    };
    QObject::connect(page, &StartPage::fileDialogRequested, &window, command(u"open"_s));
    QObject::connect(page, &StartPage::folderDialogRequested, &window, command(u"open-folder"_s));
    QObject::connect(page, &StartPage::addressRequested, &window, command(u"open-address"_s));
    QObject::connect(page, &StartPage::openRequested, &window, [&window](const QString &location) {
        const QString file = extractedSample(location);
        if (!file.isEmpty())
            window.session().open(file);
    });
    return page;
}

/// Answers what a provider's error speaks of, in a job.
void buildExplain(MainWindow &window, ExplainBar *bar)
{
    Session &session = window.session();
    QObject::connect(bar, &ExplainBar::asked, &session, [&session, bar](const QString &error) {
        const ThreadPtr thread = session.focus()->thread();
        if (error.isEmpty() || !thread) {
            bar->setExplanation({});
            return;
        }
        session.workers().run(
            u"explain"_s, bar,
            [thread, text = error.toStdString()](const JobContext &job) { return explainError(*thread, text, job); },
            [bar](const Result<Explanation> &explanation) {
                if (explanation)
                    bar->setExplanation(*explanation);
            });
    });
    QObject::connect(session.focus(), &Focus::threadChanged, bar, [&session, bar, last = std::string()]() mutable {
        const ThreadPtr thread = session.focus()->thread();
        const auto recorded = thread ? recordedError(*thread) : std::nullopt;
        bar->setRecordedError(recorded ? toQString(recorded->text) : QString());
        if (std::exchange(last, thread ? thread->id : std::string()) != (thread ? thread->id : std::string()))
            bar->setExplanation({});
    });
    window.addCommand(u"go"_s, u"explain"_s, MainWindow::tr("&Explain a provider's error"), {}, [&window, bar] {
        window.raisePane(u"findings"_s);
        bar->field()->setFocus();
    });
}

} // namespace

void buildStudyPanes(MainWindow &window)
{
    Session &session = window.session();
    buildTimeline(window);

    auto *findings = new FindingsPane(window.theme());
    findings->follow(session.focus());
    buildExplain(window, findings->explainBar());
    QAction *resets = window.addCommand(u"edit"_s, u"untyped-overwrite-resets"_s,
        MainWindow::tr("Take Overwrites that lost their type as &reset points"), {}, [] { });
    resets->setCheckable(true);
    resets->setToolTip(MainWindow::tr("Reads the thread again; the finding untyped-overwrite says what was done"));
    QObject::connect(resets, &QAction::toggled, &session, &Session::setUntypedOverwriteResets);
    QDockWidget *dock = window.addPane(MainWindow::Area::Bottom, u"findings"_s, MainWindow::tr("Findings"), findings);
    QObject::connect(findings, &FindingsPane::countChanged, dock, [dock](int count) {
        dock->setWindowTitle(count > 0 ? MainWindow::tr("Findings %1").arg(count) : MainWindow::tr("Findings"));
    });

    auto *inspector = new InspectorPane(window.theme(), std::make_shared<Highlighter>());
    inspector->follow(session.focus());
    window.addPane(MainWindow::Area::Bottom, u"inspector"_s, MainWindow::tr("Inspector"), inspector);

    window.addPane(MainWindow::Area::Bottom, u"state"_s, MainWindow::tr("State"), [&window, &session] {
        auto *state = new StatePane(window.theme(),
            [&session](const std::string &ns, CheckpointIndex checkpoint, QObject *receiver, StatePane::Done done) {
                session.readChannels(ns, checkpoint, receiver, std::move(done));
            });
        state->follow(session.focus());
        return state;
    });

    window.setStartPage([&window] { return makeStartPage(window); });
    buildThemes(window);
    buildHelp(window);
}

} // namespace palimpsest
