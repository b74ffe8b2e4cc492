// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <QKeySequence>
#include <QMainWindow>
#include <QMap>

#include <functional>

class QDockWidget;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolBar;
class QToolButton;

namespace palimpsest {

class Board;
class Notice;
class ProgressLine;
class Prompts;
class Session;
class Theme;

/// Docks and actions, nothing else. Panes are put in by app/panes.cpp; what an action does is a call to the session or
/// the selection.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// Where a pane stands in the layouts that ship.
    enum class Area { Left, Top, Right, Bottom };

    MainWindow(Session &session, Theme &theme, Prompts &prompts, QWidget *parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Session &session() { return m_session; }
    [[nodiscard]] Theme &theme() { return m_theme; }
    [[nodiscard]] Prompts &prompts() { return m_prompts; }
    /// The middle with raw log, effective messages and archive.
    [[nodiscard]] Board *board() { return m_board; }
    [[nodiscard]] QToolBar *toolBar() { return m_toolBar; }
    [[nodiscard]] QLineEdit *searchField() { return m_search; }

    /// Puts a pane into a dock of its own, named `name`; docks at the bottom become tabs. The View menu lists it.
    QDockWidget *addPane(Area area, const QString &name, const QString &title, QWidget *pane);
    /// The same with a pane that is made when it is first looked at, or asked for with `pane`.
    QDockWidget *addPane(Area area, const QString &name, const QString &title, std::function<QWidget *()> make);
    /// The pane in the dock of that name, of that class; made now where it was not yet.
    template <class Pane> [[nodiscard]] Pane *pane(const QString &name) { return qobject_cast<Pane *>(paneOf(name)); }
    /// Brings a dock to the front.
    void raisePane(const QString &name);
    /// The dock of that name, also one of the board.
    [[nodiscard]] QDockWidget *dock(const QString &name) const;
    /// Makes what the window shows while nothing is open, instead of its docks; called when that is first the case.
    void setStartPage(std::function<QWidget *()> make);
    /// Adds an action to the window, to a menu ("view", "go", …) and so to the command palette.
    QAction *addCommand(const QString &menu, const QString &name, const QString &text, const QList<QKeySequence> &keys,
        std::function<void()> act);
    /// The action of that name; null when there is none.
    [[nodiscard]] QAction *command(const QString &name) const;

    /// Says an error inline: what, where, what next.
    void showError(const Error &error);

    /// The layouts that ship: "read" (three panes large), "study" (timeline and inspector large) and "tune" (timeline,
    /// settings and decisions large).
    void useLayout(const QString &name);
    void restoreLayout();
    void saveLayout();

Q_SIGNALS:
    /// A pane that was added with what makes it is there.
    void paneMade(QWidget *pane);

protected:
    void showEvent(QShowEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    [[nodiscard]] QWidget *paneOf(const QString &name) const;
    void buildMenus();
    void buildToolBar();
    void buildStatusBar();
    void showRecent(QMenu *menu);
    void showStart(bool start);
    void showStartIfIdle();
    /// Where no layout was remembered, lays the docks out once their sizes are known: when the window is there.
    void useFirstLayout();
    void showProgress(bool busy);
    void onOpened();
    void updateStatus();

    Session &m_session;
    Theme &m_theme;
    Prompts &m_prompts;
    Board *m_board;
    Notice *m_notice;
    QStackedWidget *m_middle;
    QToolBar *m_toolBar = nullptr;
    QLineEdit *m_search = nullptr;
    QLabel *m_status = nullptr;
    ProgressLine *m_progress = nullptr;
    QToolButton *m_stop = nullptr;
    QMap<QString, QMenu *> m_menus;
    QMap<QString, QAction *> m_commands;
    QAction *m_fileEnd = nullptr; ///< the line above quitting
    QMap<QString, QDockWidget *> m_docks;
    std::function<QWidget *()> m_makeStartPage;
    QWidget *m_startPage = nullptr; ///< null until it is needed
    QByteArray m_beforeStart; ///< the docks as they come back when something is opened; empty: they are there
    bool m_isNew = false; ///< no layout was remembered
    QDockWidget *m_bottomDock = nullptr; ///< the first at the bottom: others become its tabs
};

} // namespace palimpsest
