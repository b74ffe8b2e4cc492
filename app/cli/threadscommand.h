// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/fleet.h"
#include "app/cli/sourceargument.h"

#include <functional>
#include <string>
#include <vector>

namespace palimpsest {

/// `threads SOURCE [--where KEY=VALUE] [--full] [--json] [--shard I/N] [--resume FILE]`
class ThreadsCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "threads"; }
    [[nodiscard]] std::string_view summary() const override { return "Lists the threads of a source"; }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    Result<void> scanRows(CheckpointSource &source, const std::function<bool(const ThreadRow &)> &wanted,
        const std::function<void(ThreadRow &&)> &write, Console &console) const;
    Result<void> surveyRows(CheckpointSource &source, const std::function<bool(const ThreadRow &)> &wanted,
        const std::function<void(ThreadRow &&)> &write, Console &console) const;

    SourceArgument m_source;
    FleetArgument m_fleet;
    std::vector<std::string> m_where;
    bool m_full = false;
    bool m_json = false;
    bool m_lines = false;
};

} // namespace palimpsest
