// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

namespace palimpsest {

/// `states SOURCE [--thread T] [--ns NS]`: rebuilds every state and prints what it cost.
class StatesCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "states"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Rebuilds the state of every checkpoint and prints its cost";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    bool m_json = true;
};

} // namespace palimpsest
