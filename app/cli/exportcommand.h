// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/sourceargument.h"
#include "core/transcript/formats.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

class Redactor;

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
    Result<TranscriptRequest> request(const OpenedThread &opened, Console &console) const;
    Result<void> addSubject(TranscriptRequest &request, const OpenedThread &opened, Console &console) const;
    Result<std::optional<Redactor>> redactor() const;
    Result<void> bundle(const OpenedThread &opened, Console &console) const;
    Result<int> preview(const Redactor &redactor, Console &console) const;

    SourceArgument m_source;
    std::string m_format;
    std::string m_output;
    std::string m_what;
    std::string m_checkpoint;
    std::string m_settings;
    std::string m_detail = "full";
    std::string m_media = "inline";
    std::string m_archive = "linked";
    std::optional<std::int64_t> m_event;
    std::optional<std::int64_t> m_call;
    std::optional<std::int64_t> m_from;
    std::optional<std::int64_t> m_to;
    bool m_redact = false;
    std::vector<std::string> m_patterns;
    bool m_preview = false;
    bool m_scrub = false;
};

} // namespace palimpsest
