// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/board.h"

#include "views/theme.h"

#include <QDockWidget>
#include <QEvent>
#include <QPainter>

namespace palimpsest {

using namespace Qt::StringLiterals;

Board::Board(Theme *theme, QWidget *parent)
    : QMainWindow(parent, Qt::Widget)
    , m_theme(theme)
{
    setObjectName(u"board"_s);
    // The space between docks is wide enough for ribbons; the board paints it itself.
    setStyleSheet(u"#board::separator { width: %1px; height: 8px; background: transparent; }"
                  "#board::separator:hover { background: transparent; }"_s.arg(gap));
    setDockNestingEnabled(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QDockWidget *Board::addPane(const QString &name, const QString &title, QWidget *pane)
{
    auto *dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    pane->setMinimumWidth(180);
    dock->setWidget(pane);
    dock->installEventFilter(this);
    if (m_docks.empty())
        addDockWidget(Qt::LeftDockWidgetArea, dock);
    else
        splitDockWidget(m_docks.back(), dock, Qt::Horizontal);
    m_docks.push_back(dock);
    if (m_overlay)
        m_overlay->raise();
    return dock;
}

QDockWidget *Board::pane(const QString &name) const
{
    for (QDockWidget *dock : m_docks) {
        if (dock->objectName() == name)
            return dock;
    }
    return nullptr;
}

void Board::setOverlay(QWidget *overlay)
{
    m_overlay = overlay;
    overlay->setParent(this);
    overlay->setAttribute(Qt::WA_TransparentForMouseEvents);
    overlay->setGeometry(rect());
    overlay->raise();
    overlay->show();
}

void Board::arrange(const std::vector<int> &widths)
{
    m_widths.clear();
    for (std::size_t i = 0; i < m_docks.size(); ++i) {
        QDockWidget *dock = m_docks[i];
        if (dock->isFloating()) // Qt makes the window anew even of one that is docked
            dock->setFloating(false);
        addDockWidget(Qt::LeftDockWidgetArea, dock, Qt::Horizontal);
        if (i > 0)
            splitDockWidget(m_docks[i - 1], dock, Qt::Horizontal);
        dock->show();
        m_widths.push_back(i < widths.size() ? widths[i] : 100);
    }
    if (isVisible())
        applyWidths();
}

void Board::applyWidths()
{
    if (m_widths.size() != static_cast<qsizetype>(m_docks.size()))
        return;
    resizeDocks(QList<QDockWidget *>(m_docks.begin(), m_docks.end()), m_widths, Qt::Horizontal);
    m_widths.clear();
}

void Board::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    // After the layout that this event brings about.
    QMetaObject::invokeMethod(this, &Board::applyWidths, Qt::QueuedConnection);
}

bool Board::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::ZOrderChange:
        if (m_overlay)
            m_overlay->raise();
        Q_EMIT laidOut();
        break;
    default:
        break;
    }
    return QMainWindow::eventFilter(watched, event);
}

void Board::paintEvent(QPaintEvent *)
{
    QPainter(this).fillRect(rect(), m_theme->color(Ink::Window));
}

void Board::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    if (m_overlay)
        m_overlay->setGeometry(rect());
    Q_EMIT laidOut();
}

} // namespace palimpsest
