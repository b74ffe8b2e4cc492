// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panes.h"

#include "app/mainwindow.h"
#include "app/session.h"
#include "views/theme.h"
#include "views/widgets/board.h"

#include <QLabel>

namespace palimpsest {

using namespace Qt::StringLiterals;

void buildPanes(MainWindow &window)
{
    window.addPane(MainWindow::Area::Left, u"threads"_s, MainWindow::tr("Threads"), new QLabel);
    window.board()->addPane(u"raw"_s, MainWindow::tr("Raw log"), new QLabel);
    window.board()->addPane(u"effective"_s, MainWindow::tr("Effective"), new QLabel);
    window.board()->addPane(u"archive"_s, MainWindow::tr("Archive and media"), new QLabel);
    buildStudyPanes(window);
}

} // namespace palimpsest
