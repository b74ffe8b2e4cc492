// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "app/cli/interrupt.h"
#include "app/desk.h"
#include "app/driven.h"

#include <QGuiApplication>

#include <iostream>
#include <memory>
#include <unistd.h>

int main(int argc, char **argv)
{
    using namespace palimpsest;
    const std::vector<std::string> args(argv + 1, argv + argc);
    if (isDrivenCall(args))
        return runDriven(argc, argv, args);
    if (!isCliCall(args))
        return runWindow(argc, argv, args);
    std::ios::sync_with_stdio(false);
    const Interrupt interrupt;
    std::unique_ptr<QCoreApplication> application;
    if (drawsWithoutWindow(args)) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        application = std::make_unique<QGuiApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    return runCli(args, std::cout, std::cerr, {interrupt.token(), isatty(STDERR_FILENO) == 1});
}
