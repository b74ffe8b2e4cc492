// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"
#include "core/insight/sweep/sweep.h"

#include <string>
#include <vector>

namespace palimpsest {

/// `sweep SOURCE… --grid FILE [--resume FILE] [--csv]`: a row a setting.
class SweepCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "sweep"; }
    [[nodiscard]] std::string_view summary() const override { return "Replays a grid of settings, a row a setting"; }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    [[nodiscard]] Result<SweepGrid> readGrid() const;
    /// Every thread of a source, or the one asked for, that has the namespace.
    Result<void> addThreads(const std::string &location, std::vector<SweepInput> &inputs, Console &console) const;
    void print(Console &console, const SweepResult &result) const;

    std::vector<std::string> m_sources;
    std::string m_grid;
    std::string m_resume;
    std::string m_thread;
    std::string m_ns;
    SourceArgument m_files; ///< --files alone
    std::string m_summaries = "recorded";
    unsigned m_jobs = 0;
    bool m_csv = false;
    bool m_json = false;
};

} // namespace palimpsest
