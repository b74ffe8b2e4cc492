// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/messagejson.h"

#include "core/serde/jsonscan.h"

namespace palimpsest {
namespace {

constexpr const char *onlyState = "export";

bool isOpenAi(std::string_view message)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(message);
    return members && !jsonFind(message, *members, "role").empty() && jsonFind(message, *members, "type").empty();
}

/// The state's event from a transcript's entries: the last that a checkpoint carried.
std::string eventOf(std::string_view entries)
{
    std::string_view last;
    for (const ByteRange &range : jsonElements(entries).value_or(std::vector<ByteRange>())) {
        const std::string_view entry = range.of(entries);
        if (jsonFind(entry, "kind") == "\"event\"" && jsonFind(entry, "checkpoint_id").starts_with('"'))
            last = entry;
    }
    if (last.empty())
        return {};
    std::string event = "{";
    for (const std::string_view member : {"cutoff_index", "summary_message", "file_path"})
        event.append(event.size() > 1 ? "," : "")
            .append("\"")
            .append(member)
            .append("\":")
            .append(jsonFind(last, member));
    return event + "}";
}

/// The archives of a transcript as the state's files.
std::string filesOf(std::string_view files)
{
    std::string out;
    for (const ByteRange &range : jsonElements(files).value_or(std::vector<ByteRange>())) {
        const std::string_view file = range.of(files);
        if (jsonFind(file, "kind") != "\"archive\"" || !jsonFind(file, "path").starts_with('"'))
            continue;
        out.append(out.empty() ? "{" : ",").append(jsonFind(file, "path")).append(":{\"content\":");
        out.append(jsonFind(file, "content")).append(",\"encoding\":\"utf-8\"}");
    }
    return out.empty() ? out : out + "}";
}

} // namespace

bool MessageJson::isTranscript(std::string_view object)
{
    return jsonFind(object, "format").starts_with("\"palimpsest.transcript/") && isState(object);
}

void MessageJson::addTranscript(std::string_view object, const std::string &threadId)
{
    const auto add = [&](std::string_view transcript) {
        std::string values = "{\"messages\":";
        values += jsonFind(transcript, "messages");
        if (const std::string event = eventOf(jsonFind(transcript, "entries")); !event.empty())
            values += ",\"_summarization_event\":" + event;
        if (const std::string files = filesOf(jsonFind(transcript, "files")); !files.empty())
            values += ",\"files\":" + files;
        const std::string id = jsonText(jsonFind(transcript, "thread_id")).value_or(threadId);
        addState(m_rows.keep(values + "}"), id.empty() ? threadId : id,
            jsonText(jsonFind(transcript, "checkpoint_ns")).value_or(std::string()));
    };
    add(object);
    const std::string_view parts = jsonFind(object, "namespaces");
    for (const ByteRange &range : jsonElements(parts).value_or(std::vector<ByteRange>()))
        add(range.of(parts));
}

bool MessageJson::isMessage(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members || members->empty())
        return false;
    const auto has = [&](std::string_view key) { return !jsonFind(object, *members, key).empty(); };
    if (has("lc"))
        return has("kwargs") && has("id");
    if (has("role"))
        return has("content") || has("tool_calls");
    return has("type") && (has("content") || has("data"));
}

bool MessageJson::isState(std::string_view object)
{
    const std::string_view messages = jsonFind(object, "messages");
    return messages.starts_with('[');
}

void MessageJson::addState(std::string_view object, const std::string &threadId)
{
    addState(object, threadId, {});
}

void MessageJson::addState(std::string_view object, const std::string &threadId, const std::string &ns)
{
    StateParts parts;
    parts.id = onlyState;
    parts.values = object;
    parts.type = jsonTypeOf(object);
    if (isJavaScript(object))
        m_rows.language = "js";
    m_rows.threads[threadId][ns].rows.push_back(stateRow(parts));
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    const auto has = [&](std::string_view key) {
        const std::string_view value = members ? jsonFind(object, *members, key) : std::string_view();
        return !value.empty() && value != "null";
    };
    const std::string_view messages = jsonFind(object, "messages");
    const Result<std::vector<ByteRange>> items = jsonElements(messages);
    const bool openAi = items && !items->empty() && isOpenAi(items->front().of(messages));
    m_rows.find("no-history", Finding::Severity::Info,
        "The file holds one state only: no checkpoints, no writes and no metadata, so calls, earlier states and times "
        "cannot be told.");
    if (openAi)
        m_rows.find("openai-messages", Finding::Severity::Info,
            "Messages in OpenAI's form have no ids, no usage and no summarization marks; what was compacted cannot be "
            "told.");
    else if (!has("_summarization_event") && !has("_summarizationEvent"))
        m_rows.find("no-private-state", Finding::Severity::Info,
            "No summarization event is in the file. The output of a run never has it: if this is one, what was "
            "compacted cannot be told.");
}

void MessageJson::addMessages(std::string_view array, const std::string &threadId)
{
    std::string object = "{\"messages\":";
    object += array;
    object += '}';
    addState(m_rows.keep(std::move(object)), threadId);
}

void MessageJson::addMessages(const std::vector<std::string_view> &messages, const std::string &threadId)
{
    std::string array = "[";
    for (std::size_t i = 0; i < messages.size(); ++i) {
        array += i ? "," : "";
        array += messages[i];
    }
    array += ']';
    addMessages(array, threadId);
}

} // namespace palimpsest
