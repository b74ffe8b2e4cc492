// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <cstdint>
#include <string>
#include <vector>

namespace palimpsest {

/// `growth SOURCE [--thread T] [--frequency N]… [--plan keep=N|before=DATE]`
class GrowthCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "growth"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Says what a source weighs, why it grows and what it would weigh stored otherwise";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::vector<std::int64_t> m_frequencies;
    std::string m_plan;
    bool m_json = false;
};

} // namespace palimpsest
