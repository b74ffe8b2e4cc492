// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/preview.h"

#include "core/base/sha256.h"
#include "core/base/text.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// `PREVIEW_LINE_CHAR_LIMIT` (deepagents/middleware/_message_eviction.py, 0.7.32; a literal in 0.7.7).
constexpr std::size_t previewLineLimit = 1000;
/// `MAX_LINE_LENGTH` (deepagents/backends/utils.py).
constexpr std::size_t maxLineLength = 5000;

std::string_view clipped(std::string_view line, bool &cut)
{
    const std::string_view head = text::head(line, previewLineLimit);
    cut = cut || head.size() < line.size();
    return head;
}

std::string numbered(const std::vector<std::string_view> &lines, std::size_t from, std::size_t to, bool &cut)
{
    std::vector<std::string_view> shown;
    for (std::size_t i = from; i < to; ++i)
        shown.push_back(clipped(lines[i], cut));
    return numberedLines(shown, static_cast<std::int64_t>(from) + 1);
}

constexpr std::string_view fixedToolNote = "Here is a preview showing the head and tail of the result (lines of the "
                                           "form `... [N lines truncated] ...` indicate omitted "
                                           "lines in the middle of the content):";
constexpr std::string_view fixedHumanNote = "Here is a preview showing the head and tail of the content:";

} // namespace

std::string numberedLines(const std::vector<std::string_view> &lines, std::int64_t startLine)
{
    struct Row {
        std::string marker;
        std::string_view text;
    };
    std::vector<Row> rows;
    std::size_t width = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string number = std::to_string(startLine + static_cast<std::int64_t>(i));
        std::string_view rest = lines[i];
        int chunk = 0;
        do {
            const std::string_view head = text::head(rest, maxLineLength);
            rows.push_back({chunk == 0 ? number : number + "." + std::to_string(chunk), head});
            width = std::max(width, rows.back().marker.size());
            rest.remove_prefix(head.size());
            ++chunk;
        } while (!rest.empty());
    }
    std::string out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0)
            out += '\n';
        out.append(width - rows[i].marker.size(), ' ');
        out.append(rows[i].marker).append("  ").append(rows[i].text);
    }
    return out;
}

ContentPreview contentPreview(std::string_view content, std::int64_t headLines, std::int64_t tailLines)
{
    const std::vector<std::string_view> lines = text::splitLines(content);
    const auto count = static_cast<std::int64_t>(lines.size());
    ContentPreview preview;
    if (count <= headLines + tailLines) {
        preview.text = numbered(lines, 0, lines.size(), preview.linesClipped);
        return preview;
    }
    preview.linesOmitted = true;
    preview.text = numbered(lines, 0, static_cast<std::size_t>(headLines), preview.linesClipped);
    preview.text += "\n... [" + std::to_string(count - headLines - tailLines) + " lines truncated] ...\n";
    // Python's lines[-0:] is the whole list, numbered as if it were the tail.
    const std::size_t from = tailLines == 0 ? 0 : static_cast<std::size_t>(count - tailLines);
    std::vector<std::string_view> tail;
    for (std::size_t i = from; i < lines.size(); ++i)
        tail.push_back(clipped(lines[i], preview.linesClipped));
    preview.text += numberedLines(tail, count - tailLines + 1);
    return preview;
}

std::string previewNote(const ContentPreview &preview, std::string_view subject)
{
    std::string note =
        preview.linesOmitted ? "Here is a preview showing the head and tail of the " : "Here is a preview of the ";
    note += subject;
    std::string caveats;
    if (preview.linesOmitted)
        caveats = "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content";
    if (preview.linesClipped) {
        if (!caveats.empty())
            caveats += "; ";
        caveats += "the output contains lines longer than 1000 characters; this preview shows only their first 1000 "
                   "characters";
    }
    if (!caveats.empty())
        note += " (" + caveats + ")";
    return note + ":";
}

std::string largeToolResultStub(
    const Dialect &dialect, std::string_view toolCallId, std::string_view path, std::string_view content)
{
    const ContentPreview preview = contentPreview(content);
    std::string id(toolCallId);
    if (dialect.visibleToolCallIdLimit > 0 && text::length(toolCallId) > dialect.visibleToolCallIdLimit)
        id = std::string(text::head(toolCallId, dialect.visibleToolCallIdLimit)) + "...";
    std::string out = "Tool result too large, the result of this tool call ";
    out.append(id).append(" was saved in the filesystem at this path: ").append(path);
    out += "\n\nYou can read the result from the filesystem by using the read_file tool, but make sure to only read "
           "part of the result at a time.\n\n"
           "You can do this by specifying an offset and limit in the read_file tool call. For example, to read the "
           "first 100 lines, you can use the read_file tool "
           "with offset=0 and limit=100.\n\n";
    out += dialect.previewNotesLosses ? previewNote(preview, "result") : std::string(fixedToolNote);
    return out.append("\n\n").append(preview.text).append("\n");
}

std::string largeHumanMessageStub(const Dialect &dialect, std::string_view path, std::string_view content)
{
    const ContentPreview preview = contentPreview(content);
    std::string out = "Message content too large and was saved to the filesystem at: ";
    out += path;
    out +=
        "\n\nYou can read the full content using the read_file tool with pagination (offset and limit parameters).\n\n";
    out += dialect.previewNotesLosses ? previewNote(preview, "content") : std::string(fixedHumanNote);
    return out.append("\n\n").append(preview.text).append("\n");
}

Attempt<std::string> sanitizeToolCallId(const Dialect &dialect, std::string_view toolCallId)
{
    std::string safe(toolCallId);
    std::replace_if(safe.begin(), safe.end(), [](char c) { return c == '.' || c == '/' || c == '\\'; }, '_');
    if (dialect.toolCallPathLimit == 0)
        return safe;
    Attempt<std::string> encoded = encodeUtf8(toolCallId);
    if (!encoded)
        return encoded;
    if (safe.size() > dialect.toolCallPathLimit)
        return "call-" + sha256Hex(*encoded);
    return safe;
}

} // namespace palimpsest
