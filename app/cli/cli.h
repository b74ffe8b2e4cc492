// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// Exit statuses of the command line.
namespace exitstatus {
inline constexpr int done = 0;
inline constexpr int no = 1; ///< the answer is "no"
inline constexpr int unusable = 2; ///< the input or the arguments
inline constexpr int stopped = 130; ///< by Ctrl+C, as shells report it
} // namespace exitstatus

struct CliOptions {
    std::stop_token stop; ///< asks long work to end
    bool terminal = false; ///< standard error is a terminal: show progress
};

/// Runs one subcommand: `args` are the words after the program's name, UTF-8. The answer goes to `out`, messages to
/// `err`. Gives the exit status; whatever cannot be used is one line on `err` that says what, where and what to do.
int runCli(const std::vector<std::string> &args, std::ostream &out, std::ostream &err, const CliOptions &options = {});

/// Whether the command line asks for a subcommand or for help, so that no window is opened.
bool isCliCall(const std::vector<std::string> &args);
/// Whether the subcommand draws: it needs fonts, so a QGuiApplication; the offscreen platform suffices.
bool drawsWithoutWindow(const std::vector<std::string> &args);

/// Every subcommand, in the order of the help text.
std::vector<std::unique_ptr<Command>> allCommands();

} // namespace palimpsest
