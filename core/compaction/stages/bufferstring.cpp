// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/bufferstring.h"

#include "core/base/text.h"
#include "core/values/pyjson.h"
#include "core/values/pyrepr.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

constexpr std::size_t blockLimit = 500; ///< `_XML_CONTENT_BLOCK_MAX_LEN`
constexpr std::size_t idLimit = 64; ///< `_TOOL_CALL_ID_DISPLAY_LIMIT`

/// json.dumps(value, ensure_ascii=False); what Python would refuse as its repr.
std::string json(const Value *value)
{
    if (!value)
        return "{}";
    PyJsonOptions options;
    options.ensureAscii = false;
    return pyjson(*value, options).value_or(pyrepr(*value));
}

/// str(value or "")
std::string strOrEmpty(const Value &value)
{
    return value.truthy() ? pystr(value) : std::string();
}

void appendShortened(std::string &out, std::string_view text, std::size_t limit)
{
    if (text.size() <= limit || text::length(text) <= limit) {
        appendXmlEscaped(out, text);
    } else {
        appendXmlEscaped(out, text::head(text, limit));
        out += "...";
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
bool appendMedia(std::string &out, std::string_view tag, const Value &block)
{
    const Value &url = block["url"];
    const Value &fileId = block["file_id"];
    if (!url.truthy() && !fileId.truthy())
        return false;
    out += "<";
    out += tag;
    out += url.truthy() ? " url=" : " file_id=";
    appendXmlAttribute(out, pystr(url.truthy() ? url : fileId));
    out += " />";
    return true;
}

bool appendServerToolCall(std::string &out, const Value &block)
{
    out += "<server_tool_call id=";
    appendXmlAttribute(out, strOrEmpty(block["id"]));
    out += " name=";
    appendXmlAttribute(out, strOrEmpty(block["name"]));
    out += ">";
    const Value *args = block.find("args");
    appendShortened(out, json(args), blockLimit);
    out += "</server_tool_call>";
    return true;
}

bool appendServerToolResult(std::string &out, const Value &block)
{
    out += "<server_tool_result tool_call_id=";
    appendXmlAttribute(out, strOrEmpty(block["tool_call_id"]));
    out += " status=";
    appendXmlAttribute(out, strOrEmpty(block["status"]));
    out += ">";
    if (block["output"].truthy())
        appendShortened(out, json(block.find("output")), blockLimit);
    out += "</server_tool_result>";
    return true;
}

/// `_format_content_block_xml`; false when the block is left out.
bool appendBlock(std::string &out, const Value &block)
{
    const std::string &type = block["type"].asText();
    if (hasBase64Data(block))
        return false;
    if (type == "text") {
        appendXmlEscaped(out, block["text"].asText());
        return !block["text"].asText().empty();
    }
    if (type == "reasoning") {
        const std::string &reasoning = block["reasoning"].asText();
        if (reasoning.empty())
            return false;
        out += "<reasoning>";
        appendXmlEscaped(out, reasoning);
        out += "</reasoning>";
        return true;
    }
    if (type == "image" || type == "audio" || type == "video")
        return appendMedia(out, type, block);
    if (type == "image_url") {
        const Value &url = block["image_url"]["url"];
        if (!url.truthy())
            return false;
        out += "<image url=";
        appendXmlAttribute(out, pystr(url));
        out += " />";
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
bool appendContent(std::string &out, const Value &content)
{
    if (content.isText()) {
        appendXmlEscaped(out, content.asText());
        return !content.asText().empty();
    }
    bool any = false;
    for (const Value &block : content.asList()) {
        const std::size_t before = out.size();
        if (any)
            out += ' ';
        bool written = false;
        if (block.isText()) {
            appendXmlEscaped(out, block.asText());
            written = !block.asText().empty();
        } else {
            written = appendBlock(out, block);
        }
        if (written)
            any = true;
        else
            out.resize(before);
    }
    return any;
}

void appendToolCalls(std::string &out, const Message &message)
{
    for (const Value &call : message.toolCalls.asList()) {
        out += "\n  <tool_call id=";
        std::string id = strOrEmpty(call["id"]);
        if (id.size() > idLimit && text::length(id) > idLimit)
            id = std::string(text::head(id, idLimit)) + "...";
        appendXmlAttribute(out, id);
        out += " name=";
        appendXmlAttribute(out, strOrEmpty(call["name"]));
        out += ">";
        const Value *args = call.find("args");
        appendXmlEscaped(out, json(args));
        out += "</tool_call>";
    }
}

void appendFunctionCall(std::string &out, const Value &call)
{
    out += "\n  <function_call name=";
    appendXmlAttribute(out, strOrEmpty(call["name"]));
    out += ">";
    appendXmlEscaped(out, call["arguments"].truthy() ? pystr(call["arguments"]) : std::string("{}"));
    out += "</function_call>";
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

} // namespace

void appendXmlEscaped(std::string &out, std::string_view text)
{
    // A table: find_first_of looks at its set for every character, which is most of the time of an archive.
    static constexpr auto escaped = [] {
        std::array<bool, 256> table{};
        for (const char c : {'&', '<', '>'})
            table[static_cast<unsigned char>(c)] = true;
        return table;
    }();
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!escaped[static_cast<unsigned char>(text[at])])
            continue;
        out.append(text, done, at - done);
        out += text[at] == '&' ? "&amp;" : text[at] == '<' ? "&lt;" : "&gt;";
        done = at + 1;
    }
    out.append(text, done);
}

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

namespace {

/// One message; `content` is room for its content, so that it need not be made anew for each.
void appendMessage(std::string &out, std::string &content, const Message &message)
{
    content.clear();
    const bool hasContent = appendContent(content, message.content);
    out += "<message type=";
    appendXmlAttribute(out, roleOf(message));
    out += '>';
    const bool ai = message.kind == MessageKind::Ai;
    const bool hasCalls = ai && message.toolCalls.truthy();
    const Value *function = ai && !hasCalls ? message.additionalKwargs.find("function_call") : nullptr;
    if (hasCalls || function) {
        if (hasContent) {
            out += "\n  <content>";
            out += content;
            out += "</content>";
        }
        if (hasCalls)
            appendToolCalls(out, message);
        else
            appendFunctionCall(out, *function);
        out += '\n';
    } else {
        out += content;
    }
    out += "</message>";
}

} // namespace

Attempt<std::string> bufferStringXml(const std::vector<MessagePtr> &messages)
{
    std::string out;
    std::string content;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message &message = *messages[i];
        if (!isTaken(message.kind))
            return raised("ValueError", "Got unsupported message type: " + shown(message));
        if (i > 0)
            out += '\n';
        appendMessage(out, content, message);
    }
    return out;
}

std::int64_t xmlLength(const Message &message)
{
    std::string out;
    std::string content;
    if (isTaken(message.kind))
        appendMessage(out, content, message);
    return static_cast<std::int64_t>(text::length(out));
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
