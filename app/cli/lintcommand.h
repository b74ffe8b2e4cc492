// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"
#include "core/compaction/settings.h"

#include <optional>
#include <set>
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
    Result<int> lintThread(
        Console &console, CheckpointSource &source, const std::string &threadId, const SettingsSet *settings);
    void printRules(Console &console) const;
    [[nodiscard]] Result<std::set<std::string>> finishedThreads() const;

    SourceArgument m_source;
    std::string m_settings;
    std::string m_failOn = "error";
    std::string m_shard;
    std::string m_resume;
    bool m_rules = false;
    bool m_secrets = false;
    bool m_json = false;
};

} // namespace palimpsest
