// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panes.h"

#include "app/mainwindow.h"
#include "app/session.h"
#include "models/display.h"
#include "models/navigator.h"
#include "views/panes/archivepane.h"
#include "views/panes/messagepane.h"
#include "views/panes/searchbar.h"
#include "views/panes/threadspane.h"
#include "views/theme.h"
#include "views/widgets/board.h"
#include "views/widgets/foldstate.h"
#include "views/widgets/levellink.h"
#include "views/widgets/messagelist.h"
#include "views/widgets/ribbonlayer.h"
#include "views/widgets/veil.h"

#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLineEdit>
#include <QTimer>
#include <QToolBar>
#include <QTreeView>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return MainWindow::tr(text);
}

void buildThreads(MainWindow &window)
{
    Session &session = window.session();
    auto *pane = new ThreadsPane(session.focus(), &window.theme());
    window.addPane(MainWindow::Area::Left, u"threads"_s, tr("Threads"), pane);
    for (const auto signal : {&Session::opened, &Session::threadsChanged})
        QObject::connect(&session, signal, pane, [pane, &session] { pane->setRows(session.threads()); });
    QObject::connect(pane, &ThreadsPane::searchAsked, &session, [pane, &session](const QString &text) {
        session.searchThreads(text, pane, [pane](const QString &threadId) { pane->addFound(threadId); });
    });
}

MessagePane *buildMessages(MainWindow &window, FoldState *folds, MessageModel::List list, const QString &name)
{
    Session &session = window.session();
    auto *pane = new MessagePane(session.focus(), &window.theme(), folds, list);
    QDockWidget *dock = window.board()->addPane(name, pane->title(), pane);
    QObject::connect(pane, &MessagePane::titleChanged, dock, &QWidget::setWindowTitle);
    QObject::connect(pane, &MessagePane::copyPlaceWanted, &session,
        [&session] { QGuiApplication::clipboard()->setText(session.placeCommand()); });
    QObject::connect(
        pane, &MessagePane::parentWanted, &window, [&window] { window.command(u"parent-namespace"_s)->trigger(); });
    QObject::connect(pane, &MessagePane::namespaceWanted, &session,
        [&session](const std::string &ns) { session.selection()->setThread(session.selection()->place().thread, ns); });
    return pane;
}

void buildSearch(MainWindow &window, MessagePane *raw, MessagePane *effective)
{
    Session &session = window.session();
    auto *bar = new SearchBar(
        window.searchField(), session.focus(), &window.theme(),
        [&session, &window](const QString &needle) {
            auto *target = window.findChild<SearchBar *>();
            session.workers().run(
                u"search"_s, target,
                [scene = session.focus()->scene(), folders = session.folders(), needle](
                    const JobContext &job) { return searchScene(*scene, folders, needle, job); },
                [target](const SearchAnswer &answer) { target->setAnswer(answer); });
        },
        [&session](const QString &id) {
            const auto match =
                findId(*session.focus()->scene(), session.threads(), session.selection()->place(), fromQString(id));
            if (match)
                session.selection()->setPlace(match->place);
            return match.has_value();
        });
    bar->setObjectName(u"searchBar"_s);
    window.toolBar()->addWidget(bar);
    QObject::connect(bar, &SearchBar::answered, bar, [bar, raw, effective] {
        QSet<QString> keys[2];
        for (const SearchHit &hit : bar->answer().hits) {
            if (hit.pane != SearchHit::Pane::Archive)
                keys[hit.pane == SearchHit::Pane::Effective ? 1 : 0].insert(toQString(hit.message));
        }
        const QString current = bar->current() >= 0
            ? toQString(bar->answer().hits[static_cast<std::size_t>(bar->current())].message)
            : QString();
        raw->list()->setHits(keys[0], current);
        effective->list()->setHits(keys[1], current);
    });
}

/// Whatever shows another scene is painted in turns of the event loop of its own: all of a big window in one frame
/// would hold up the user's next key.
void paintInTurns(MainWindow &window, const QList<QWidget *> &later)
{
    QObject::connect(window.session().focus(), &Focus::sceneChanged, &window, [&window, later] {
        for (QWidget *widget : later)
            widget->setUpdatesEnabled(false);
        QTimer::singleShot(0, &window, [later] {
            for (QWidget *widget : later)
                widget->setUpdatesEnabled(true);
        });
    });
}

/// What of a pane takes the keys: what it says itself, else its list, else the first that the Tab key reaches.
QWidget *keysOf(QWidget *pane)
{
    if (pane->focusProxy() || pane->focusPolicy() != Qt::NoFocus)
        return pane;
    const auto views = pane->findChildren<QAbstractItemView *>();
    for (QAbstractItemView *view : views)
        if (view->isVisibleTo(pane) && view->focusPolicy() & Qt::TabFocus)
            return view;
    const auto children = pane->findChildren<QWidget *>();
    for (QWidget *child : children)
        if (child->isVisibleTo(pane) && child->isEnabled() && child->focusPolicy() & Qt::TabFocus)
            return child;
    return pane;
}

/// The keyboard reaches every pane; the same commands bring those behind tabs to the front.
void buildPaneCommands(MainWindow &window)
{
    const std::initializer_list<std::pair<QString, QString>> panes = {{u"threads"_s, tr("To the &threads")},
        {u"timeline"_s, tr("To the time&line")}, {u"raw"_s, tr("To the &raw log")},
        {u"effective"_s, tr("To the &effective messages")}, {u"archive"_s, tr("To &archive and media")},
        {u"findings"_s, tr("To the &findings")}, {u"inspector"_s, tr("To the &inspector")},
        {u"state"_s, tr("To the &state")}, {u"decisions"_s, tr("To the &decisions")}, {u"tuning"_s, tr("To t&uning")},
        {u"compare"_s, tr("To the &comparison")}, {u"sweep"_s, tr("To the s&weep")},
        {u"projection"_s, tr("To the &projection")}, {u"summaries"_s, tr("To the su&mmaries")},
        {u"trace"_s, tr("To the trace (&where)")}, {u"diff"_s, tr("To the differe&nce")},
        {u"composition"_s, tr("To the c&omposition")}, {u"growth"_s, tr("To the &growth")}};
    int number = 0;
    for (const auto &[name, text] : panes) {
        ++number;
        const QKeySequence key(number <= 10 ? u"Alt+%1"_s.arg(number % 10) : QString());
        window.addCommand(u"to-pane"_s, u"to-"_s + name, text, {key}, [&window, name] {
            window.raisePane(name);
            keysOf(window.pane<QWidget>(name))->setFocus(Qt::ShortcutFocusReason);
        });
    }
}

/// Greys what shows the old thread while another is being loaded.
void buildVeils(MainWindow &window)
{
    Session &session = window.session();
    QList<Veil *> veils{new Veil(window.theme(), window.board())};
    const auto docks = window.findChildren<QDockWidget *>(Qt::FindDirectChildrenOnly);
    for (const QDockWidget *dock : docks) {
        if (dock->objectName() != "threads"_L1)
            veils << new Veil(window.theme(), dock->widget());
    }
    const auto refresh = [&session, veils] {
        for (Veil *veil : veils)
            veil->setStale(session.isStale());
    };
    QObject::connect(&session, &Session::busyChanged, &window, refresh);
    QObject::connect(&session, &Session::threadLoaded, &window, refresh);
}

} // namespace

void buildPanes(MainWindow &window)
{
    Session &session = window.session();
    buildThreads(window);

    // The three panes of the middle, what keeps them level and what runs between them.
    auto *folds = new FoldState(&window);
    MessagePane *raw = buildMessages(window, folds, MessageModel::List::RawLog, u"raw"_s);
    MessagePane *effective = buildMessages(window, folds, MessageModel::List::Effective, u"effective"_s);
    auto *archive = new ArchivePane(session.focus(), &window.theme(),
        [&session](ScenePtr scene, std::vector<ArtifactFolder> folders, ArchiveTreePtr before, QObject *receiver,
            std::function<void(ArchiveTreePtr)> done) {
            session.workers().run(
                u"archive"_s, receiver,
                [scene = std::move(scene), folders = std::move(folders), before = std::move(before)](
                    const JobContext &job) { return makeArchiveTree(scene, folders, before, job); },
                [done = std::move(done)](const ArchiveTreePtr &made) { done(made); });
        });
    window.board()->addPane(u"archive"_s, tr("Archive and media"), archive);
    QObject::connect(&session, &Session::foldersChanged, archive,
        [archive, &session] { archive->model()->setFolders(session.folders()); });
    QObject::connect(&session, &Session::opened, folds, &FoldState::clear);
    auto *level = new LevelLink(raw->list(), effective->list(), &window);
    level->setObjectName(u"level"_s);
    QObject::connect(window.board(), &Board::laidOut, level, &LevelLink::update);
    auto *ribbons = new RibbonLayer(session.focus(), &window.theme(), window.board(), raw->list(), effective->list(),
        {archive->tree(), [archive](int event) { return archive->sectionRect(event); },
            [archive](const std::string &path) { return archive->fileRect(path); }});
    paintInTurns(window, {effective, archive, ribbons});
    buildSearch(window, raw, effective);
    buildStudyPanes(window);
    buildTuningPanes(window);
    buildComparison(window);
    buildSweep(window);
    buildProjection(window);
    buildSummaries(window);
    buildInsightPanes(window);
    buildExports(window);
    buildVeils(window);
    buildPaneCommands(window);
}

} // namespace palimpsest
