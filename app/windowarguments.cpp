// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/windowarguments.h"

#include <CLI/CLI.hpp>

namespace palimpsest {

Result<WindowArguments> parseWindowArguments(const std::vector<std::string> &args)
{
    WindowArguments out;
    std::int64_t call = 0;
    CLI::App app;
    app.set_help_flag();
    app.add_option("SOURCE", out.source);
    app.add_option("--thread", out.place.thread);
    app.add_option("--ns", out.place.ns);
    auto *checkpoint = app.add_option("--checkpoint", out.place.checkpoint);
    auto *number = app.add_option("--call", call)->check(CLI::PositiveNumber)->excludes(checkpoint);
    app.add_option("--message", out.place.message)->excludes(checkpoint)->excludes(number);
    try {
        app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::ParseError &error) {
        return failure(Error::Code::Invalid, "command line", std::string(error.what()) + "; see palimpsest --help");
    }
    if (call > 0)
        out.place.call = CallNumber(call);
    return out;
}

} // namespace palimpsest
