// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/mainwindow.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/settingsstore.h"
#include "app/windowarguments.h"
#include "views/theme.h"

#include <memory>

namespace palimpsest {

/// A whole window with everything it needs: what the program, its tests and its measurements start from.
class Desk {
public:
    /// `settings` and `prompts` must outlive the desk. A source that `start` names is being read while the window is
    /// still built.
    Desk(QApplication &application, SettingsStore &settings, Prompts &prompts, SourceReader reader,
        const WindowArguments &start = {});

    [[nodiscard]] Session &session() { return *m_session; }
    [[nodiscard]] Theme &theme() { return m_theme; }
    [[nodiscard]] MainWindow &window() { return *m_window; }

private:
    Theme m_theme;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<MainWindow> m_window;
};

/// Runs the window until it is closed; the exit status.
int runWindow(int &argc, char **argv, const std::vector<std::string> &args);

} // namespace palimpsest
