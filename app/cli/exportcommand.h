// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"
#include "core/transcript/exportorder.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// `export SOURCE -f FORMAT -o FILE`: a transcript of what the program shows, or a bundle.
class ExportCommand : public Command {
public:
    [[nodiscard]] std::string_view name() const override { return "export"; }
    [[nodiscard]] std::string_view summary() const override
    {
        return "Write a transcript: Markdown, HTML, PDF, JSON, chat formats, tables, or a bundle";
    }
    void declare(CLI::App &app) override;
    Result<int> run(Console &console) override;

private:
    /// What the options say by themselves.
    [[nodiscard]] Result<ExportOrder> order() const;
    Result<void> readWords(ExportOrder &order) const;
    Result<void> readRedaction(ExportOrder &order) const;
    Result<void> readSettings(ExportOrder &order) const;
    /// What they say about this namespace.
    Result<void> readScope(ExportOrder &order, const ThreadNamespace &space) const;
    Result<int> preview(const ExportOrder &order, const ExportMaterial &material, Console &console) const;

    SourceArgument m_source;
    std::string m_format;
    std::string m_output;
    std::string m_what;
    std::string m_checkpoint;
    std::vector<std::string> m_settings;
    std::vector<std::string> m_sides;
    std::string m_other;
    std::string m_otherThread;
    std::vector<std::string> m_selected;
    std::string m_text;
    std::string m_message;
    std::string m_detail = "full";
    std::string m_media = "inline";
    std::string m_archive = "linked";
    std::optional<std::int64_t> m_event;
    std::optional<std::int64_t> m_call;
    std::optional<std::int64_t> m_branch;
    std::optional<std::int64_t> m_from;
    std::optional<std::int64_t> m_to;
    std::optional<std::int64_t> m_fromTurn;
    std::optional<std::int64_t> m_toTurn;
    std::vector<std::string> m_patterns;
    bool m_all = false;
    bool m_regex = false;
    bool m_fold = false;
    bool m_redact = false;
    bool m_preview = false;
    bool m_scrub = false;
};

} // namespace palimpsest
