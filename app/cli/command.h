// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/console.h"
#include "core/base/result.h"

#include <string_view>

namespace CLI {
class App;
}

namespace palimpsest {

/// One subcommand. Made, declared and run once.
class Command {
public:
    Command() = default;
    virtual ~Command() = default;
    Command(const Command &) = delete;
    Command &operator=(const Command &) = delete;

    [[nodiscard]] virtual std::string_view name() const = 0;
    /// One sentence for the help text.
    [[nodiscard]] virtual std::string_view summary() const = 0;
    /// Adds the options, bound to members.
    virtual void declare(CLI::App &app) = 0;
    /// Does the work. Gives the exit status 0 or 1; an Error becomes the error line and status 2.
    virtual Result<int> run(Console &console) = 0;
};

} // namespace palimpsest
