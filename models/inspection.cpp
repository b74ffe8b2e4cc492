// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inspection.h"

#include "models/display.h"

#include <array>
#include <cctype>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

using Kind = InspectionSection::Kind;

constexpr std::array pathArguments{"file_path", "path", "filename", "file", "target_file"};
constexpr std::array bodyArguments{"content", "new_string", "old_string", "new_str", "old_str", "file_text", "text",
    "code", "contents", "insert_text"};
constexpr std::array shellArguments{"command", "cmd", "script"};

template <std::size_t N> bool isOneOf(std::string_view word, const std::array<const char *, N> &words)
{
    for (const char *candidate : words)
        if (word == candidate)
            return true;
    return false;
}

bool looksLikeJson(std::string_view body)
{
    std::size_t begin = 0;
    while (begin < body.size() && std::isspace(static_cast<unsigned char>(body[begin])))
        ++begin;
    std::size_t end = body.size();
    while (end > begin && std::isspace(static_cast<unsigned char>(body[end - 1])))
        --end;
    if (end - begin < 2)
        return false;
    return (body[begin] == '{' && body[end - 1] == '}') || (body[begin] == '[' && body[end - 1] == ']');
}

QString roleName(const Message &message)
{
    if (isSummary(message))
        return u"Summary"_s;
    switch (message.kind) {
    case MessageKind::Human:
        return u"Human message"_s;
    case MessageKind::Ai:
        return u"AI message"_s;
    case MessageKind::Tool:
        return u"Tool result"_s;
    case MessageKind::System:
        return u"System message"_s;
    case MessageKind::Remove:
        return u"Removal"_s;
    case MessageKind::Function:
        return u"Function result"_s;
    case MessageKind::Chat:
    case MessageKind::Other:
        break;
    }
    return u"Message of type “%1”"_s.arg(toQString(message.type));
}

InspectionSection code(QString title, QString text, QString syntax, QString fileName = {})
{
    InspectionSection section;
    section.kind = Kind::Code;
    section.title = std::move(title);
    section.text = std::move(text);
    section.syntax = std::move(syntax);
    section.fileName = std::move(fileName);
    return section;
}

InspectionSection json(QString title, const Value &value)
{
    return code(std::move(title), toQString(prettyJson(value)), u"JSON"_s);
}

InspectionSection prose(QString title, std::string_view body, bool markdown)
{
    if (looksLikeJson(body))
        return code(std::move(title), toQString(body), u"JSON"_s);
    InspectionSection section;
    section.title = std::move(title);
    section.text = toQString(body);
    if (markdown)
        section.syntax = u"Markdown"_s;
    return section;
}

InspectionSection facts(QString title, QList<std::pair<QString, QString>> values)
{
    InspectionSection section;
    section.kind = Kind::Facts;
    section.title = std::move(title);
    section.facts = std::move(values);
    return section;
}

InspectionSection note(QString text)
{
    InspectionSection section;
    section.kind = Kind::Note;
    section.text = std::move(text);
    return section;
}

/// What a media block points at, as text: nothing is ever fetched.
QString mediaWords(const Value &block)
{
    const Value *source = block.find("image_url");
    const std::string &url =
        source ? (source->isMap() ? (*source)["url"].asText() : source->asText()) : block["url"].asText();
    if (!url.empty())
        return url.starts_with("data:") ? u"inline data, %1"_s.arg(sizeText(static_cast<std::int64_t>(url.size())))
                                        : u"points to %1 (not fetched)"_s.arg(toQString(url.substr(0, 300)));
    const Value *data = block.find("base64");
    if (!data)
        data = block.find("data");
    if (data && data->isText())
        return u"inline, %1 of base64"_s.arg(sizeText(static_cast<std::int64_t>(data->asText().size())));
    if (const Value *file = block.find("file_id"))
        return u"provider file %1 (not fetched)"_s.arg(toQString(file->asText()));
    return {};
}

/// A block as JSON with long base64 cut: the picture itself is in the media pane.
InspectionSection blockSection(const Value &block, int place, bool markdown)
{
    const std::string &type = block["type"].asText();
    const QString title = u"Block %1 · %2"_s.arg(place).arg(type.empty() ? u"text"_s : toQString(type));
    if (block.isText())
        return prose(u"Block %1 · text"_s.arg(place), block.asText(), markdown);
    for (const char *member : {"text", "thinking", "reasoning"})
        if (const Value *body = block.find(member); body && body->isText() && type == member)
            return prose(title, body->asText(), markdown);
    if (const QString words = mediaWords(block); !words.isEmpty()) {
        InspectionSection section = code(title, toQString(prettyJson(block, 2000)), u"JSON"_s);
        section.facts = {{u"media"_s, words}};
        if (const std::string &mime = block["mime_type"].asText(); !mime.empty())
            section.facts.append({u"type"_s, toQString(mime)});
        return section;
    }
    return json(title, block);
}

void addContent(Inspection &inspection, const Message &message, const ToolCallView *answering)
{
    const bool markdown = message.kind != MessageKind::Tool;
    if (message.content.isText()) {
        const std::string &body = message.content.asText();
        if (body.empty()) {
            if (toolCalls(message).empty())
                inspection.sections.append(note(u"The content is empty."_s));
            return;
        }
        InspectionSection section = prose(u"Content"_s, body, markdown);
        if (answering && answering->args && section.syntax.isEmpty()) {
            section.fileName = fileNameForArgument(answering->name, *answering->args, "content");
            if (!section.fileName.isEmpty())
                section.kind = Kind::Code;
        }
        inspection.sections.append(section);
    } else if (message.content.isList()) {
        int place = 0;
        for (const Value &block : message.content.asList())
            inspection.sections.append(blockSection(block, place++, markdown));
        if (place == 0)
            inspection.sections.append(note(u"The content is an empty list."_s));
    } else {
        inspection.sections.append(json(u"Content"_s, message.content));
    }
}

void addToolCall(Inspection &inspection, const ToolCallView &call)
{
    const QString name = toQString(call.name);
    InspectionSection head = facts(u"Calls %1"_s.arg(name), {{u"id"_s, call.hasId ? toQString(call.id) : u"none"_s}});
    QList<InspectionSection> bodies;
    if (call.args->isMap()) {
        for (const auto &[key, value] : call.args->asMap()) {
            const std::string_view argument = key.asText();
            const QString label = key.isText() ? toQString(argument) : summaryOf(key);
            if (value.isText()
                && (value.asText().find('\n') != std::string::npos || value.asText().size() > 100
                    || isOneOf(argument, bodyArguments) || isOneOf(argument, shellArguments))) {
                InspectionSection body = code(u"%1 · %2"_s.arg(name, label), toQString(value.asText()), {});
                body.fileName = fileNameForArgument(call.name, *call.args, argument);
                if (isOneOf(argument, shellArguments))
                    body.syntax = u"Bash"_s;
                else if (body.fileName.isEmpty())
                    body.syntax = looksLikeJson(value.asText()) ? u"JSON"_s : u"Markdown"_s;
                bodies.append(body);
            } else if (value.isList() || (value.isMap() && !value.asMap().empty()) || value.isTagged()) {
                bodies.append(json(u"%1 · %2"_s.arg(name, label), value));
            } else {
                head.facts.append({label, value.isText() ? toQString(value.asText()) : summaryOf(value)});
            }
        }
    } else {
        bodies.append(json(u"%1 · arguments"_s.arg(name), *call.args));
    }
    inspection.sections.append(head);
    inspection.sections.append(bodies);
}

void addUsage(Inspection &inspection, const Value &usage)
{
    if (!usage.isMap() || usage.asMap().empty())
        return;
    QList<std::pair<QString, QString>> values;
    for (const auto &[key, value] : usage.asMap()) {
        if (value.isMap()) {
            for (const auto &[inner, number] : value.asMap())
                values.append(
                    {summaryOf(key).remove(u'"') + u" · "_s + summaryOf(inner).remove(u'"'), summaryOf(number)});
        } else {
            values.append({summaryOf(key).remove(u'"'), summaryOf(value)});
        }
    }
    inspection.sections.append(facts(u"Usage as reported"_s, values));
}

bool isFilled(const Value &value)
{
    return !value.isNil() && !(value.isMap() && value.asMap().empty()) && !(value.isList() && value.asList().empty());
}

QString eventWords(const SummarizationEvent &event)
{
    return u"keeps from raw message %1 on"_s.arg(event.cutoffIndex);
}

} // namespace

QString fileNameForArgument(std::string_view tool, const Value &args, std::string_view argument)
{
    if (!isOneOf(argument, bodyArguments))
        return {};
    for (const char *member : pathArguments)
        if (const Value *path = args.find(member); path && path->isText())
            return toQString(path->asText()).section(u'/', -1);
    return tool.find("python") != std::string_view::npos ? u"code.py"_s : QString();
}

Inspection inspectMessage(const Message &message, const ToolCallView *answering)
{
    Inspection inspection;
    inspection.subject = Inspection::Subject::Message;
    inspection.kind = message.kind;
    inspection.isSummary = isSummary(message);
    inspection.title = roleName(message);
    if (message.name && !message.name->empty())
        inspection.title += u" · "_s + toQString(*message.name);
    else if (answering && !answering->name.empty())
        inspection.title += u" · "_s + toQString(answering->name);
    inspection.subtitle = message.id ? toQString(*message.id) : u"without an id"_s;
    if (message.kind == MessageKind::Tool) {
        QList<std::pair<QString, QString>> values{{u"answers call"_s, toQString(message.toolCallId.value_or("none"))}};
        if (!message.status.empty())
            values.append({u"status"_s, toQString(message.status)});
        inspection.sections.append(facts({}, values));
    }
    addContent(inspection, message, answering);
    for (const ToolCallView &call : toolCalls(message))
        addToolCall(inspection, call);
    if (isFilled(message.invalidToolCalls))
        inspection.sections.append(
            json(u"Tool calls that could not be read by the model's client"_s, message.invalidToolCalls));
    addUsage(inspection, message.usageMetadata);
    if (isFilled(message.artifact))
        inspection.sections.append(json(u"Artifact"_s, message.artifact));
    if (isFilled(message.responseMetadata))
        inspection.sections.append(json(u"Response metadata"_s, message.responseMetadata));
    if (isFilled(message.additionalKwargs))
        inspection.sections.append(json(u"Additional arguments"_s, message.additionalKwargs));
    if (isFilled(message.extra))
        inspection.sections.append(json(u"Members this program does not know"_s, message.extra));
    inspection.stored = toQString(prettyJson(messageToValue(message)));
    inspection.plain = toQString(textOf(message));
    return inspection;
}

Inspection inspectFile(const std::string &path, const FileEntry &file)
{
    Inspection inspection;
    inspection.subject = Inspection::Subject::File;
    inspection.title = toQString(path).section(u'/', -1);
    inspection.subtitle = toQString(path);
    std::string body;
    if (file.content.isList()) {
        for (const Value &line : file.content.asList())
            body += (body.empty() ? "" : "\n") + line.asText();
    } else {
        body = file.content.isBytes() ? file.content.asBytes() : file.content.asText();
    }
    QList<std::pair<QString, QString>> values{
        {u"size"_s, sizeText(static_cast<std::int64_t>(body.size()))}, {u"encoding"_s, toQString(file.encoding)}};
    if (!file.createdAt.empty())
        values.append({u"created"_s, toQString(file.createdAt)});
    if (!file.modifiedAt.empty())
        values.append({u"modified"_s, toQString(file.modifiedAt)});
    inspection.sections.append(facts({}, values));
    if (file.encoding == "base64")
        inspection.sections.append(code(u"Content, base64"_s, toQString(body.substr(0, 4000)), {}));
    else if (file.content.isBytes())
        inspection.sections.append(code(u"Content, bytes"_s, hexText(body, 1024), {}));
    else
        inspection.sections.append(code(u"Content"_s, toQString(body), {}, inspection.title));
    inspection.stored = toQString(prettyJson(file.raw));
    inspection.plain = toQString(body);
    return inspection;
}

Inspection inspectEvent(const SummarizationEvent &event, int number)
{
    Inspection inspection;
    inspection.subject = Inspection::Subject::Event;
    inspection.title = u"Event %1"_s.arg(number);
    inspection.subtitle = eventWords(event);
    QList<std::pair<QString, QString>> values{{u"cutoff index"_s, QString::number(event.cutoffIndex)},
        {u"archive"_s, event.filePath ? toQString(*event.filePath) : u"none was written"_s}};
    if (event.createdAtIndex)
        values.append({u"log length when made"_s, QString::number(*event.createdAtIndex)});
    inspection.sections.append(facts({}, values));
    if (event.malformed)
        inspection.sections.append(note(u"The stored event is not well-formed; it is shown as stored."_s));
    if (event.summaryMessage) {
        inspection.sections.append(prose(u"Summary"_s, textOf(*event.summaryMessage), true));
        inspection.plain = toQString(textOf(*event.summaryMessage));
    } else {
        inspection.sections.append(note(u"The event holds no summary message that can be read."_s));
    }
    inspection.stored = toQString(prettyJson(event.raw));
    return inspection;
}

Inspection inspectCheckpoint(const Checkpoint &checkpoint)
{
    Inspection inspection;
    inspection.subject = Inspection::Subject::Checkpoint;
    inspection.title = u"Checkpoint · step %1"_s.arg(checkpoint.step);
    inspection.subtitle = toQString(checkpoint.id);
    QList<std::pair<QString, QString>> values{{u"source"_s, toQString(checkpoint.source)},
        {u"created"_s, toQString(checkpoint.createdAt)}, {u"parent"_s, toQString(checkpoint.parentId.value_or("none"))},
        {u"children"_s, QString::number(checkpoint.children.size())},
        {u"messages"_s, QString::number(checkpoint.messages.size())},
        {u"files"_s, QString::number(checkpoint.files.size())}};
    if (checkpoint.sessionId)
        values.append({u"session"_s, toQString(*checkpoint.sessionId)});
    if (checkpoint.event)
        values.append({u"event"_s, eventWords(*checkpoint.event)});
    inspection.sections.append(facts({}, values));
    if (checkpoint.incomplete)
        inspection.sections.append(
            note(u"This state cannot be known in full: rows that it needs are missing or unreadable."_s));
    for (const Waiting &waiting : checkpoint.waiting)
        inspection.sections.append(
            json(waiting.kind == Waiting::Kind::Error ? u"Waits with an error"_s : u"Waits with an interrupt"_s,
                waiting.value));
    for (const Finding &finding : checkpoint.findings)
        inspection.sections.append(note(toQString(finding.rule) + u": "_s + toQString(finding.message)));
    inspection.sections.append(json(u"Metadata"_s, checkpoint.metadata));
    inspection.stored = toQString(prettyJson(checkpoint.metadata));
    inspection.plain = inspection.subtitle;
    return inspection;
}

Inspection inspectCall(const Call &call)
{
    Inspection inspection;
    inspection.subject = Inspection::Subject::Call;
    inspection.title = u"Call %1"_s.arg(call.number.value);
    inspection.subtitle = u"task %1"_s.arg(toQString(call.taskId));
    QList<std::pair<QString, QString>> values{{u"step"_s, QString::number(call.step)},
        {u"how it is known"_s, toQString(certaintyName(call.certainty))},
        {u"messages in the log"_s, QString::number(call.log.size())}};
    if (!call.node.empty())
        values.append({u"node"_s, toQString(call.node)});
    if (!call.model.empty())
        values.append({u"model"_s, toQString(call.model)});
    if (!call.provider.empty())
        values.append({u"provider"_s, toQString(call.provider)});
    if (call.event)
        values.append({u"event"_s, eventWords(*call.event)});
    inspection.sections.append(facts({}, values));
    if (call.outcome == Call::Outcome::Error)
        inspection.sections.append(code(u"The call failed"_s, toQString(call.error), {}));
    addUsage(inspection, call.usage);
    for (const MessagePtr &answer : call.answers) {
        const Inspection inner = inspectMessage(*answer);
        for (InspectionSection section : inner.sections) {
            if (section.title == u"Content"_s)
                section.title = u"Answer"_s;
            if (section.title != u"Usage as reported"_s)
                inspection.sections.append(section);
        }
        inspection.stored += inner.stored + u'\n';
        inspection.plain += inner.plain;
    }
    if (call.answers.empty())
        inspection.sections.append(note(u"The recording holds no answer to this call."_s));
    return inspection;
}

} // namespace palimpsest
