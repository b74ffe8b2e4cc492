// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"
#include "core/insight/diff/diff.h"

#include <string>
#include <vector>

namespace palimpsest {

/// `diff SOURCE A [SOURCE2] B`: A and B are checkpoint ids, call:N, event:N, head, head:N or thread:ID, the last one
/// with any of the others behind an @ ("thread:abc@call:3").
class DiffCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "diff"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Compares two checkpoints, calls, events, branches or threads";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    Result<DiffSide> side(const std::string &location, const std::string &words, Console &console) const;

    SourceArgument m_source;
    std::vector<std::string> m_sides;
    bool m_all = false;
    bool m_json = false;
};

} // namespace palimpsest
