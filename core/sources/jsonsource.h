// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/json/jsonrows.h"
#include "core/sources/rowsource.h"

#include <memory>
#include <string>

namespace palimpsest {

/// Threads in a JSON document or JSON lines: what a LangGraph server answers, what LangChain, LangSmith and OpenAI's
/// clients write. Recognised by content; what is in it is described by `SourceInfo::what`, and what such a document
/// cannot hold by its findings.
class JsonSource : public RowSource {
public:
    /// Reads a file. Errors: NotFound, Unreadable, Malformed with the byte, Unsupported with what was looked for.
    static Result<std::unique_ptr<JsonSource>> open(const std::string &path);
    /// Reads a text; `location` names it, `kind` says what gave it.
    static Result<std::unique_ptr<JsonSource>> fromText(
        std::string text, const std::string &location, const std::string &kind = "json");

    /// What JSON is recognised, for error messages.
    static const char *lookedFor();

private:
    JsonSource() = default;
    void takeRows(const std::string &location, const std::string &kind);

    std::string m_text;
    JsonRows m_rows;
};

/// True when the text begins as a JSON object or array does.
bool looksLikeJson(std::string_view text);

/// A file's bytes. Errors: NotFound, Unreadable, Limit (over 2 GB).
Result<std::string> readWholeFile(const std::string &path);

} // namespace palimpsest
