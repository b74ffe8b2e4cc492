// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/archive.h"

#include "core/thread/events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace palimpsest {
namespace {

constexpr std::string_view heading = "## Summarized at ";
constexpr std::string_view closing = "</message>";

/// Where the next heading at the start of a line begins, or the end.
std::size_t nextHeading(std::string_view text, std::size_t from)
{
    for (std::size_t at = text.find(heading, from); at != std::string_view::npos; at = text.find(heading, at + 1))
        if (at == 0 || text[at - 1] == '\n')
            return at;
    return text.size();
}

void appendCodePoint(std::string &out, std::uint32_t c)
{
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else {
        if (c >= 0x10000) {
            out += static_cast<char>(0xf0 | (c >> 18));
            out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
        } else {
            out += static_cast<char>(0xe0 | (c >> 12));
        }
        out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    }
}

/// The character reference at `text` (which begins with '&'), appended to `out`; its length, 0 when there is none.
std::size_t appendReference(std::string &out, std::string_view text)
{
    // What xml.sax.saxutils.escape and quoteattr write.
    static constexpr std::array<std::pair<std::string_view, char>, 4> names{
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}}};
    for (const auto &[name, character] : names) {
        if (text.starts_with(name)) {
            out += character;
            return name.size();
        }
    }
    const std::size_t end = text.find(';');
    if (!text.starts_with("&#") || end == std::string_view::npos || end > 9)
        return 0;
    std::uint32_t c = 0;
    const auto [last, error] = std::from_chars(text.data() + 2, text.data() + end, c);
    if (error != std::errc() || last != text.data() + end || c > 0x10ffff)
        return 0;
    appendCodePoint(out, c);
    return end + 1;
}

std::string unescaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = text[at] == '&' ? appendReference(out, text.substr(at)) : 0;
        if (length > 0) {
            at += length;
            continue;
        }
        out += text[at++];
    }
    return out;
}

/// Reads ` name="value"` at `at` and moves behind it.
std::optional<std::string> attribute(std::string_view text, std::size_t &at, std::string_view name)
{
    const std::string begin = " " + std::string(name) + "=";
    if (text.substr(at, begin.size()) != begin || at + begin.size() >= text.size())
        return std::nullopt;
    const char quote = text[at + begin.size()];
    if (quote != '"' && quote != '\'')
        return std::nullopt;
    const std::size_t from = at + begin.size() + 1;
    const std::size_t to = text.find(quote, from);
    if (to == std::string_view::npos)
        return std::nullopt;
    at = to + 1;
    return unescaped(text.substr(from, to - from));
}

/// A tool call line: `<tool_call id="…" name="…">…</tool_call>` or a `function_call`, which has no id.
std::optional<ArchivedToolCall> toolCall(std::string_view line)
{
    ArchivedToolCall call;
    std::string_view close;
    std::size_t at = 0;
    if (line.starts_with("<tool_call ")) {
        at = std::string_view("<tool_call").size();
        close = "</tool_call>";
        const std::optional<std::string> id = attribute(line, at, "id");
        if (!id)
            return std::nullopt;
        call.id = *id;
    } else if (line.starts_with("<function_call ")) {
        at = std::string_view("<function_call").size();
        close = "</function_call>";
    } else {
        return std::nullopt;
    }
    const std::optional<std::string> name = attribute(line, at, "name");
    if (!name || line.substr(at, 1) != ">" || !line.ends_with(close))
        return std::nullopt;
    call.name = *name;
    call.args = unescaped(line.substr(at + 1, line.size() - close.size() - at - 1));
    return call;
}

/// The nested form of an AI message with calls: a line of content, then a line a call. Content may hold line breaks.
void readNested(std::string_view body, ArchivedMessage &message)
{
    constexpr std::string_view open = "<content>";
    constexpr std::string_view close = "</content>";
    std::size_t at = body.find_first_not_of(" \n");
    if (at == std::string_view::npos)
        return;
    if (body.substr(at).starts_with(open)) {
        std::size_t end = body.find(close, at);
        end = end == std::string_view::npos ? body.size() : end;
        message.text = unescaped(body.substr(at + open.size(), end - at - open.size()));
        at = std::min(body.size(), end + close.size());
    }
    while ((at = body.find_first_not_of(" \n", at)) != std::string_view::npos) {
        // Arguments are JSON with escaped line breaks: a call is one line.
        const std::size_t end = std::min(body.find('\n', at), body.size());
        if (std::optional<ArchivedToolCall> call = toolCall(body.substr(at, end - at)))
            message.toolCalls.push_back(std::move(*call));
        else
            message.text += (message.text.empty() ? "" : "\n") + unescaped(body.substr(at, end - at));
        at = end;
    }
}

/// Reads the XML message at `at` and moves behind it.
std::optional<ArchivedMessage> xmlMessage(std::string_view text, std::size_t &at)
{
    constexpr std::string_view open = "<message";
    if (!text.substr(at).starts_with("<message "))
        return std::nullopt;
    std::size_t body = at + open.size();
    const std::optional<std::string> type = attribute(text, body, "type");
    if (!type || text.substr(body, 1) != ">")
        return std::nullopt;
    ++body;
    // Text is escaped, so the first closing tag is the message's own.
    const std::size_t end = text.find(closing, body);
    if (end == std::string_view::npos)
        return std::nullopt;
    ArchivedMessage message;
    message.type = *type;
    message.begin = at;
    message.end = end + closing.size();
    const std::string_view inside = text.substr(body, end - body);
    if (inside.starts_with("\n  <"))
        readNested(inside, message);
    else
        message.text = unescaped(inside);
    at = message.end;
    return message;
}

/// JavaScript's plain lines; a text that itself has such a line cannot be told from a message.
std::vector<ArchivedMessage> plainMessages(std::string_view text, std::size_t from, std::size_t to)
{
    static constexpr std::array<std::pair<std::string_view, const char *>, 5> prefixes{
        {{"Human: ", "human"}, {"AI: ", "ai"}, {"Tool: ", "tool"}, {"System: ", "system"}, {"Function: ", "function"}}};
    std::vector<ArchivedMessage> messages;
    for (std::size_t at = from; at < to;) {
        std::size_t end = text.find('\n', at);
        end = end == std::string_view::npos || end > to ? to : end;
        const std::string_view line = text.substr(at, end - at);
        const auto prefix =
            std::find_if(prefixes.begin(), prefixes.end(), [&](const auto &p) { return line.starts_with(p.first); });
        if (prefix != prefixes.end()) {
            messages.push_back({prefix->second, std::string(line.substr(prefix->first.size())), {}, at, end});
        } else if (!messages.empty()) {
            messages.back().text += "\n" + std::string(line);
            messages.back().end = end;
        }
        at = end + 1;
    }
    for (ArchivedMessage &message : messages)
        message.text.erase(message.text.find_last_not_of('\n') + 1);
    return messages;
}

ArchiveSection section(std::string_view text, std::size_t begin)
{
    ArchiveSection section;
    section.begin = begin;
    const std::size_t line = std::min(text.find('\n', begin), text.size());
    section.timestamp = text.substr(begin + heading.size(), line - begin - heading.size());
    std::size_t at = text.find_first_not_of('\n', line);
    if (at == std::string_view::npos) {
        section.end = text.size();
        return section;
    }
    while (std::optional<ArchivedMessage> message = xmlMessage(text, at)) {
        section.messages.push_back(std::move(*message));
        const std::size_t next = text.find_first_not_of('\n', at);
        at = next == std::string_view::npos ? text.size() : next;
    }
    section.end = nextHeading(text, at);
    if (at < section.end) {
        section.exact = false;
        std::vector<ArchivedMessage> plain = plainMessages(text, at, section.end);
        std::move(plain.begin(), plain.end(), std::back_inserter(section.messages));
    }
    return section;
}

/// Whether a section holds these messages: summaries are left out, the kinds must follow each other.
bool agrees(const ArchiveSection &section, const MessageLog &log, const EvictedRange &range)
{
    std::size_t at = 0;
    for (std::int64_t i = range.first.value; i < range.end.value; ++i) {
        const Message &message = *log[static_cast<std::size_t>(i)];
        if (isSummary(message))
            continue;
        if (at == section.messages.size())
            return false;
        const bool chat = message.kind == MessageKind::Chat || message.kind == MessageKind::Other;
        if (!chat && section.messages[at].type != message.type)
            return false;
        ++at;
    }
    return at == section.messages.size();
}

} // namespace

Archive parseArchive(std::string_view text)
{
    Archive archive;
    std::size_t at = nextHeading(text, 0);
    archive.preamble = text.substr(0, at);
    while (at < text.size()) {
        archive.sections.push_back(section(text, at));
        at = archive.sections.back().end;
    }
    return archive;
}

EvictedRange evictedRange(const ThreadNamespace &space, CheckpointIndex eventCheckpoint)
{
    const Checkpoint &checkpoint = space.checkpoints[eventCheckpoint.at()];
    if (!checkpoint.event)
        return {MessageIndex(0), MessageIndex(0)};
    const auto place = [&](const SummarizationEvent &event) {
        return std::clamp<std::int64_t>(
            cutoffOf(event).value_or(0), 0, static_cast<std::int64_t>(checkpoint.messages.size()));
    };
    const EventPtr before = checkpoint.parent.isValid() ? space.checkpoints[checkpoint.parent.at()].event : nullptr;
    const std::int64_t end = place(*checkpoint.event);
    return {MessageIndex(before ? std::min(place(*before), end) : 0), MessageIndex(end)};
}

std::vector<SectionLink> linkArchive(const Archive &archive, const ThreadNamespace &space, const std::string &path)
{
    std::vector<CheckpointIndex> events;
    for (const CheckpointIndex at : space.eventCheckpoints)
        if (at.isValid() && at.at() < space.checkpoints.size() && space.checkpoints[at.at()].event
            && space.checkpoints[at.at()].event->filePath == path)
            events.push_back(at);
    std::vector<SectionLink> links;
    std::size_t next = 0;
    for (std::size_t i = 0; i < archive.sections.size(); ++i) {
        SectionLink link;
        link.section = i;
        for (std::size_t e = next; e < events.size(); ++e) {
            const EvictedRange range = evictedRange(space, events[e]);
            if (!agrees(archive.sections[i], space.checkpoints[events[e].at()].messages, range))
                continue;
            link = {i, events[e], range.first, range.end, true};
            next = e + 1;
            break;
        }
        if (!link.checkpoint.isValid() && archive.sections.size() - i == events.size() - next) {
            const EvictedRange range = evictedRange(space, events[next]);
            link = {i, events[next], range.first, range.end, false};
            ++next;
        }
        links.push_back(link);
    }
    return links;
}

} // namespace palimpsest
