// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/eventstream.h"

#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/serde/typed.h"
#include "core/sources/json/messagejson.h"
#include "core/sources/json/statejson.h"
#include "core/sources/outputstate.h"
#include "core/values/json.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace palimpsest {
namespace {

constexpr std::string_view mark = "\xEF\xBB\xBF";
constexpr std::array<std::string_view, 4> fields{"event", "data", "id", "retry"};

/// Cuts the next line off: ended by CR, LF or both.
std::string_view takeLine(std::string_view &text)
{
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size(), text.size()));
    if (text.starts_with("\r\n"))
        text.remove_prefix(2);
    else if (!text.empty())
        text.remove_prefix(1);
    return line;
}

struct Field {
    std::string_view name;
    std::string_view value;
};

Field fieldOf(std::string_view line)
{
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
        return {line, {}};
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' '))
        value.remove_prefix(1);
    return {line.substr(0, colon), value};
}

/// Streamed states have no ids: numbers in the order they came.
std::string numbered(std::size_t number)
{
    char text[32];
    std::snprintf(text, sizeof text, "stream-%06zu", number);
    return text;
}

} // namespace

bool looksLikeEventStream(std::string_view text)
{
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    while (!text.empty()) {
        const std::string_view line = takeLine(text);
        if (line.empty() || line.starts_with(':'))
            continue;
        const Field field = fieldOf(line);
        return line.size() > field.name.size() && std::ranges::find(fields, field.name) != fields.end();
    }
    return false;
}

std::vector<ServerEvent> serverEvents(std::string_view text, JsonRows &rows)
{
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    std::vector<ServerEvent> events;
    ServerEvent event;
    std::string joined; // data of several lines
    std::size_t lines = 0;
    const auto dispatch = [&] {
        if (lines > 1)
            event.data = rows.keep(std::move(joined));
        if (lines > 0)
            events.push_back(event);
        event = {};
        joined.clear();
        lines = 0;
    };
    while (!text.empty()) {
        const std::string_view line = takeLine(text);
        if (line.empty()) {
            dispatch();
            continue;
        }
        const Field field = fieldOf(line);
        if (field.name == "event") {
            event.name = field.value;
        } else if (field.name == "data") {
            if (++lines == 1) {
                event.data = field.value;
            } else {
                if (lines == 2)
                    joined = event.data;
                joined += '\n';
                joined += field.value;
            }
        }
    }
    dispatch();
    return events;
}

bool EventStream::read(std::string_view text)
{
    for (const ServerEvent &event : serverEvents(text, m_rows))
        add(event);
    finishMessages();
    // Whole checkpoints say all that the values beside them do.
    if (m_anyCheckpoint && m_rows.threads.size() > 1)
        m_rows.threads.erase(m_thread);
    if (m_rows.threads.empty())
        return false;
    m_rows.what = "what a run of a LangGraph server streamed";
    if (!m_anyCheckpoint)
        m_rows.find("stream", Finding::Severity::Info,
            "A run's stream holds states in their order, without ids, times and private channels: what was summarized "
            "cannot be told; GET /threads/{id}/history has it.");
    return true;
}

void EventStream::add(const ServerEvent &event)
{
    const std::size_t bar = event.name.find('|');
    const std::string_view mode = event.name.substr(0, bar);
    const std::string ns(bar == std::string_view::npos ? std::string_view() : event.name.substr(bar + 1));
    std::string_view data = event.data;
    if (mode == "debug") {
        // {"type": "checkpoint" | "task" | "task_result", "payload": {…}}
        if (jsonText(jsonFind(data, "type")).value_or("") != "checkpoint")
            return;
        data = jsonFind(data, "payload");
    }
    if (mode == "checkpoints" || mode == "debug") {
        if (!StateJson::isState(data))
            return;
        StateJson(m_rows).addState(data);
        m_anyCheckpoint = true;
    } else if (mode == "values" && data.starts_with('{')) {
        if (jsonFind(data, "__interrupt__").empty() || !jsonFind(data, "messages").empty())
            addValues(ns, data);
    } else if (mode == "updates") {
        addUpdates(ns, data);
    } else if (mode == "messages/complete" || mode == "messages/partial") {
        addMessages(data);
    } else if (mode == "messages") {
        addPiece(data);
    } else if (mode == "error") {
        addError(data);
    }
}

HeldRow &EventStream::lastRow(const std::string &ns)
{
    HeldSpace &space = m_rows.threads[m_thread][ns];
    if (space.rows.empty())
        addValues(ns, {});
    return space.rows.back();
}

void EventStream::addValues(const std::string &ns, std::string_view values)
{
    HeldSpace &space = m_rows.threads[m_thread][ns];
    StateParts parts;
    parts.id = numbered(++m_states);
    if (!space.rows.empty())
        parts.parentId = space.rows.back().id;
    parts.values = values;
    parts.type = jsonTypeOf(values);
    const std::string metadata = "{\"source\":\"" + std::string(outputSource) + "\"}";
    parts.metadata = metadata;
    if (isJavaScript(values))
        m_rows.language = "js";
    space.rows.push_back(stateRow(parts));
}

void EventStream::addUpdates(const std::string &ns, std::string_view updates)
{
    const Result<std::vector<JsonEntry>> nodes = jsonEntries(updates);
    if (!nodes || nodes->empty())
        return;
    WriteRow task;
    task.checkpointId = lastRow(ns).id;
    HeldSpace &space = m_rows.threads[m_thread][ns];
    for (const JsonEntry &node : *nodes) {
        const std::string name = jsonText(node.key.of(updates)).value_or("");
        const std::string_view update = node.value.of(updates);
        if (name == "__interrupt__") {
            addWrite(space, task, name, update, jsonFlat);
            continue;
        }
        task.taskId = "task-" + std::to_string(space.writes.size() + 1);
        task.taskPath = "~__pregel_pull, " + name;
        addUpdate(space, task, update, jsonTypeOf(jsonFind(update, "messages")));
    }
}

void EventStream::addMessages(std::string_view list)
{
    const Result<std::vector<ByteRange>> items = jsonElements(list);
    if (!items)
        return;
    for (const ByteRange &item : *items) {
        const std::string_view message = item.of(list);
        if (MessageJson::isMessage(message))
            streamed(jsonText(jsonFind(message, "id")).value_or("")).body = message;
    }
}

EventStream::Streamed &EventStream::streamed(std::string id)
{
    const auto known = std::ranges::find_if(m_messages, [&](const Streamed &m) { return !id.empty() && m.id == id; });
    if (known != m_messages.end())
        return *known;
    m_messages.push_back({std::move(id), {}, {}, {}});
    return m_messages.back();
}

/// [message, metadata] of the mode that clients call messages-tuple: a whole message, or a piece whose text goes behind
/// what came of it before (langchain_core AIMessageChunk).
void EventStream::addPiece(std::string_view pair)
{
    const Result<std::vector<ByteRange>> two = jsonElements(pair);
    if (!two || two->empty() || !MessageJson::isMessage(two->front().of(pair)))
        return;
    const std::string_view message = two->front().of(pair);
    Streamed &one = streamed(jsonText(jsonFind(message, "id")).value_or(""));
    if (jsonText(jsonFind(message, "type")).value_or("") != "AIMessageChunk") {
        one.body = message;
        return;
    }
    const Result<Value> piece = parseJson(message);
    if (!piece)
        return;
    one.text += (*piece)["content"].asText();
    Value members = piece->with("type", Value("ai")).without("tool_call_chunks");
    for (const char *kept : {"content", "tool_calls"}) // those of an earlier piece, where this one has none
        if (const Value &before = one.pieces[kept]; !before.asList().empty() && members[kept].asList().empty())
            members = members.with(kept, before);
    one.pieces = std::move(members);
}

/// Messages alone are a list; beside states they are in these.
void EventStream::finishMessages()
{
    if (m_messages.empty() || !m_rows.threads.empty())
        return;
    std::vector<std::string_view> bodies;
    for (Streamed &one : m_messages) {
        if (one.body.empty() && one.pieces.isMap())
            one.body = m_rows.keep(toJson(
                one.pieces["content"].isText() ? one.pieces.with("content", Value(std::move(one.text))) : one.pieces));
        if (!one.body.empty())
            bodies.push_back(one.body);
    }
    if (!bodies.empty())
        MessageJson(m_rows).addMessages(bodies, m_thread);
}

void EventStream::addError(std::string_view error)
{
    WriteRow task;
    task.checkpointId = lastRow({}).id;
    addWrite(m_rows.threads[m_thread][""], task, "__error__", error, jsonFlat);
}

} // namespace palimpsest
