// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk.h"

#include "app/corereader.h"
#include "app/panes.h"
#include "app/windowarguments.h"

#include <QApplication>
#include <iostream>

namespace palimpsest {

using namespace Qt::StringLiterals;

Desk::Desk(QApplication &application, SettingsStore &settings, Prompts &prompts, SourceReader reader)
{
    m_theme.install(application);
    m_theme.setMode(Theme::modeFromName(settings.value(u"theme"_s).toString()));
    m_theme.zoomText(settings.value(u"zoom"_s, 0).toInt());
    m_session = std::make_unique<Session>(settings, std::move(reader));
    m_window = std::make_unique<MainWindow>(*m_session, m_theme, prompts);
    buildPanes(*m_window);
    buildCommands(*m_window);
    m_window->restoreLayout();
}

int runWindow(int &argc, char **argv, const std::vector<std::string> &args)
{
    const auto arguments = parseWindowArguments(args);
    if (!arguments) {
        std::cerr << "palimpsest: " << arguments.error().where << ": " << arguments.error().what << '\n';
        return 2;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(u"palimpsest"_s);
    QApplication::setApplicationDisplayName(u"Palimpsest"_s);
    QApplication::setDesktopFileName(u"palimpsest"_s);
    SettingsStore settings;
    DialogPrompts prompts;
    Desk desk(application, settings, prompts, coreReader());
    desk.window().show();
    if (!arguments->source.empty())
        desk.session().open(QString::fromStdString(arguments->source), arguments->place);
    return QApplication::exec();
}

} // namespace palimpsest
