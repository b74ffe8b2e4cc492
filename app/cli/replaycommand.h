// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <string>

namespace palimpsest {

/// `replay SOURCE --settings FILE [--summaries recorded|extractive|fixed|model] [--verify]`
class ReplayCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "replay"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Runs the compaction pipeline again, under any settings";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::string m_settings;
    std::string m_summaries = "recorded";
    bool m_verify = false;
    bool m_decisions = false;
    bool m_json = true;
};

} // namespace palimpsest
