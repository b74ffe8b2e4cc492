// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/messageforms.h"

#include "core/base/text.h"

#include <algorithm>
#include <format>

namespace palimpsest {
namespace {

std::optional<std::string> shortText(const std::string &whole, std::size_t limit)
{
    const std::size_t length = whole.size() <= limit ? whole.size() : text::length(whole);
    if (length <= limit)
        return std::nullopt;
    return std::format("{}… [{} characters left out]", text::head(whole, limit), length - limit);
}

MessagePtr withContent(const MessagePtr &message, Value content)
{
    auto copy = std::make_shared<Message>(*message);
    copy->content = std::move(content);
    return copy;
}

/// Applies `change` to each block of a list content; the message itself when none of them changed.
template <class Change> MessagePtr withBlocks(const MessagePtr &message, Change &&change)
{
    if (!message->content.isList())
        return message;
    Value::List blocks = message->content.asList();
    bool changed = false;
    for (Value &block : blocks)
        if (std::optional<Value> other = change(block)) {
            block = std::move(*other);
            changed = true;
        }
    return changed ? withContent(message, Value(std::move(blocks))) : message;
}

} // namespace

MessagePtr withShortTexts(const MessagePtr &message, std::size_t limit)
{
    if (message->content.isText()) {
        std::optional<std::string> cut = shortText(message->content.asText(), limit);
        return cut ? withContent(message, Value(std::move(*cut))) : message;
    }
    return withBlocks(message, [&](const Value &block) -> std::optional<Value> {
        if (block.isText()) {
            if (std::optional<std::string> cut = shortText(block.asText(), limit))
                return Value(std::move(*cut));
        } else if (block["text"].isText()) {
            if (std::optional<std::string> cut = shortText(block["text"].asText(), limit))
                return block.with("text", Value(std::move(*cut)));
        }
        return std::nullopt;
    });
}

MediaMover::MediaMover(MediaPlacement placement, std::string folder, std::vector<TranscriptFile> &files)
    : m_placement(placement)
    , m_folder(std::move(folder))
    , m_files(files)
{
}

MessagePtr MediaMover::moved(const MessagePtr &message)
{
    if (m_placement == MediaPlacement::Inline)
        return message;
    return withBlocks(message, [&](const Value &block) -> std::optional<Value> {
        if (!block.isMap() || !extractDataUrl(block))
            return std::nullopt;
        return movedBlock(block);
    });
}

Value MediaMover::movedBlock(const Value &block)
{
    const std::optional<DecodedDataUrl> medium = decodeDataUrl(*extractDataUrl(block));
    const std::string kind = medium && !medium->mime.empty() ? medium->mime : block["type"].asText();
    if (m_placement == MediaPlacement::Omitted || !medium)
        return Value::map(
            {{"type", Value("text")}, {"text", Value(std::format("[{} left out]", kind.empty() ? "medium" : kind))}});
    return mediaReferenceBlock(add(*medium, {}).link, medium->mime);
}

void MediaMover::addArchived(const Value &block, const std::string &path)
{
    if (m_placement == MediaPlacement::Omitted)
        return;
    const std::optional<std::string> url = extractDataUrl(block);
    if (const std::optional<DecodedDataUrl> medium = url ? decodeDataUrl(*url) : std::nullopt)
        add(*medium, path);
}

const TranscriptFile &MediaMover::add(const DecodedDataUrl &medium, const std::string &path)
{
    const std::string name = medium.key() + "." + medium.extension;
    const auto known = std::ranges::find_if(m_files,
        [&](const TranscriptFile &file) { return file.name == name && (path.empty() || file.path == path); });
    if (known != m_files.end())
        return *known;
    std::string link;
    if (m_placement == MediaPlacement::Beside)
        link = m_folder.empty() ? name : m_folder + "/" + name;
    return m_files.emplace_back(
        TranscriptFile{TranscriptFile::Kind::Media, path, name, medium.mime, medium.bytes, std::move(link)});
}

} // namespace palimpsest
