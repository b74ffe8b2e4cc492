// SPDX-License-Identifier: GPL-3.0-or-later
// The panes of MainWindow and their docks.
#include "app/mainwindow.h"

#include "views/widgets/board.h"
#include "views/widgets/deferredpane.h"

#include <QDockWidget>
#include <QMenu>

namespace palimpsest {

using namespace Qt::StringLiterals;

QDockWidget *MainWindow::addPane(Area area, const QString &name, const QString &title, QWidget *pane)
{
    auto *dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(pane);
    // Qt leaves a dock behind a tab "visible", far outside of the window. With its pane hidden the pane knows by itself
    // whether it is seen, and leaves work for then; what it takes of the window stays.
    QSizePolicy policy = pane->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    pane->setSizePolicy(policy);
    connect(dock, &QDockWidget::visibilityChanged, pane, &QWidget::setVisible);
    switch (area) {
    case Area::Left:
        addDockWidget(Qt::LeftDockWidgetArea, dock);
        break;
    case Area::Top:
        addDockWidget(Qt::TopDockWidgetArea, dock);
        break;
    case Area::Right:
        addDockWidget(Qt::RightDockWidgetArea, dock);
        break;
    case Area::Bottom:
        addDockWidget(Qt::BottomDockWidgetArea, dock);
        if (m_bottomDock)
            tabifyDockWidget(m_bottomDock, dock);
        else
            m_bottomDock = dock;
        break;
    }
    m_docks.insert(name, dock);
    m_menus[u"panes"_s]->addAction(dock->toggleViewAction());
    return dock;
}

QDockWidget *MainWindow::addPane(Area area, const QString &name, const QString &title, std::function<QWidget *()> make)
{
    auto *place = new DeferredPane(std::move(make));
    connect(place, &DeferredPane::made, this, &MainWindow::paneMade);
    QDockWidget *dock = addPane(area, name, title, place);
    place->hide(); // until its dock is seen
    return dock;
}

QWidget *MainWindow::paneOf(const QString &name) const
{
    QWidget *widget = dock(name)->widget();
    auto *place = qobject_cast<DeferredPane *>(widget);
    return place ? place->pane() : widget;
}

void MainWindow::raisePane(const QString &name)
{
    dock(name)->show();
    dock(name)->raise();
}

QDockWidget *MainWindow::dock(const QString &name) const
{
    QDockWidget *found = m_docks.value(name);
    return found ? found : m_board->pane(name);
}

} // namespace palimpsest
