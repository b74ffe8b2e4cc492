// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <string>

namespace palimpsest {

/// `explain`: what in the thread a provider's error means. Status 1 when the text is not recognised or the recording
/// holds no error.
class ExplainCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "explain"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Says what in the thread a provider's error means";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::string m_error;
    bool m_recorded = false;
    bool m_json = false;
};

} // namespace palimpsest
