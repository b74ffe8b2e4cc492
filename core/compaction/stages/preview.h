// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/dialect.h"

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// Head and tail of a text with line numbers (`ContentPreview`, deepagents/middleware/_message_eviction.py, 0.7.32).
struct ContentPreview {
    std::string text;
    bool linesOmitted = false; ///< whole lines were left out, behind a marker
    bool linesClipped = false; ///< a shown line was cut at 1,000 code points

    bool operator==(const ContentPreview &) const = default;
};

/// `_create_content_preview` (0.7.7 and 0.7.32): all lines when there are no more than both numbers together, else head
/// and tail.
ContentPreview contentPreview(std::string_view content, std::int64_t headLines = 5, std::int64_t tailLines = 5);

/// `format_content_with_line_numbers` (deepagents/backends/utils.py, 0.7.7) for lines that start at `startLine`.
std::string numberedLines(const std::vector<std::string_view> &lines, std::int64_t startLine);

/// `_preview_note` (deepagents/middleware/_message_eviction.py, 0.7.32): the sentence before a preview, naming only the
/// losses it has.
std::string previewNote(const ContentPreview &preview, std::string_view subject);

/// What stands in a request for a tool result that moved to `path` (`TOO_LARGE_TOOL_MSG`, 0.7.7;
/// `_render_too_large_tool_msg`, 0.7.32).
std::string largeToolResultStub(
    const Dialect &dialect, std::string_view toolCallId, std::string_view path, std::string_view content);

/// What stands in a request for a human message that moved to `path` (`TOO_LARGE_HUMAN_MSG`,
/// deepagents/middleware/filesystem.py).
std::string largeHumanMessageStub(const Dialect &dialect, std::string_view path, std::string_view content);

/// `sanitize_tool_call_id` (deepagents/backends/utils.py): the id as a path component; since 0.7.32 a long one becomes
/// a hash.
Attempt<std::string> sanitizeToolCallId(const Dialect &dialect, std::string_view toolCallId);

} // namespace palimpsest
