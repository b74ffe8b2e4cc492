// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk.h"

#include "app/corereader.h"
#include "app/panes.h"

#include <QApplication>
#include <iostream>

namespace palimpsest {

using namespace Qt::StringLiterals;

Desk::Desk(QApplication &application, SettingsStore &settings, Prompts &prompts, SourceReader reader,
    const WindowArguments &start)
{
    m_session = std::make_unique<Session>(settings, std::move(reader));
    if (!start.source.empty())
        m_session->open(QString::fromStdString(start.source), start.place);
    m_theme.setMode(Theme::modeFromName(settings.value(u"theme"_s).toString()));
    m_theme.zoomText(settings.value(u"zoom"_s, 0).toInt());
    m_theme.install(application);
    m_window = std::make_unique<MainWindow>(*m_session, m_theme, prompts);
    buildPanes(*m_window);
    buildCommands(*m_window);
    m_window->restoreLayout();
}

namespace {

/// Without a display Qt would end the program with an abort.
bool hasDisplay()
{
    return !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") || !qEnvironmentVariableIsEmpty("DISPLAY")
        || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

} // namespace

int runWindow(int &argc, char **argv, const std::vector<std::string> &args)
{
    const auto arguments = parseWindowArguments(args);
    if (!arguments) {
        std::cerr << "palimpsest: " << arguments.error().where << ": " << arguments.error().what << '\n';
        return 2;
    }
    if (!hasDisplay()) {
        std::cerr
            << "palimpsest: display: there is none to open a window on; set DISPLAY or WAYLAND_DISPLAY, or give a "
               "command (see palimpsest --help)\n";
        return 2;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(u"palimpsest"_s);
    QApplication::setApplicationDisplayName(u"Palimpsest"_s);
    QApplication::setDesktopFileName(u"palimpsest"_s);
    SettingsStore settings;
    DialogPrompts prompts;
    Desk desk(application, settings, prompts, coreReader(), *arguments);
    desk.window().show();
    return QApplication::exec();
}

} // namespace palimpsest
