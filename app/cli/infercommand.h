// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

namespace palimpsest {

/// `infer SOURCE`: the settings that explain the recorded events.
class InferCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "infer"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Finds the settings that explain the recorded events";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    bool m_json = false;
};

} // namespace palimpsest
