// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/jsonrows.h"

#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/serde/typed.h"
#include "core/values/json.h"

#include <algorithm>
#include <cstdio>

namespace palimpsest {
namespace {

/// langgraph/_internal/_typing.py and _algo.py: parts joined by ", ", numbers of ten digits, a tuple behind "~".
std::string pathPart(const Value &part)
{
    if (part.isText())
        return part.asText();
    if (part.isBool())
        return part.asBool() ? "True" : "False";
    if (part.isInt()) {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%010lld", static_cast<long long>(part.asInt()));
        return digits;
    }
    if (part.isList()) {
        std::string joined = "~";
        for (std::size_t i = 0; i < part.asList().size(); ++i)
            joined += (i ? ", " : "") + pathPart(part.asList()[i]);
        return joined;
    }
    return {};
}

} // namespace

void JsonRows::find(const char *rule, Finding::Severity severity, std::string message)
{
    const bool known = std::any_of(
        findings.begin(), findings.end(), [&](const Finding &f) { return f.rule == rule && f.message == message; });
    if (known)
        return;
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(message);
    findings.push_back(std::move(finding));
}

HeldRow stateRow(const StateParts &parts)
{
    HeldRow row;
    row.id = parts.id;
    row.parentId = parts.parentId;
    row.type = parts.type;
    row.createdAt = parts.createdAt;
    row.head = "{\"id\":";
    writeJsonText(row.head, parts.id);
    row.head += ",\"ts\":";
    writeJsonText(row.head, parts.createdAt);
    row.head += ",\"channel_values\":";
    row.values = parts.values.empty() ? std::string_view("{}") : parts.values;
    row.tail = ",\"channel_versions\":{}}";
    row.metadata = parts.metadata;
    return row;
}

void addWrite(
    HeldSpace &space, const WriteRow &task, std::string channel, std::string_view value, std::string_view type)
{
    if (value.empty())
        return;
    WriteRow row = task;
    if (channel == "__error__" || channel == "__interrupt__")
        row.idx = channel == "__error__" ? -1 : -3;
    else
        row.idx = static_cast<std::int64_t>(space.writes.size());
    row.channel = std::move(channel);
    row.value = {std::string(type), std::string(value)};
    row.valueSize = static_cast<std::int64_t>(value.size());
    space.writes.push_back(std::move(row));
}

void addUpdate(HeldSpace &space, const WriteRow &task, std::string_view update, std::string_view type)
{
    if (const Result<std::vector<ByteRange>> several = jsonElements(update))
        for (const ByteRange &one : *several)
            addUpdate(space, task, one.of(update), type);
    const Result<std::vector<JsonEntry>> members = jsonEntries(update);
    if (!members)
        return;
    // LangGraph's Command: what it updates is a member.
    const std::string_view inside = jsonFind(update, *members, "update");
    if (!inside.empty() && !jsonFind(update, *members, "goto").empty())
        return addUpdate(space, task, inside, type);
    for (const JsonEntry &member : *members)
        addWrite(space, task, jsonText(member.key.of(update)).value_or(""), member.value.of(update), type);
}

std::string_view jsonTypeOf(std::string_view values)
{
    const std::string_view messages = values.starts_with('[') ? values : jsonFind(values, "messages");
    const std::size_t first = messages.find('{');
    if (first == std::string_view::npos)
        return jsonFlat;
    const auto isEnvelope = [](std::string_view text, std::size_t at) {
        const Result<std::vector<JsonEntry>> members = jsonEntries(text, at);
        return members && !jsonFind(text, *members, "lc").empty();
    };
    if (isEnvelope(messages, first))
        return jsonLangChain;
    // A list of several forms: looked for only where the word is there at all.
    if (messages.find("\"lc\"") == std::string_view::npos)
        return jsonFlat;
    const Result<std::vector<ByteRange>> items = jsonElements(messages);
    const bool any = items && std::any_of(items->begin(), items->end(), [&](const ByteRange &item) {
        return isEnvelope(messages, item.begin);
    });
    return any ? jsonLangChain : jsonFlat;
}

bool isJavaScript(std::string_view values)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(values);
    if (!members)
        return false;
    for (const char *name : {"_summarizationEvent", "_summarizationSessionId", "jumpTo", "structuredResponse"})
        if (!jsonFind(values, *members, name).empty())
            return true;
    const std::string_view messages = jsonFind(values, *members, "messages");
    return messages.substr(0, 200).find("\"langchain_core\"") != std::string_view::npos;
}

std::string taskPathText(std::string_view path)
{
    const Result<Value> value = parseJson(path);
    return value && value->isList() && !value->asList().empty() ? pathPart(*value) : std::string();
}

} // namespace palimpsest
