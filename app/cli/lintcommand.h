// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/fleet.h"
#include "app/cli/sourceargument.h"
#include "core/compaction/settings.h"

#include <optional>
#include <string>

namespace palimpsest {

/// `lint`: findings of one thread or of every thread of a source; one document a thread, JSON lines for several.
class LintCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "lint"; }
    [[nodiscard]] std::string_view summary() const override { return "Says what is wrong or lost in a thread"; }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    Result<FleetAnswer> lintThread(CheckpointSource &source, const std::string &threadId, const SettingsSet *settings,
        const JobContext &job) const;
    void printRules(Console &console) const;

    SourceArgument m_source;
    FleetArgument m_fleet;
    std::string m_settings;
    std::string m_failOn = "error";
    bool m_rules = false;
    bool m_secrets = false;
    bool m_json = false;
};

} // namespace palimpsest
