// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"

#include "app/cli/diffcommand.h"
#include "app/cli/dumpcommand.h"
#include "app/cli/exportcommand.h"
#include "app/cli/explaincommand.h"
#include "app/cli/growthcommand.h"
#include "app/cli/infercommand.h"
#include "app/cli/lintcommand.h"
#include "app/cli/replaycommand.h"
#include "app/cli/requestscommand.h"
#include "app/cli/statescommand.h"
#include "app/cli/sweepcommand.h"
#include "app/cli/threadscommand.h"
#include "app/cli/tracecommand.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>

namespace palimpsest {
namespace {

std::string errorLine(const Error &error)
{
    return error.where.empty() ? error.what : error.where + ": " + error.what;
}

int runCommand(Command &command, Console &console)
{
    try {
        const Result<int> status = command.run(console);
        console.out().flush();
        if (status) {
            if (console.out().good())
                return *status;
            console.message("standard output: the answer could not be written in full");
            return exitstatus::unusable;
        }
        if (status.error().code == Error::Code::Cancelled) {
            console.message("stopped");
            return exitstatus::stopped;
        }
        console.message(errorLine(status.error()));
    } catch (const std::bad_alloc &) {
        console.message("out of memory");
    } catch (const std::exception &error) {
        console.message(std::string("internal error: ") + error.what());
    }
    return exitstatus::unusable;
}

} // namespace

std::vector<std::unique_ptr<Command>> allCommands()
{
    std::vector<std::unique_ptr<Command>> commands;
    commands.push_back(std::make_unique<ThreadsCommand>());
    commands.push_back(std::make_unique<DumpCommand>());
    commands.push_back(std::make_unique<StatesCommand>());
    commands.push_back(std::make_unique<RequestsCommand>());
    commands.push_back(std::make_unique<ExplainCommand>());
    commands.push_back(std::make_unique<LintCommand>());
    commands.push_back(std::make_unique<ReplayCommand>());
    commands.push_back(std::make_unique<TraceCommand>());
    commands.push_back(std::make_unique<GrowthCommand>());
    commands.push_back(std::make_unique<InferCommand>());
    commands.push_back(std::make_unique<SweepCommand>());
    commands.push_back(std::make_unique<DiffCommand>());
    commands.push_back(std::make_unique<ExportCommand>());
    return commands;
}

bool isCliCall(const std::vector<std::string> &args)
{
    if (args.empty())
        return false;
    const std::string &first = args.front();
    if (first == "--help" || first == "-h" || first == "--version")
        return true;
    const auto commands = allCommands();
    return std::any_of(commands.begin(), commands.end(), [&](const auto &command) { return command->name() == first; });
}

bool drawsWithoutWindow(const std::vector<std::string> &args)
{
    return !args.empty() && args.front() == "export" && std::ranges::any_of(args, [](const std::string &arg) {
        return arg == "pdf" || arg == "-fpdf" || arg == "--format=pdf";
    });
}

int runCli(const std::vector<std::string> &args, std::ostream &out, std::ostream &err, const CliOptions &options)
{
    CLI::App app("Shows why an AI agent lost its context. Without a subcommand the window opens: palimpsest [SOURCE] "
                 "[--thread T] "
                 "[--ns NS] [--checkpoint C | --call N | --message ID]",
        "palimpsest");
    app.set_version_flag("--version", std::string("palimpsest ") + PALIMPSEST_VERSION);
    app.require_subcommand(1);
    const std::vector<std::unique_ptr<Command>> commands = allCommands();
    for (const auto &command : commands)
        command->declare(*app.add_subcommand(std::string(command->name()), std::string(command->summary())));

    Console console(out, err, options.stop, options.terminal);
    try {
        // CLI11 takes the words from the back.
        app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::CallForHelp &) {
        const auto asked = app.get_subcommands();
        out << (asked.empty() ? app.help() : asked.front()->help()) << std::flush;
        return exitstatus::done;
    } catch (const CLI::CallForVersion &) {
        out << "palimpsest " << PALIMPSEST_VERSION << '\n' << std::flush;
        return exitstatus::done;
    } catch (const CLI::ParseError &error) {
        const auto asked = app.get_subcommands();
        const std::string help =
            asked.empty() ? "palimpsest --help" : "palimpsest " + asked.front()->get_name() + " --help";
        console.message(std::string("arguments: ") + error.what() + " (see " + help + ")");
        return exitstatus::unusable;
    }
    const std::string chosen = app.get_subcommands().front()->get_name();
    const auto command =
        std::find_if(commands.begin(), commands.end(), [&](const auto &one) { return one->name() == chosen; });
    return runCommand(**command, console);
}

} // namespace palimpsest
