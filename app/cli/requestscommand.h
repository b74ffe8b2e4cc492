// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <string>

namespace palimpsest {

/// `requests SOURCE [--thread T] [--ns NS] [--settings FILE] [--next]`
class RequestsCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "requests"; }
    [[nodiscard]] std::string_view summary() const override { return "Writes what the model saw at each call"; }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::string m_settings;
    bool m_next = false;
    bool m_json = true;
};

} // namespace palimpsest
