// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/settingsstore.h"
#include "core/artifacts/folderproposal.h"
#include "models/display.h"
#include "models/focus.h"
#include "models/messagetext.h"
#include "models/navigator.h"
#include "models/threadfindings.h"
#include "views/panes/messagepane.h"
#include "views/panes/searchbar.h"
#include "views/widgets/levellink.h"

#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLineEdit>
#include <QToolBar>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

using Keys = QList<QKeySequence>;
using StepFunction = Place (*)(const Scene &, const Place &, int);

QString tr(const char *text)
{
    return MainWindow::tr(text);
}

/// Folders of files that a thread names and that are nowhere, by their names; empty until the rules ran.
std::vector<FolderProposal> proposedFolders(const ThreadFindingsPtr &findings)
{
    return findings ? findings->proposals() : std::vector<FolderProposal>();
}

void addGo(MainWindow &window)
{
    Session &session = window.session();
    Selection *selection = session.selection();
    window.addCommand(
        u"go"_s, u"back"_s, tr("&Back"), {QKeySequence(u"Alt+Left"_s)}, [selection] { selection->back(); });
    window.addCommand(
        u"go"_s, u"forward"_s, tr("&Forward"), {QKeySequence(u"Alt+Right"_s)}, [selection] { selection->forward(); });
    const auto add = [&](const QString &name, const QString &text, const Keys &keys, StepFunction step, int direction) {
        window.addCommand(u"go"_s, name, text, keys, [&session, step, direction] {
            session.selection()->setPlace(
                step(*session.focus()->scene(), session.selection()->place(), direction), Selection::Step::Merge);
        });
    };
    add(u"next-message"_s, tr("Next &message"), {QKeySequence(u"J"_s)}, stepMessage, 1);
    add(u"previous-message"_s, tr("Previous message"), {QKeySequence(u"K"_s)}, stepMessage, -1);
    add(u"next-event"_s, tr("Next &event"), {QKeySequence(u"C"_s)}, stepEvent, 1);
    add(u"previous-event"_s, tr("Previous event"), {QKeySequence(u"Shift+C"_s)}, stepEvent, -1);
    add(u"next-checkpoint"_s, tr("Next &checkpoint"), {QKeySequence(u"Ctrl+]"_s)}, stepCheckpoint, 1);
    add(u"previous-checkpoint"_s, tr("Previous checkpoint"), {QKeySequence(u"Ctrl+["_s)}, stepCheckpoint, -1);
    window.addCommand(
        u"go"_s, u"parent-namespace"_s, tr("&Up to the parent of this subagent"), {QKeySequence(u"U"_s)}, [&session] {
            const ScenePtr scene = session.focus()->scene();
            if (!scene->space)
                return;
            for (const SubagentLink &link : scene->thread->subagents) {
                if (link.ns != scene->space->name)
                    continue;
                Place place;
                place.thread = scene->thread->id;
                place.ns = link.parentNs;
                session.selection()->setPlace(place);
                if (const auto match = findId(*session.focus()->scene(), {}, place, link.toolCallId))
                    session.selection()->setPlace(match->place, Selection::Step::Merge);
                return;
            }
        });
    const auto refresh = [&window, selection] {
        window.command(u"back"_s)->setEnabled(selection->canGoBack());
        window.command(u"forward"_s)->setEnabled(selection->canGoForward());
    };
    QObject::connect(selection, &Selection::historyChanged, &window, refresh);
    refresh();
}

void addEdit(MainWindow &window)
{
    Session &session = window.session();
    window.addCommand(
        u"edit"_s, u"find"_s, tr("&Search all panes"), {QKeySequence::Find, QKeySequence(u"/"_s)}, [&window] {
            window.searchField()->setFocus();
            window.searchField()->selectAll();
        });
    const auto step = [&window](int direction) {
        if (auto *bar = window.findChild<SearchBar *>())
            bar->step(direction);
    };
    window.addCommand(u"edit"_s, u"find-next"_s, tr("&Next hit"), {QKeySequence(u"F3"_s)}, [step] { step(1); });
    window.addCommand(
        u"edit"_s, u"find-previous"_s, tr("&Previous hit"), {QKeySequence(u"Shift+F3"_s)}, [step] { step(-1); });
    const auto copy = [&session](QString (*write)(const Message &)) {
        return [&session, write] {
            if (const MessagePtr chosen = chosenMessage(*session.focus()->scene(), session.selection()->place()))
                QGuiApplication::clipboard()->setText(write(*chosen));
        };
    };
    window.addCommand(u"edit"_s, u"copy-text"_s, tr("&Copy message as text"), {QKeySequence::Copy},
        copy([](const Message &message) { return toQString(textOf(message)); }));
    window.addCommand(u"edit"_s, u"copy-markdown"_s, tr("Copy message as &Markdown"), {}, copy(messageAsMarkdown));
    window.addCommand(u"edit"_s, u"copy-json"_s, tr("Copy message as &JSON"), {}, copy(messageAsJson));
    window.addCommand(u"edit"_s, u"copy-place"_s, tr("Copy p&lace"), {QKeySequence(u"Ctrl+Shift+C"_s)},
        [&session] { QGuiApplication::clipboard()->setText(session.placeCommand()); });
    window.addCommand(u"edit"_s, u"first-written"_s, tr("As first &written"), {QKeySequence(u"W"_s)}, [&session] {
        const Place &place = session.selection()->place();
        if (!place.message.empty())
            session.selection()->setVersion(place.version == 0 ? -1 : 0);
    });
    window.addCommand(u"file"_s, u"add-folder"_s, tr("&Add folder of files…"), {}, [&window, &session] {
        const QString folder =
            window.prompts().openFolder(&window, tr("Add a folder that the agent wrote to"), session.location());
        if (folder.isEmpty())
            return;
        const QString route = window.prompts().askText(&window, tr("Add a folder that the agent wrote to"),
            tr("Path under which the agent knows it, for instance /memories/"), u"/"_s);
        if (const auto added = session.addFolder(folder, route); !added)
            window.showError(added.error());
    });
    QAction *propose = window.addCommand(
        u"file"_s, u"propose-folders"_s, tr("Add folders of &missing files…"), {}, [&window, &session] {
            const std::vector<FolderProposal> proposed = proposedFolders(session.focus()->findings());
            for (const FolderProposal &one : proposed) {
                const QString question = tr("%1 has the name of a file that is missing. Add the folder %2 as %3?")
                                             .arg(toQString(one.file), toQString(one.folder),
                                                 one.route.empty() ? u"/"_s : toQString(one.route));
                if (window.prompts().confirm(&window, tr("Add folders of missing files"), question, tr("Add")))
                    if (const auto added = session.addFolder(toQString(one.folder), toQString(one.route)); !added)
                        window.showError(added.error());
            }
        });
    const auto offer = [propose, &session] {
        propose->setEnabled(!proposedFolders(session.focus()->findings()).empty());
    };
    QObject::connect(session.focus(), &Focus::findingsChanged, propose, offer);
    offer();
}

void addView(MainWindow &window)
{
    Session &session = window.session();
    SettingsStore &settings = session.settings();
    window.addCommand(u"view"_s, u"filter"_s, tr("&Filter messages"), {QKeySequence(u"Ctrl+Shift+F"_s)}, [&window] {
        const auto panes = window.findChildren<MessagePane *>();
        for (MessagePane *pane : panes)
            pane->setFilterVisible(true);
    });
    QAction *together = window.addCommand(u"view"_s, u"level"_s, tr("&Keep kept messages level"), {}, {});
    together->setCheckable(true);
    together->setChecked(settings.value(u"level"_s, true).toBool());
    auto *link = window.findChild<LevelLink *>();
    link->setEnabled(together->isChecked());
    QObject::connect(together, &QAction::toggled, link, [link, &settings](bool on) {
        link->setEnabled(on);
        settings.setValue(u"level"_s, on);
    });
    QAction *follow =
        window.addCommand(u"view"_s, u"follow"_s, tr("Fo&llow what is written"), {QKeySequence(u"F6"_s)}, {});
    follow->setCheckable(true);
    QObject::connect(follow, &QAction::toggled, &session, &Session::setFollowing);
    QObject::connect(&session, &Session::followingChanged, follow, &QAction::setChecked);
    const auto remember = [&window, &settings](const QString &name, int by) {
        if (const QAction *action = window.command(name)) {
            QObject::connect(action, &QAction::triggered, &window, [&settings, by] {
                settings.setValue(u"zoom"_s, by == 0 ? 0 : settings.value(u"zoom"_s, 0).toInt() + by);
            });
        }
    };
    remember(u"text-larger"_s, 1);
    remember(u"text-smaller"_s, -1);
    remember(u"text-normal"_s, 0);
}

} // namespace

void buildCommands(MainWindow &window)
{
    addGo(window);
    buildPlaces(window);
    addEdit(window);
    addView(window);
    // Keys in the tool bar's buttons stand in their tool tips.
    QToolBar *bar = window.toolBar();
    QAction *first = bar->actions().isEmpty() ? nullptr : bar->actions().front();
    const std::initializer_list<std::pair<QString, QString>> buttons = {{u"back"_s, u"←"_s}, {u"forward"_s, u"→"_s},
        {u"previous-checkpoint"_s, tr("◀ checkpoint")}, {u"next-checkpoint"_s, tr("checkpoint ▶")},
        {u"previous-event"_s, tr("◀ event")}, {u"next-event"_s, tr("event ▶")}, {u"play"_s, tr("▶ play")}};
    for (const auto &[name, text] : buttons) {
        QAction *action = window.command(name);
        if (!action)
            continue;
        action->setIconText(text);
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        action->setToolTip(action->text().remove(u'&') + (keys.isEmpty() ? QString() : u" ("_s + keys + u')'));
        bar->insertAction(first, action);
    }
}

} // namespace palimpsest
