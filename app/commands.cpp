// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/session.h"

#include <QLineEdit>
#include <QToolBar>

namespace palimpsest {

using namespace Qt::StringLiterals;

void buildCommands(MainWindow &window)
{
    Selection *selection = window.session().selection();
    window.addCommand(
        u"go"_s, u"back"_s, MainWindow::tr("&Back"), {QKeySequence(u"Alt+Left"_s)}, [selection] { selection->back(); });
    window.addCommand(u"go"_s, u"forward"_s, MainWindow::tr("&Forward"), {QKeySequence(u"Alt+Right"_s)},
        [selection] { selection->forward(); });
    window.toolBar()->addAction(window.command(u"back"_s));
    window.toolBar()->addAction(window.command(u"forward"_s));
    window.toolBar()->addWidget(window.searchField());
}

} // namespace palimpsest
