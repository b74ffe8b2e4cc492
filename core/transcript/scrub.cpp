// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/scrub.h"

#include "core/base/base64.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <QChar>

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

using namespace std::string_view_literals;

/// Members whose text says what a thing is, never what somebody said.
constexpr std::array keptMembers{"id"sv, "type"sv, "name"sv, "role"sv, "tool_call_id"sv, "status"sv, "model_name"sv,
    "model"sv, "model_provider"sv, "provider"sv, "ls_provider"sv, "ls_model_name"sv, "ls_model_type"sv,
    "finish_reason"sv, "stop_reason"sv, "mime_type"sv, "mimeType"sv, "media_type"sv, "source_type"sv, "encoding"sv,
    "created_at"sv, "modified_at"sv, "ts"sv, "lc_source"sv, "source"sv, "thread_id"sv, "checkpoint_ns"sv,
    "checkpoint_id"sv, "run_id"sv, "assistant_id"sv, "graph_id"sv, "langgraph_node"sv, "langgraph_path"sv,
    "langgraph_checkpoint_ns"sv, "langgraph_triggers"sv, "checkpoint_map"sv, "parents"sv, "channel_versions"sv,
    "versions_seen"sv, "updated_channels"sv, "_summarization_session_id"sv, "_summarizationSessionId"sv,
    "subagent_type"sv, "lc_agent_name"sv, "service_tier"sv, "system_fingerprint"sv, "object"sv, "sha256"sv};

/// Members whose text is a name that other texts repeat.
constexpr std::array namingMembers{"id"sv, "name"sv, "tool_call_id"sv};

/// Frames that Deep Agents and LangChain put around what people said, cut at what they fill in
/// (deepagents/middleware/{summarization,_message_eviction,_overflow_clip,filesystem,patch_tool_calls}.py, 0.7.7 and
/// 0.7.32; langchain_core/messages/utils.py, 1.8.3).
constexpr std::array frames{"You are in the middle of a conversation that has been summarized."sv,
    "The full conversation history has been saved to "sv, " should you need to refer back to it for details."sv,
    "A condensed summary follows:"sv, "Here is a summary of the conversation to date:"sv, "<summary>"sv, "</summary>"sv,
    "Tool result too large, the result of this tool call "sv, " was saved in the filesystem at this path: "sv,
    "You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the result at a time."sv,
    "You can do this by specifying an offset and limit in the read_file tool call. For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100."sv,
    "Here is a preview showing the head and tail of the result"sv,
    "Here is a preview showing the head and tail of the content"sv, "Here is a preview of the result"sv,
    "Here is a preview of the content"sv,
    "(lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content)"sv,
    "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content"sv,
    "the output contains lines longer than 1000 characters; this preview shows only their first 1000 characters"sv,
    "Message content too large and was saved to the filesystem at: "sv,
    "You can read the full content using the read_file tool with pagination (offset and limit parameters)."sv,
    "[Output was truncated due to context window size limits. The full content is at "sv,
    "Use read_file with offset and limit parameters to retrieve specific portions. For example, to read the first 100 lines, call read_file with file_path="sv,
    ", offset=0, limit=100.]"sv, " lines truncated] ..."sv, "Tool call "sv, " with id "sv,
    " could not be executed - arguments were malformed or truncated."sv,
    " was cancelled - another message came in before it could be completed."sv,
    " did not complete - no result was recorded. It may have been cancelled or interrupted."sv,
    "Nothing to compact yet"sv, "conversation is within the token budget."sv, "Conversation compacted. Summarized "sv,
    " messages into a concise summary."sv, "...(argument truncated)"sv, "## Summarized at "sv, "<message type="sv,
    "</message>"sv, "<content>"sv, "</content>"sv, "<tool_call id="sv, "</tool_call>"sv, "Error generating summary: "sv,
    "Previous conversation was too long to summarize."sv, "No previous conversation history."sv};

constexpr std::array offloadFolders{"/conversation_history/"sv, "/large_tool_results/"sv, "/blobs/"sv};

template <class List> bool isIn(const List &list, std::string_view word)
{
    return std::ranges::find(list, word) != list.end();
}

bool isWord(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/// One code point's filler: the same width in Python's repr and in JSON.
char32_t filler(char32_t c)
{
    if (c < 0x80) {
        if (c >= U'a' && c <= U'z')
            return U'x';
        if (c >= U'A' && c <= U'Z')
            return U'X';
        return c >= U'0' && c <= U'9' ? U'0' : c;
    }
    // What Python escapes stays: it holds no words, and its escape has a width.
    if ((c >= 0xD800 && c < 0xE000) || !QChar::isPrint(c) || QChar::isSpace(c))
        return c;
    return c > 0xFFFF ? char32_t(0x1F4C4) : U'\u00F8';
}

/// "12\t" or "  12.1\t" at the beginning of a line: the number that a preview or read_file puts there.
std::size_t lineNumberWidth(std::string_view line)
{
    std::size_t at = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t digits = at;
    while (at < line.size() && ((line[at] >= '0' && line[at] <= '9') || (line[at] == '.' && at > digits)))
        ++at;
    if (at == digits || at >= line.size())
        return 0;
    return line[at] == '\t' || line.substr(at).starts_with("  ") ? at : 0;
}

bool looksLikeBase64(std::string_view text)
{
    return text.size() >= 64 && text.find_first_not_of("0123456789abcdef") != std::string_view::npos // no digest
        && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
        == std::string_view::npos;
}

/// The base64 digits of a `data:` URL.
std::optional<std::size_t> dataUrlPayload(std::string_view text)
{
    if (!text.starts_with("data:"))
        return std::nullopt;
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos || text.substr(0, comma).find(";base64") == std::string_view::npos)
        return std::nullopt;
    return comma + 1;
}

std::optional<std::string> mediumBytes(std::string_view text)
{
    const std::optional<std::size_t> payload = dataUrlPayload(text);
    if (!payload && !looksLikeBase64(text))
        return std::nullopt;
    Result<std::string> bytes = base64::decode(text.substr(payload.value_or(0)));
    return bytes ? std::optional<std::string>(std::move(*bytes)) : std::nullopt;
}

/// The code points of `digest`'s file name: 16 for media, 64 for blobs.
constexpr std::size_t mediaName = 16;

/// Where an offloaded file's path begins that stands at `at` (the folder's name is found first), and its end.
std::size_t pathEnd(std::string_view text, std::size_t at)
{
    while (at < text.size() && (isWord(text[at]) || text[at] == '/' || text[at] == '.'))
        ++at;
    while (at > 0 && text[at - 1] == '.')
        --at;
    return at;
}

} // namespace

std::string fillerFor(std::string_view wtf8)
{
    std::string out;
    out.reserve(wtf8.size());
    bool lineStart = true;
    for (std::size_t at = 0; at < wtf8.size();) {
        if (lineStart) {
            const std::string_view line = wtf8.substr(at, 32);
            const std::size_t width = lineNumberWidth(line);
            out.append(line.substr(0, width));
            at += width;
            lineStart = false;
            continue;
        }
        const char32_t c = text::next(wtf8, at);
        text::append(out, filler(c));
        lineStart = c == U'\n';
    }
    return out;
}

std::string fillerBytes(std::string_view bytes)
{
    std::string out;
    std::string block = sha256Hex(bytes);
    while (out.size() < bytes.size()) {
        block = sha256Hex(block);
        out += block;
    }
    out.resize(bytes.size());
    return out;
}

void Scrubber::addPath(const std::string &path)
{
    if (m_paths.contains(path))
        return;
    std::string other = path;
    if (std::ranges::none_of(
            offloadFolders, [&](std::string_view folder) { return path.find(folder) != std::string::npos; })) {
        other = fillerFor(path);
        // Two paths stay two: count in the letters from the end on.
        for (std::size_t number = 0; m_takenPaths.contains(other); ++number) {
            other = fillerFor(path);
            std::size_t left = number;
            for (std::size_t i = other.size(); i-- > 0 && (left > 0 || i + 1 == other.size());)
                if (other[i] == 'x' || other[i] == 'X' || other[i] == '0') {
                    other[i] = static_cast<char>('a' + left % 26);
                    left /= 26;
                }
            if (number > 100'000)
                break;
        }
    }
    m_takenPaths.insert(other);
    m_paths.emplace(path, std::move(other));
}

void Scrubber::addMedium(const std::string &bytes)
{
    const std::string before = sha256Hex(bytes);
    const std::string after = sha256Hex(fillerBytes(bytes));
    m_digests.emplace(before.substr(0, mediaName), after.substr(0, mediaName));
    m_digests.emplace(before, after);
}

void Scrubber::look(const Value &value)
{
    lookAt({}, value);
}

void Scrubber::lookAt(std::string_view key, const Value &value)
{
    if (value.isText()) {
        const std::string &whole = value.asText();
        if (isIn(namingMembers, key) && whole.size() >= 2)
            m_names.insert(whole);
        else if (const std::optional<std::string> bytes = mediumBytes(whole))
            addMedium(*bytes);
    } else if (value.isBytes()) {
        addMedium(value.asBytes());
    } else if (value.isList()) {
        for (const Value &item : value.asList())
            lookAt(key, item);
    } else if (value.isMap()) {
        for (const auto &[name, item] : value.asMap()) {
            if (key == "files" && name.isText())
                addPath(name.asText());
            lookAt(name.asText(), item);
        }
    } else if (const Value::Tagged *tagged = value.asTagged()) {
        lookAt(key, tagged->value);
    }
}

void Scrubber::lookAtFile(const std::string &path, const std::string &bytes)
{
    addPath(path);
    if (!text::isValid(bytes))
        addMedium(bytes);
}

std::string Scrubber::scrubbedPath(const std::string &path) const
{
    const auto known = m_paths.find(path);
    return withDigests(known == m_paths.end() ? fillerFor(path) : known->second);
}

std::string Scrubber::withDigests(std::string text) const
{
    // Whole ones first: the name of a medium is the beginning of its digest.
    for (const bool whole : {true, false})
        for (const auto &[before, after] : m_digests)
            if (const std::size_t at = (before.size() > mediaName) == whole ? text.find(before) : std::string::npos;
                at != std::string::npos)
                text.replace(at, before.size(), after);
    return text;
}

std::string Scrubber::scrubbedMedium(const std::string &text) const
{
    const std::size_t payload = dataUrlPayload(text).value_or(0);
    return text.substr(0, payload) + base64::encode(fillerBytes(*mediumBytes(text)));
}

std::string Scrubber::scrubbedText(std::string_view wtf8) const
{
    if (const auto path = m_paths.find(wtf8); path != m_paths.end())
        return scrubbedPath(path->first);
    // Stretches that stay, in order; what lies between them is filled.
    std::vector<std::pair<std::size_t, std::size_t>> kept;
    for (const std::string_view frame : frames)
        for (std::size_t at = wtf8.find(frame); at != std::string_view::npos; at = wtf8.find(frame, at + frame.size()))
            kept.emplace_back(at, at + frame.size());
    for (const std::string_view folder : offloadFolders)
        for (std::size_t at = wtf8.find(folder); at != std::string_view::npos; at = wtf8.find(folder, at + 1))
            kept.emplace_back(at, pathEnd(wtf8, at));
    for (std::size_t at = 0; at < wtf8.size();) {
        if (!isWord(wtf8[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < wtf8.size() && isWord(wtf8[end]))
            ++end;
        // An id is a word that nobody would say: short plain words are not taken for one.
        const std::string_view word = wtf8.substr(at, end - at);
        if ((word.find_first_of("0123456789_") != std::string_view::npos && m_names.contains(word))
            || m_digests.contains(word))
            kept.emplace_back(at, end);
        at = end;
    }
    std::ranges::sort(kept);
    std::string out;
    std::size_t from = 0;
    const std::string whole = fillerFor(wtf8);
    if (kept.empty())
        return whole;
    for (const auto &[begin, end] : kept) {
        if (end <= from)
            continue;
        const std::size_t first = std::max(begin, from);
        out += fillerFor(wtf8.substr(from, first - from));
        out += withDigests(std::string(wtf8.substr(first, end - first)));
        from = end;
    }
    return out + fillerFor(wtf8.substr(from));
}

Value Scrubber::scrubbed(const Value &value) const
{
    return scrubbedAt({}, value);
}

Value Scrubber::scrubbedAt(std::string_view key, const Value &value) const
{
    switch (value.kind()) {
    case Value::Kind::Text:
        if (isIn(keptMembers, key))
            return value;
        return Value(mediumBytes(value.asText()) ? scrubbedMedium(value.asText()) : scrubbedText(value.asText()));
    case Value::Kind::Bytes:
        return Value::bytes(fillerBytes(value.asBytes()));
    case Value::Kind::List: {
        Value::List list;
        list.reserve(value.asList().size());
        for (const Value &item : value.asList())
            list.push_back(scrubbedAt(key, item));
        return Value(std::move(list));
    }
    case Value::Kind::Map: {
        Value::Map map;
        map.reserve(value.asMap().size());
        for (const auto &[name, item] : value.asMap()) {
            const bool isPath = key == "files" && name.isText();
            map.emplace_back(isPath ? Value(scrubbedPath(name.asText())) : name, scrubbedAt(name.asText(), item));
        }
        return Value(std::move(map));
    }
    case Value::Kind::Tagged: {
        Value::Tagged tagged = *value.asTagged();
        // Dates, ids and the like, stored as a call with one text.
        if (tagged.value.isText() || tagged.form == Value::Form::Numpy)
            return value;
        tagged.value = scrubbedAt(key, tagged.value);
        return Value(std::move(tagged));
    }
    case Value::Kind::Nil:
    case Value::Kind::Bool:
    case Value::Kind::Int:
    case Value::Kind::BigInt:
    case Value::Kind::Float:
        break;
    }
    return value;
}

std::string Scrubber::scrubbedFile(const std::string &bytes) const
{
    return text::isValid(bytes) ? scrubbedText(bytes) : fillerBytes(bytes);
}

} // namespace palimpsest
