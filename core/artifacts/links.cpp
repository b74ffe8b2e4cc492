// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/links.h"

#include "core/base/text.h"

#include <algorithm>

namespace palimpsest {
namespace {

constexpr std::string_view toolStub = "Tool result too large, the result of this tool call ";
constexpr std::string_view toolStubPath = " was saved in the filesystem at this path: ";
constexpr std::string_view humanStub = "Message content too large and was saved to the filesystem at: ";
constexpr std::string_view archiveStub = "The full conversation history has been saved to ";
constexpr std::string_view archiveStubEnd = " should you need to refer back to it for details.";

std::string_view firstLine(std::string_view text)
{
    return text.substr(0, text.find('\n'));
}

/// The number and separator before a preview's line ("  12\t", "12  ", "12.1  "), or npos when there is none.
std::size_t numberWidth(std::string_view line)
{
    std::size_t at = line.find_first_not_of(' ');
    const std::size_t digits = at;
    while (at < line.size() && ((line[at] >= '0' && line[at] <= '9') || (line[at] == '.' && at > digits)))
        ++at;
    if (at == digits || at == std::string_view::npos)
        return std::string_view::npos;
    if (line.substr(at).starts_with('\t'))
        return at + 1;
    return line.substr(at).starts_with("  ") ? at + 2 : std::string_view::npos;
}

/// Python's str.splitlines.
std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t before = at;
        const char32_t c = text::next(text, at);
        const bool ends =
            (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
        if (!ends)
            continue;
        lines.push_back(text.substr(begin, before - begin));
        if (c == U'\r' && at < text.size() && text[at] == '\n')
            ++at;
        begin = at;
    }
    if (begin < text.size())
        lines.push_back(text.substr(begin));
    return lines;
}

bool isMarker(std::string_view line)
{
    return line.starts_with("... [") && line.ends_with(" lines truncated] ...");
}

void addTextLinks(std::vector<ArtifactLink> &links, std::string_view text, std::size_t block, bool summary)
{
    if (std::optional<ArtifactLink> link = stubLink(text)) {
        link->block = block;
        links.push_back(std::move(*link));
    }
    if (!summary)
        return;
    const std::size_t at = text.find(archiveStub);
    if (at == std::string_view::npos)
        return;
    const std::string_view rest = firstLine(text.substr(at + archiveStub.size()));
    links.push_back({ArtifactLink::Kind::Archive, std::string(rest.substr(0, rest.rfind(archiveStubEnd))), block, {}});
}

void addBlockLinks(std::vector<ArtifactLink> &links, const Value &block, std::size_t place, bool summary)
{
    if (block.isText()) {
        addTextLinks(links, block.asText(), place, summary);
        return;
    }
    if (block["text"].isText())
        addTextLinks(links, block["text"].asText(), place, summary);
    for (const Value *url : {block.find("url"), block["image_url"].find("url")})
        if (url && url->isText() && isMediaPath(url->asText()))
            links.push_back({ArtifactLink::Kind::Media, url->asText(), place, {}});
    if (const Value &digest = block["deepagents_blob"]; digest.isText())
        links.push_back({ArtifactLink::Kind::Blob, "/blobs/" + digest.asText(), place, {}});
}

} // namespace

std::optional<ArtifactLink> stubLink(std::string_view text)
{
    const std::string_view line = firstLine(text);
    if (line.starts_with(toolStub)) {
        // An id may hold any text; the path comes behind the last such phrase of the line.
        const std::size_t at = line.rfind(toolStubPath);
        if (at == std::string_view::npos || at < toolStub.size())
            return std::nullopt;
        return ArtifactLink{ArtifactLink::Kind::ToolResult, std::string(line.substr(at + toolStubPath.size())), 0,
            std::string(line.substr(toolStub.size(), at - toolStub.size()))};
    }
    if (line.starts_with(humanStub))
        return ArtifactLink{ArtifactLink::Kind::HumanStub, std::string(line.substr(humanStub.size())), 0, {}};
    return std::nullopt;
}

std::vector<ArtifactLink> artifactLinks(const Message &message)
{
    std::vector<ArtifactLink> links;
    if (const Value &path = message.additionalKwargs["lc_evicted_to"]; path.isText())
        links.push_back({ArtifactLink::Kind::HumanMessage, path.asText(), 0, {}});
    const bool summary = isSummary(message);
    if (message.content.isList()) {
        const Value::List &blocks = message.content.asList();
        for (std::size_t i = 0; i < blocks.size(); ++i)
            addBlockLinks(links, blocks[i], i, summary);
    } else {
        addBlockLinks(links, message.content, 0, summary);
    }
    return links;
}

StubPreview stubPreview(std::string_view text)
{
    StubPreview preview;
    if (!stubLink(text))
        return preview;
    // The preview is what follows the sentence that ends in a colon, up to the end.
    std::vector<std::string> *part = nullptr;
    bool begun = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (isMarker(line) && begun) {
            part = &preview.tail;
            continue;
        }
        const std::size_t width = numberWidth(line);
        if (!begun && width != std::string_view::npos) {
            begun = true;
            part = &preview.head;
        }
        if (!part || width == std::string_view::npos)
            continue;
        // A long line goes on as "12.1", "12.2": one line of the file.
        const bool goesOn = line.substr(0, width).find('.') != std::string_view::npos;
        if (goesOn && !part->empty())
            part->back() += line.substr(width);
        else
            part->emplace_back(line.substr(width));
    }
    return preview;
}

bool previewMatches(const StubPreview &preview, std::string_view content)
{
    const std::vector<std::string_view> lines = splitLines(content);
    if (lines.size() < preview.head.size() + preview.tail.size())
        return false;
    // A long line is shown in part.
    const auto shows = [](const std::string &shown, std::string_view line) { return line.starts_with(shown); };
    return std::equal(preview.head.begin(), preview.head.end(), lines.begin(), shows)
        && std::equal(preview.tail.begin(), preview.tail.end(),
            lines.end() - static_cast<std::ptrdiff_t>(preview.tail.size()), shows);
}

bool isMediaPath(std::string_view path)
{
    const std::size_t at = path.rfind("/conversation_history/media/");
    if (at == std::string_view::npos)
        return false;
    const std::string_view name = path.substr(at + std::string_view("/conversation_history/media/").size());
    const std::string_view stem = name.substr(0, name.rfind('.'));
    return stem.size() == 16 && std::all_of(stem.begin(), stem.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

std::vector<std::string> mediaPaths(std::string_view archiveText)
{
    // Paths stand in attributes (`url="…"`), whose quotes may be escaped as a whole block's JSON is.
    constexpr std::string_view ends = "\"'<>()[];& \t\r\n";
    constexpr std::string_view folder = "conversation_history/media/";
    std::vector<std::string> paths;
    for (std::size_t at = archiveText.find(folder); at != std::string_view::npos;
        at = archiveText.find(folder, at + folder.size())) {
        const std::size_t before = archiveText.find_last_of(ends, at);
        const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
        const std::string_view path = archiveText.substr(from, archiveText.find_first_of(ends, at) - from);
        if (isMediaPath(path) && std::find(paths.begin(), paths.end(), path) == paths.end())
            paths.emplace_back(path);
    }
    return paths;
}

} // namespace palimpsest
