// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <string>
#include <vector>

namespace palimpsest {

/// `dump SOURCE [--thread T] [--ns NS] [--checkpoint C]… [--channels]`
class DumpCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "dump"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Writes what is in a recording, checkpoint by checkpoint";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::vector<std::string> m_checkpoints;
    bool m_channels = false;
    bool m_json = true;
};

} // namespace palimpsest
