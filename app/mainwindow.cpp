// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mainwindow.h"

#include "app/prompts.h"
#include "app/session.h"
#include "app/settingsstore.h"
#include "models/counted.h"
#include "views/theme.h"
#include "views/widgets/board.h"
#include "views/widgets/notice.h"
#include "views/widgets/progressline.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

MainWindow::MainWindow(Session &session, Theme &theme, Prompts &prompts, QWidget *parent)
    : QMainWindow(parent)
    , m_session(session)
    , m_theme(theme)
    , m_prompts(prompts)
    , m_board(new Board(&theme))
    , m_notice(new Notice(&theme))
    , m_middle(new QStackedWidget)
{
    setObjectName(u"window"_s);
    setWindowTitle(tr("Palimpsest"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    setAnimated(false);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);

    auto *centre = new QWidget;
    auto *column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_middle, 1);
    m_middle->addWidget(m_board);
    setCentralWidget(centre);

    buildMenus();
    buildToolBar();
    buildStatusBar();

    connect(&session, &Session::opened, this, &MainWindow::onOpened);
    connect(&session, &Session::failed, this, [this](const Error &error) {
        showError(error);
        showStartIfIdle();
    });
    connect(&session, &Session::placeMissing, this,
        [this](const QString &what) { m_notice->showText(Finding::Severity::Warning, what, {}); });
    connect(&session, &Session::threadLoaded, this, [this] { showStart(false); });
    connect(&session, &Session::cancelled, this, [this] {
        m_notice->showText(Finding::Severity::Info, tr("Loading was stopped. What had been read is shown."),
            tr("File → Reload reads it again."));
        showStartIfIdle();
    });
    connect(&session, &Session::busyChanged, this, &MainWindow::showProgress);
    connect(&session, &Session::progressed, m_progress, &ProgressLine::setProgress);
    showProgress(session.isBusy());
    connect(session.focus(), &Focus::sceneChanged, this, &MainWindow::updateStatus);
    updateStatus();
}

MainWindow::~MainWindow() = default;

void MainWindow::setStartPage(std::function<QWidget *()> make)
{
    m_makeStartPage = std::move(make);
}

void MainWindow::showStartIfIdle()
{
    if (m_session.location().isEmpty() && !m_session.isBusy())
        showStart(true);
}

void MainWindow::showProgress(bool busy)
{
    m_progress->setVisible(busy);
    m_stop->setVisible(busy);
    m_progress->setProgress(-1, tr("Opening"));
}

void MainWindow::showStart(bool start)
{
    if (start && !m_startPage && m_makeStartPage) {
        m_startPage = m_makeStartPage();
        m_middle->addWidget(m_startPage);
    }
    m_middle->setCurrentWidget(start && m_startPage ? m_startPage : m_board);
    if (start == !m_beforeStart.isEmpty())
        return;
    if (!start) {
        restoreState(std::exchange(m_beforeStart, {}));
        useFirstLayout();
        return;
    }
    m_beforeStart = saveState();
    for (QDockWidget *dock : std::as_const(m_docks))
        dock->hide();
}

QAction *MainWindow::addCommand(const QString &menu, const QString &name, const QString &text,
    const QList<QKeySequence> &keys, std::function<void()> act)
{
    auto *action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcuts(keys);
    if (act)
        connect(action, &QAction::triggered, this, std::move(act));
    addAction(action);
    if (QMenu *into = m_menus.value(menu))
        into->insertAction(menu == "file"_L1 ? m_fileEnd : nullptr, action); // quitting stays the last
    m_commands.insert(name, action);
    return action;
}

QAction *MainWindow::command(const QString &name) const
{
    return m_commands.value(name);
}

void MainWindow::buildMenus()
{
    const auto addMenu = [this](const QString &name, const QString &title) {
        QMenu *menu = menuBar()->addMenu(title);
        m_menus.insert(name, menu);
        return menu;
    };
    QMenu *file = addMenu(u"file"_s, tr("&File"));
    addCommand(u"file"_s, u"open"_s, tr("&Open file…"), {QKeySequence::Open}, [this] {
        const QString location =
            m_prompts.openFile(this, tr("Open a recording"), QFileInfo(m_session.location()).path());
        if (!location.isEmpty())
            m_session.open(location);
    });
    addCommand(u"file"_s, u"open-folder"_s, tr("Open &folder…"), {}, [this] {
        const QString location =
            m_prompts.openFolder(this, tr("Open a folder"), QFileInfo(m_session.location()).path());
        if (!location.isEmpty())
            m_session.open(location);
    });
    addCommand(u"file"_s, u"open-address"_s, tr("Open &address…"), {}, [this] {
        const QString location = m_prompts.askText(
            this, tr("Open an address"), tr("postgresql://, sqlite:/// or http(s)://…/threads/<id>"), {});
        if (!location.isEmpty())
            m_session.open(location);
    });
    QMenu *recent = file->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { showRecent(recent); });
    addCommand(u"file"_s, u"reload"_s, tr("Re&load"), {QKeySequence(Qt::Key_F5)}, [this] { m_session.reload(); });
    addCommand(u"file"_s, u"stop"_s, tr("&Stop loading"), {}, [this] { m_session.cancel(); });
    addCommand(u"file"_s, u"quit"_s, tr("&Quit"), {QKeySequence::Quit}, [this] { close(); });
    m_fileEnd = file->insertSeparator(command(u"quit"_s));
    addMenu(u"edit"_s, tr("&Edit"));
    m_menus.insert(u"to-pane"_s, addMenu(u"go"_s, tr("&Go"))->addMenu(tr("To a &pane")));
    QMenu *view = addMenu(u"view"_s, tr("&View"));
    m_menus.insert(u"panes"_s, view->addMenu(tr("&Panes")));
    m_menus.insert(u"layouts"_s, view->addMenu(tr("&Layouts")));
    addCommand(u"layouts"_s, u"layout-read"_s, tr("Layout: &read the messages"), {QKeySequence(u"Ctrl+1"_s)},
        [this] { useLayout(u"read"_s); });
    addCommand(u"layouts"_s, u"layout-study"_s, tr("Layout: &study the run"), {QKeySequence(u"Ctrl+2"_s)},
        [this] { useLayout(u"study"_s); });
    addCommand(u"layouts"_s, u"layout-tune"_s, tr("Layout: &tune the settings"), {QKeySequence(u"Ctrl+3"_s)},
        [this] { useLayout(u"tune"_s); });
    addMenu(u"help"_s, tr("&Help"));
}

void MainWindow::buildToolBar()
{
    m_toolBar = addToolBar(tr("Navigation"));
    m_toolBar->setObjectName(u"navigation"_s);
    m_toolBar->setMovable(false);
    m_search = new QLineEdit;
    m_search->setObjectName(u"search"_s);
    m_search->setPlaceholderText(tr("Search all panes, or type any id  ( / )"));
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(220);
    m_search->setMaximumWidth(520);
}

void MainWindow::buildStatusBar()
{
    m_status = new QLabel;
    m_progress = new ProgressLine(m_theme);
    m_progress->setVisible(false);
    m_stop = new QToolButton;
    m_stop->setText(tr("Stop"));
    m_stop->setVisible(false);
    connect(m_stop, &QToolButton::clicked, this, [this] { m_session.cancel(); });
    statusBar()->addWidget(m_status, 1);
    statusBar()->addPermanentWidget(m_progress);
    statusBar()->addPermanentWidget(m_stop);
}

void MainWindow::showRecent(QMenu *menu)
{
    menu->clear();
    const QStringList recent = m_session.settings().recent();
    for (const QString &location : recent)
        menu->addAction(location, this, [this, location] { m_session.open(location); });
    if (recent.isEmpty())
        menu->addAction(tr("Nothing yet"))->setEnabled(false);
}

void MainWindow::onOpened()
{
    m_notice->hide();
    const QString location = m_session.location();
    setWindowTitle(tr("%1 — Palimpsest").arg(QFileInfo(location).fileName()));
    showStart(false);
    if (m_session.threads().empty())
        m_notice->showText(Finding::Severity::Warning, tr("This source holds no threads."), location);
}

void MainWindow::showError(const Error &error)
{
    m_notice->showError(error);
}

void MainWindow::updateStatus()
{
    const ScenePtr scene = m_session.focus()->scene();
    if (!scene->checkpoint) {
        m_status->setText(tr("Read-only: nothing that is opened is ever changed"));
        return;
    }
    QStringList parts{tr("read-only"), QFileInfo(m_session.location()).fileName(),
        counted(static_cast<qint64>(scene->space->checkpoints.size()), tr("checkpoint"), tr("checkpoints")),
        tr("step %1").arg(scene->checkpoint->step)};
    if (scene->call)
        parts << tr("call %1").arg(scene->call->number.value);
    parts << (scene->inForce ? tr("event %1 of %2").arg(scene->inForce).arg(scene->events.size()) : tr("no event"));
    parts << tr("%1 of %2 messages in context")
                 .arg(scene->fates.size() - scene->fates.cutoff().value)
                 .arg(scene->fates.size());
    if (scene->checkpoint->incomplete)
        parts << tr("this state cannot be known in full");
    if (scene->space->partial)
        parts << tr("loading the older part…");
    m_status->setText(parts.join(u"  ·  "_s));
}

void MainWindow::useLayout(const QString &name)
{
    m_beforeStart.clear();
    const bool study = name == "study"_L1;
    const bool tune = name == "tune"_L1;
    for (const auto &[dockName, dock] : m_docks.asKeyValueRange()) {
        if (dock->isFloating()) // Qt makes the window anew even of one that is docked
            dock->setFloating(false);
        // Reading wants its width for the messages, tuning for the form.
        dock->setVisible(dockName == "tuning"_L1 ? tune : dockName != "threads"_L1 || !tune);
    }
    m_board->arrange(study ? std::vector<int>{10, 10, 7} : std::vector<int>{10, 10, 9});
    const auto resizeOne = [this](const QString &dockName, int size, Qt::Orientation orientation) {
        if (QDockWidget *one = m_docks.value(dockName))
            resizeDocks({one}, {size}, orientation);
    };
    resizeOne(u"threads"_s, study ? 200 : 230, Qt::Horizontal);
    resizeOne(u"tuning"_s, 340, Qt::Horizontal);
    resizeOne(u"timeline"_s, study || tune ? height() * 3 / 10 : height() / 5, Qt::Vertical);
    if (m_bottomDock) {
        resizeDocks({m_bottomDock}, {study || tune ? height() * 3 / 10 : height() / 5}, Qt::Vertical);
        if (QDockWidget *first = m_docks.value(tune ? u"decisions"_s : u"inspector"_s, m_bottomDock))
            first->raise();
    }
}

void MainWindow::useFirstLayout()
{
    if (isVisible() && m_beforeStart.isEmpty() && std::exchange(m_isNew, false))
        useLayout(u"read"_s);
}

void MainWindow::restoreLayout()
{
    const SettingsStore &settings = m_session.settings();
    if (!restoreGeometry(settings.value(u"window/geometry"_s).toByteArray()))
        resize(1440, 900);
    if (restoreState(settings.value(u"window/state"_s).toByteArray()))
        m_board->restoreState(settings.value(u"window/board"_s).toByteArray());
    else {
        m_isNew = true; // laid out when the window is there, see useFirstLayout
        if (QDockWidget *form = m_docks.value(u"tuning"_s))
            form->hide();
    }
    showStartIfIdle();
}

void MainWindow::saveLayout()
{
    SettingsStore &settings = m_session.settings();
    settings.setValue(u"window/geometry"_s, saveGeometry());
    settings.setValue(u"window/state"_s, m_beforeStart.isEmpty() ? saveState() : m_beforeStart);
    settings.setValue(u"window/board"_s, m_board->saveState());
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    useFirstLayout();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    saveLayout();
    m_session.cancel();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile())
        return;
    event->acceptProposedAction();
    m_session.open(urls.front().toLocalFile());
}

} // namespace palimpsest
