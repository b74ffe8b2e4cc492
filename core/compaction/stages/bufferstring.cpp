// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/bufferstring.h"

#include "core/base/text.h"
#include "core/values/pyjson.h"
#include "core/values/pyrepr.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace palimpsest {
namespace {

/// What an escape has more than its character.
std::size_t escapeCost(char c)
{
    static constexpr auto costs = [] {
        std::array<std::uint8_t, 256> table{};
        table['&'] = 4;
        table['<'] = table['>'] = 3;
        return table;
    }();
    return costs[static_cast<unsigned char>(c)];
}

bool isPlain(std::string_view text)
{
    return text.find('&') == std::string_view::npos && text.find('<') == std::string_view::npos
        && text.find('>') == std::string_view::npos;
}

/// xml.sax.saxutils.escape: & < > only.
void appendXmlEscaped(std::string &out, std::string_view text)
{
    // Looking for one character at a time is what the C library is fastest at, and most texts have none of them.
    if (isPlain(text)) {
        out += text;
        return;
    }
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (escapeCost(text[at]) == 0)
            continue;
        out.append(text, done, at - done);
        out += text[at] == '&' ? "&amp;" : text[at] == '<' ? "&lt;" : "&gt;";
        done = at + 1;
    }
    out.append(text, done);
}

/// xml.sax.saxutils.quoteattr.
void appendXmlAttribute(std::string &out, std::string_view text)
{
    const bool doubles = text.find('"') != std::string_view::npos;
    const bool singles = text.find('\'') != std::string_view::npos;
    const char quote = doubles && !singles ? '\'' : '"';
    out += quote;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '\n':
            out += "&#10;";
            break;
        case '\r':
            out += "&#13;";
            break;
        case '\t':
            out += "&#9;";
            break;
        case '"':
            if (quote == '"') {
                out += "&quot;";
                break;
            }
            [[fallthrough]];
        default:
            out += c;
        }
    }
    out += quote;
}

/// Writes the XML, or only counts its code points. The walk over a message is the same.
struct XmlText {
    std::string &out;
    void raw(std::string_view text) { out += text; }
    void escaped(std::string_view text) { appendXmlEscaped(out, text); }
    void attribute(std::string_view text) { appendXmlAttribute(out, text); }
    [[nodiscard]] std::size_t mark() const { return out.size(); }
    void backTo(std::size_t mark) { out.resize(mark); }
};

struct XmlLength {
    std::size_t n = 0;
    void raw(std::string_view text) { n += text::length(text); }
    void escaped(std::string_view text)
    {
        n += text::length(text);
        if (isPlain(text))
            return;
        for (const char c : text)
            n += escapeCost(c);
    }
    void attribute(std::string_view text)
    {
        std::string quoted;
        appendXmlAttribute(quoted, text);
        n += text::length(quoted);
    }
    [[nodiscard]] std::size_t mark() const { return n; }
    void backTo(std::size_t mark) { n = mark; }
};

constexpr std::size_t blockLimit = 500; ///< `_XML_CONTENT_BLOCK_MAX_LEN`
constexpr std::size_t idLimit = 64; ///< `_TOOL_CALL_ID_DISPLAY_LIMIT`

/// json.dumps(value, ensure_ascii=False); what Python would refuse as its repr.
std::string json(const Value *value)
{
    if (!value)
        return "{}";
    PyJsonOptions options;
    options.ensureAscii = false;
    Result<std::string> text = pyjson(*value, options);
    return text ? std::move(*text) : pyrepr(*value);
}

/// str(value or "")
std::string strOrEmpty(const Value &value)
{
    return value.truthy() ? pystr(value) : std::string();
}

template <class Out> void appendShortened(Out &out, std::string_view text, std::size_t limit)
{
    if (text.size() <= limit || text::length(text) <= limit) {
        out.escaped(text);
    } else {
        out.escaped(text::head(text, limit));
        out.raw("...");
    }
}

bool isDataUrl(const Value &url)
{
    return url.isText() && url.asText().starts_with("data:");
}

bool hasBase64Data(const Value &block)
{
    return block["base64"].truthy() || isDataUrl(block["url"]) || isDataUrl(block["image_url"]["url"]);
}

/// An image, audio or video block: by its address, else by the provider's file id.
template <class Out> bool appendMedia(Out &out, std::string_view tag, const Value &block)
{
    const Value &url = block["url"];
    const Value &fileId = block["file_id"];
    if (!url.truthy() && !fileId.truthy())
        return false;
    out.raw("<");
    out.raw(tag);
    out.raw(url.truthy() ? " url=" : " file_id=");
    out.attribute(pystr(url.truthy() ? url : fileId));
    out.raw(" />");
    return true;
}

template <class Out> bool appendServerToolCall(Out &out, const Value &block)
{
    out.raw("<server_tool_call id=");
    out.attribute(strOrEmpty(block["id"]));
    out.raw(" name=");
    out.attribute(strOrEmpty(block["name"]));
    out.raw(">");
    const Value *args = block.find("args");
    appendShortened(out, json(args), blockLimit);
    out.raw("</server_tool_call>");
    return true;
}

template <class Out> bool appendServerToolResult(Out &out, const Value &block)
{
    out.raw("<server_tool_result tool_call_id=");
    out.attribute(strOrEmpty(block["tool_call_id"]));
    out.raw(" status=");
    out.attribute(strOrEmpty(block["status"]));
    out.raw(">");
    if (block["output"].truthy())
        appendShortened(out, json(block.find("output")), blockLimit);
    out.raw("</server_tool_result>");
    return true;
}

/// `_format_content_block_xml`; false when the block is left out.
template <class Out> bool appendBlock(Out &out, const Value &block)
{
    const std::string &type = block["type"].asText();
    if (hasBase64Data(block))
        return false;
    if (type == "text") {
        out.escaped(block["text"].asText());
        return !block["text"].asText().empty();
    }
    if (type == "reasoning") {
        const std::string &reasoning = block["reasoning"].asText();
        if (reasoning.empty())
            return false;
        out.raw("<reasoning>");
        out.escaped(reasoning);
        out.raw("</reasoning>");
        return true;
    }
    if (type == "image" || type == "audio" || type == "video")
        return appendMedia(out, type, block);
    if (type == "image_url") {
        const Value &url = block["image_url"]["url"];
        if (!url.truthy())
            return false;
        out.raw("<image url=");
        out.attribute(pystr(url));
        out.raw(" />");
        return true;
    }
    if (type == "text-plain") {
        appendShortened(out, block["text"].asText(), blockLimit);
        return !block["text"].asText().empty();
    }
    if (type == "server_tool_call")
        return appendServerToolCall(out, block);
    if (type == "server_tool_result")
        return appendServerToolResult(out, block);
    return false;
}

/// Content parts joined by one blank; false when there is none.
template <class Out> bool appendContent(Out &out, const Value &content)
{
    if (content.isText()) {
        out.escaped(content.asText());
        return !content.asText().empty();
    }
    bool any = false;
    for (const Value &block : content.asList()) {
        const std::size_t before = out.mark();
        if (any)
            out.raw(" ");
        bool written = false;
        if (block.isText()) {
            out.escaped(block.asText());
            written = !block.asText().empty();
        } else {
            written = appendBlock(out, block);
        }
        if (written)
            any = true;
        else
            out.backTo(before);
    }
    return any;
}

template <class Out> void appendToolCalls(Out &out, const Message &message)
{
    for (const Value &call : message.toolCalls.asList()) {
        out.raw("\n  <tool_call id=");
        std::string id = strOrEmpty(call["id"]);
        if (id.size() > idLimit && text::length(id) > idLimit)
            id = std::string(text::head(id, idLimit)) + "...";
        out.attribute(id);
        out.raw(" name=");
        out.attribute(strOrEmpty(call["name"]));
        out.raw(">");
        const Value *args = call.find("args");
        out.escaped(json(args));
        out.raw("</tool_call>");
    }
}

template <class Out> void appendFunctionCall(Out &out, const Value &call)
{
    out.raw("\n  <function_call name=");
    out.attribute(strOrEmpty(call["name"]));
    out.raw(">");
    out.escaped(call["arguments"].truthy() ? pystr(call["arguments"]) : std::string("{}"));
    out.raw("</function_call>");
}

std::string roleOf(const Message &message)
{
    return message.kind == MessageKind::Chat ? message.extra["role"].asText() : std::string(typeName(message.kind));
}

/// str() of a message that has no other members.
std::string shown(const Message &message)
{
    std::string words = "content=" + pyrepr(message.content) + " additional_kwargs=" + pyrepr(message.additionalKwargs)
        + " response_metadata=" + pyrepr(message.responseMetadata);
    if (message.id)
        words += " id=" + pyrepr(Value(*message.id));
    return words;
}

bool isTaken(MessageKind kind)
{
    return kind != MessageKind::Remove && kind != MessageKind::Other;
}

template <class Out> void appendMessage(Out &out, const Message &message)
{
    out.raw("<message type=");
    out.attribute(roleOf(message));
    out.raw(">");
    const bool ai = message.kind == MessageKind::Ai;
    const bool hasCalls = ai && message.toolCalls.truthy();
    const Value *function = ai && !hasCalls ? message.additionalKwargs.find("function_call") : nullptr;
    if (hasCalls || function) {
        const std::size_t before = out.mark();
        out.raw("\n  <content>");
        if (appendContent(out, message.content))
            out.raw("</content>");
        else
            out.backTo(before);
        if (hasCalls)
            appendToolCalls(out, message);
        else
            appendFunctionCall(out, *function);
        out.raw("\n");
    } else {
        appendContent(out, message.content);
    }
    out.raw("</message>");
}

} // namespace

Attempt<std::string> bufferStringXml(const std::vector<MessagePtr> &messages)
{
    constexpr std::size_t around = 128; ///< bytes of a message beside its text, about
    std::size_t expected = 0;
    for (const MessagePtr &message : messages)
        expected += message->content.asText().size() + around;
    std::string text;
    text.reserve(expected);
    XmlText out{text};
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message &message = *messages[i];
        if (!isTaken(message.kind))
            return raised("ValueError", "Got unsupported message type: " + shown(message));
        if (i > 0)
            out.raw("\n");
        appendMessage(out, message);
    }
    return text;
}

std::int64_t xmlLength(const Message &message)
{
    XmlLength out;
    if (isTaken(message.kind))
        appendMessage(out, message);
    return static_cast<std::int64_t>(out.n);
}

bool promptShowsOwnXml(const Message &message)
{
    return isTaken(message.kind)
        && std::all_of(message.content.asList().begin(), message.content.asList().end(), [](const Value &block) {
               static constexpr std::array<std::string_view, 4> plain{"text", "thinking", "reasoning", "tool_use"};
               return !block.isMap() || std::find(plain.begin(), plain.end(), block["type"].asText()) != plain.end();
           });
}

} // namespace palimpsest
