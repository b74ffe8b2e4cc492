// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panes.h"

#include "app/mainwindow.h"
#include "app/session.h"
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

#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLineEdit>
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
                findId(*session.focus()->scene(), session.threads(), session.selection()->place(), id.toStdString());
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
                keys[hit.pane == SearchHit::Pane::Effective ? 1 : 0].insert(QString::fromStdString(hit.message));
        }
        const QString current = bar->current() >= 0
            ? QString::fromStdString(bar->answer().hits[static_cast<std::size_t>(bar->current())].message)
            : QString();
        raw->list()->setHits(keys[0], current);
        effective->list()->setHits(keys[1], current);
    });
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
    auto *archive = new ArchivePane(session.focus(), &window.theme());
    window.board()->addPane(u"archive"_s, tr("Archive and media"), archive);
    QObject::connect(&session, &Session::foldersChanged, archive,
        [archive, &session] { archive->model()->setFolders(session.folders()); });
    QObject::connect(&session, &Session::opened, folds, &FoldState::clear);
    auto *level = new LevelLink(raw->list(), effective->list(), &window);
    level->setObjectName(u"level"_s);
    QObject::connect(window.board(), &Board::laidOut, level, &LevelLink::update);
    new RibbonLayer(session.focus(), &window.theme(), window.board(), raw->list(), effective->list(),
        {archive->tree(), [archive](int event) { return archive->sectionRect(event); },
            [archive](const std::string &path) { return archive->fileRect(path); }});
    buildSearch(window, raw, effective);
    buildStudyPanes(window);
    buildTuningPanes(window);
}

} // namespace palimpsest
