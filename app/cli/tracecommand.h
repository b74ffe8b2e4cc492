// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"

#include <string>

namespace palimpsest {

/// `trace SOURCE (--text S [--regex] [--fold] | --message ID) [--settings FILE]`
class TraceCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "trace"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Follows a text or a message through a thread, call by call";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    SourceArgument m_source;
    std::string m_text;
    std::string m_message;
    std::string m_settings;
    bool m_regex = false;
    bool m_fold = false;
    bool m_noReplays = false;
    bool m_json = false;
};

} // namespace palimpsest
