// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <string>
#include <vector>

namespace palimpsest {

/// `threads SOURCE [--where KEY=VALUE] [--full] [--json]`
class ThreadsCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "threads"; }
    [[nodiscard]] std::string_view summary() const override { return "Lists the threads of a source"; }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::vector<std::string> m_where;
    bool m_full = false;
    bool m_json = false;
};

} // namespace palimpsest
