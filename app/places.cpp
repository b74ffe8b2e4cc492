// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/prompts.h"
#include "app/session.h"
#include "models/display.h"
#include "views/dialogs/placesdialog.h"

#include <QFileInfo>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

void openPlaces(MainWindow &window)
{
    Session &session = window.session();
    auto *dialog = new PlacesDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QStringList namespaces;
    if (const ThreadPtr thread = session.focus()->thread())
        for (const auto &[prefix, items] : thread->store)
            namespaces << toQString(prefix);
    dialog->setNamespaces(namespaces);
    const auto show = [dialog, &session] { dialog->setPlaces(session.places()); };
    show();
    QObject::connect(&session, &Session::foldersChanged, dialog, show);
    QObject::connect(
        dialog, &PlacesDialog::folderWanted, &window, [&window, &session](const QString &folder, const QString &route) {
            if (const auto added = session.addFolder(folder, route); !added)
                window.showError(added.error());
        });
    QObject::connect(dialog, &PlacesDialog::storeWanted, &session, &Session::addStore);
    QObject::connect(dialog, &PlacesDialog::removeWanted, &session, &Session::removePlace);
    QObject::connect(dialog, &PlacesDialog::chooseWanted, dialog, [dialog, &window, &session](bool folder) {
        const QString near = QFileInfo(session.location()).path();
        const QString chosen = folder
            ? window.prompts().openFolder(dialog, MainWindow::tr("A folder that the agent wrote to"), near)
            : window.prompts().openFile(dialog, MainWindow::tr("A database with a store"), near);
        if (!chosen.isEmpty())
            dialog->setChosen(chosen);
    });
    dialog->open();
}

} // namespace

void buildPlaces(MainWindow &window)
{
    QAction *command = window.addCommand(
        u"file"_s, u"places"_s, MainWindow::tr("Files else&where…"), {}, [&window] { openPlaces(window); });
    const auto offer = [command, &window] { command->setEnabled(!window.session().location().isEmpty()); };
    QObject::connect(&window.session(), &Session::opened, command, offer);
    offer();
}

} // namespace palimpsest
