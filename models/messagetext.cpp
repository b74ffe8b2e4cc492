// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/messagetext.h"

#include "core/values/json.h"
#include "models/display.h"

#include <QStringList>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t longestPreviewed = 2000; // bytes looked at for a preview

/// Collapses white space; the result is one line.
QString oneLine(std::string_view text, int limit)
{
    // A cut inside a character gives one U+FFFD at the end, which the elision hides.
    return toQString(text.substr(0, longestPreviewed)).simplified().left(limit);
}

QString shortValue(const Value &value, int limit)
{
    switch (value.kind()) {
    case Value::Kind::Text:
        return u'"' + oneLine(value.asText(), limit)
            + (value.asText().size() > std::size_t(limit) ? u"…\""_s : u"\""_s);
    case Value::Kind::Map:
        return u"{…}"_s;
    case Value::Kind::List:
        return u"[%1]"_s.arg(value.asList().size());
    default:
        return oneLine(toJson(value), limit);
    }
}

QString callLine(const ToolCallView &call, int limit)
{
    QStringList arguments;
    int left = limit;
    if (call.args->isMap()) {
        for (const auto &[key, value] : call.args->asMap()) {
            const QString argument = toQString(key.asText()) + u'=' + shortValue(value, std::max(left, 12));
            left -= static_cast<int>(argument.size());
            arguments << argument;
            if (left <= 0)
                break;
        }
    }
    return toQString(call.name) + u'(' + arguments.join(u", "_s) + u')';
}

std::size_t sizeOf(const Value &block)
{
    for (const char *key : {"base64", "data"}) {
        if (block[key].isText())
            return block[key].asText().size() * 3 / 4;
    }
    const std::string &url =
        block["image_url"].isText() ? block["image_url"].asText() : block["image_url"]["url"].asText();
    return url.starts_with("data:") ? url.size() * 3 / 4 : block["source"]["data"].asText().size() * 3 / 4;
}

QString blockLine(const Value &block)
{
    const QString type = toQString(block["type"].asText());
    const std::string &url =
        block["image_url"].isText() ? block["image_url"].asText() : block["image_url"]["url"].asText();
    const std::string &address = !url.empty() && !url.starts_with("data:") ? url : block["url"].asText();
    if (!address.empty())
        return u"[%1 at %2]"_s.arg(type, toQString(address));
    if (block.contains("file_id"))
        return u"[%1, provider file %2]"_s.arg(type, toQString(block["file_id"].asText()));
    if (const std::size_t size = sizeOf(block))
        return u"[%1, %2 kB]"_s.arg(type).arg((size + 1023) / 1024);
    return u"[%1]"_s.arg(type.isEmpty() ? u"block"_s : type);
}

/// Blocks that only repeat what `tool_calls` says.
bool repeatsCall(const Value &block)
{
    return block["type"].asText() == "tool_use" || block["type"].asText() == "tool_call";
}

} // namespace

QString previewOf(const Message &message, int limit)
{
    // What upstream wraps around a summary says the same every time
    // (deepagents/middleware/summarization.py `_build_new_messages_with_path`, 0.7.7).
    if (isSummary(message) && message.content.isText()) {
        const std::string &whole = message.content.asText();
        constexpr std::string_view opening = "<summary>";
        const std::size_t at = whole.find(opening);
        if (at != std::string::npos)
            return oneLine(std::string_view(whole).substr(at + opening.size()), limit)
                .remove(u"</summary>"_s)
                .trimmed();
    }
    QString text;
    if (message.content.isText()) {
        text = oneLine(message.content.asText(), limit);
    } else {
        for (const Value &block : message.content.asList()) {
            if (text.size() >= limit)
                break;
            if (repeatsCall(block))
                continue;
            const QString part = block.isText() ? oneLine(block.asText(), limit)
                : block["text"].isText()        ? oneLine(block["text"].asText(), limit)
                                                : blockLine(block);
            if (!part.isEmpty())
                text += text.isEmpty() ? part : u' ' + part;
        }
    }
    for (const ToolCallView &call : toolCalls(message)) {
        if (text.size() >= limit)
            break;
        text += (text.isEmpty() ? QString() : u" · "_s) + callLine(call, 48);
    }
    return text.left(limit);
}

QString readableText(const Message &message, qsizetype limit, qsizetype *cut)
{
    QString text;
    qsizetype total = 0;
    const auto add = [&](QString part) {
        if (part.isEmpty())
            return;
        total += part.size();
        if (!text.isEmpty())
            part.prepend(u'\n');
        text += part.left(std::max<qsizetype>(limit - text.size(), 0));
    };
    const auto addBytes = [&](const std::string &bytes) {
        // No more than can be shown is converted: a message may hold megabytes.
        const auto most = static_cast<std::size_t>(limit) * 4;
        if (bytes.size() > most)
            total += static_cast<qsizetype>(bytes.size() - most);
        add(toQString(std::string_view(bytes).substr(0, most)));
    };
    if (message.content.isText()) {
        addBytes(message.content.asText());
    } else {
        for (const Value &block : message.content.asList()) {
            if (repeatsCall(block))
                continue;
            if (block.isText())
                addBytes(block.asText());
            else if (block["text"].isText())
                addBytes(block["text"].asText());
            else if (block["reasoning"].isText())
                addBytes("[reasoning] " + block["reasoning"].asText());
            else if (block["thinking"].isText())
                addBytes("[thinking] " + block["thinking"].asText());
            else
                add(blockLine(block));
        }
    }
    for (const ToolCallView &call : toolCalls(message)) {
        add(u"→ "_s + toQString(call.name));
        if (!call.args->isMap())
            continue;
        for (const auto &[key, value] : call.args->asMap()) {
            const std::string shown = value.isText() ? value.asText() : toJson(value);
            add(u"    "_s + toQString(key.asText()) + u": "_s);
            addBytes(shown);
        }
    }
    if (cut)
        *cut = std::max<qsizetype>(total - text.size(), 0);
    return text;
}

QString roleWord(const Message &message)
{
    if (isSummary(message))
        return u"summary"_s;
    return message.kind == MessageKind::Other ? toQString(message.type) : toQString(typeName(message.kind));
}

QString toolNameOf(const Message &message)
{
    return message.kind == MessageKind::Tool && message.name ? toQString(*message.name) : QString();
}

QString messageAsMarkdown(const Message &message)
{
    QString heading = u"### "_s + roleWord(message);
    if (const QString tool = toolNameOf(message); !tool.isEmpty())
        heading += u" · "_s + tool;
    QString body = toQString(textOf(message));
    for (const ToolCallView &call : toolCalls(message))
        body += u"\n\n`%1`\n\n```json\n%2\n```"_s.arg(toQString(call.name), toQString(toJson(*call.args)));
    return heading + u"\n\n"_s + body.trimmed() + u'\n';
}

QString messageAsJson(const Message &message)
{
    return toQString(toJson(messageToValue(message, true)));
}

} // namespace palimpsest
