// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/statejson.h"

#include "core/serde/jsonscan.h"
#include "core/serde/typed.h"

#include <unordered_set>

namespace palimpsest {
namespace {

/// The text under a key, empty when there is none.
std::string textAt(std::string_view object, std::string_view key)
{
    return jsonText(jsonFind(object, key)).value_or("");
}

bool isObject(std::string_view json)
{
    return json.starts_with('{');
}

/// Name of a state whose id the document does not tell.
constexpr const char *unnamedState = "state";

} // namespace

bool StateJson::isState(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members || !isObject(jsonFind(object, *members, "values")))
        return false;
    return isObject(jsonFind(object, *members, "checkpoint")) || !jsonFind(object, *members, "checkpoint_id").empty()
        || !jsonFind(jsonFind(jsonFind(object, *members, "config"), "configurable"), "checkpoint_id").empty()
        || (!jsonFind(object, *members, "next").empty() && !jsonFind(object, *members, "tasks").empty());
}

bool StateJson::isThread(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members || jsonFind(object, *members, "thread_id").empty())
        return false;
    return !jsonFind(object, *members, "values").empty() && !jsonFind(object, *members, "status").empty();
}

bool StateJson::isSnapshot(std::string_view array)
{
    const Result<std::vector<ByteRange>> members = jsonElements(array);
    if (!members || members->size() < 6 || members->size() > 9)
        return false;
    const auto at = [&](std::size_t i) { return (*members)[i].of(array); };
    return isObject(at(0)) && at(1).starts_with('[') && isObject(at(2)) && !jsonFind(at(2), "configurable").empty();
}

/// What the first values show holds for all of a document: a server says them in one form.
std::string_view StateJson::look(std::string_view values)
{
    if (!m_type.empty())
        return m_type;
    if (isJavaScript(values))
        m_rows.language = "js";
    const std::string_view type = jsonTypeOf(values);
    if (jsonFind(values, "messages").size() > 2)
        m_type = type;
    return type;
}

void StateJson::addState(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members)
        return;
    const auto at = [&](std::string_view key) { return jsonFind(object, *members, key); };
    // LangGraph's own snapshot names the place by its config, a server by a checkpoint.
    const std::string_view place =
        isObject(at("checkpoint")) ? at("checkpoint") : jsonFind(at("config"), "configurable");
    const std::string_view before =
        isObject(at("parent_checkpoint")) ? at("parent_checkpoint") : jsonFind(at("parent_config"), "configurable");
    const std::string_view metadata = at("metadata");
    StateParts parts;
    parts.id = textAt(place, "checkpoint_id");
    if (parts.id.empty())
        parts.id = jsonText(at("checkpoint_id")).value_or(unnamedState);
    std::string parent = textAt(before, "checkpoint_id");
    if (parent.empty())
        parent = jsonText(at("parent_checkpoint_id")).value_or("");
    if (!parent.empty())
        parts.parentId = std::move(parent);
    parts.createdAt = jsonText(at("created_at")).value_or("");
    parts.values = at("values");
    parts.metadata = isObject(metadata) ? metadata : std::string_view();
    parts.type = look(parts.values);
    std::string thread = textAt(place, "thread_id");
    if (thread.empty())
        thread = textAt(metadata, "thread_id");
    if (thread.empty())
        thread = jsonText(at("thread_id")).value_or("thread");
    if (!jsonFind(place, "checkpoint_map").empty())
        m_rows.language = "js";
    HeldSpace &space = m_rows.threads[thread][textAt(place, "checkpoint_ns")];
    const std::string id = parts.id;
    if (const Result<std::vector<ByteRange>> tasks = jsonElements(at("tasks")))
        for (const ByteRange &range : *tasks) {
            const std::string_view task = range.of(at("tasks"));
            // A snapshot's `_asdict()` leaves its tasks the named tuples that they are.
            if (isObject(task))
                addTask(space, id, task, parts.type);
            else
                addTaskTuple(space, id, task, parts.type);
        }
    space.rows.push_back(stateRow(parts));
}

void StateJson::addTask(
    HeldSpace &space, const std::string &checkpointId, std::string_view object, std::string_view type)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members)
        return;
    const auto at = [&](std::string_view key) { return jsonFind(object, *members, key); };
    WriteRow task;
    task.checkpointId = checkpointId;
    task.taskId = jsonText(at("id")).value_or("");
    task.taskPath = taskPathText(at("path"));
    if (task.taskPath.empty())
        task.taskPath = "~__pregel_pull, " + jsonText(at("name")).value_or("");
    if (at("error") != "null")
        addWrite(space, task, "__error__", at("error"), type);
    if (const Result<std::vector<ByteRange>> interrupts = jsonElements(at("interrupts"));
        interrupts && !interrupts->empty())
        addWrite(space, task, "__interrupt__", at("interrupts"), type);
    addUpdate(space, task, at("result"), type);
    // A subgraph's state, where it was asked for.
    const std::string_view inner = at("state");
    if (isObject(inner) && isState(inner))
        addState(inner);
}

void StateJson::addThread(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members)
        return;
    const auto at = [&](std::string_view key) { return jsonFind(object, *members, key); };
    const std::string thread = jsonText(at("thread_id")).value_or("thread");
    HeldSpace &space = m_rows.threads[thread][""];
    StateParts parts;
    parts.id = unnamedState;
    parts.createdAt = jsonText(at("state_updated_at")).value_or(jsonText(at("updated_at")).value_or(""));
    parts.values = isObject(at("values")) ? at("values") : std::string_view();
    parts.metadata = isObject(at("metadata")) ? at("metadata") : std::string_view();
    parts.type = jsonTypeOf(parts.values);
    if (isJavaScript(parts.values) || (at("state_updated_at").empty() && parts.createdAt.ends_with('Z')))
        m_rows.language = "js";
    space.rows.push_back(stateRow(parts));
    WriteRow task;
    task.checkpointId = parts.id;
    const std::string_view interrupts = at("interrupts");
    if (const Result<std::vector<JsonEntry>> waiting = jsonEntries(interrupts))
        for (const JsonEntry &one : *waiting) {
            task.taskId = jsonText(one.key.of(interrupts)).value_or("");
            addWrite(space, task, "__interrupt__", one.value.of(interrupts), parts.type);
        }
    if (!at("error").empty() && at("error") != "null") {
        task.taskId.clear();
        addWrite(space, task, "__error__", at("error"), parts.type);
    }
    m_rows.find("no-history", Finding::Severity::Info,
        "The file holds the newest values of a thread only: no earlier states, no checkpoint id and no writes, so "
        "calls "
        "and earlier events cannot be told; GET /threads/{id}/history has them.");
}

void StateJson::addSnapshot(std::string_view array)
{
    const Result<std::vector<ByteRange>> members = jsonElements(array);
    if (!members)
        return;
    // values, next, config, metadata, created_at, parent_config, tasks, interrupts (langgraph/types.py StateSnapshot)
    const auto at = [&](std::size_t i) { return i < members->size() ? (*members)[i].of(array) : std::string_view(); };
    const std::string_view place = jsonFind(at(2), "configurable");
    StateParts parts;
    parts.id = jsonText(jsonFind(place, "checkpoint_id")).value_or(unnamedState);
    if (const auto parent = jsonText(jsonFind(jsonFind(at(5), "configurable"), "checkpoint_id")))
        parts.parentId = *parent;
    parts.createdAt = jsonText(at(4)).value_or("");
    parts.values = at(0);
    parts.metadata = isObject(at(3)) ? at(3) : std::string_view();
    parts.type = look(parts.values);
    const std::string thread = jsonText(jsonFind(place, "thread_id")).value_or("thread");
    HeldSpace &space = m_rows.threads[thread][textAt(place, "checkpoint_ns")];
    const std::string id = parts.id;
    if (const Result<std::vector<ByteRange>> tasks = jsonElements(at(6)))
        for (const ByteRange &task : *tasks)
            addTaskTuple(space, id, task.of(at(6)), parts.type);
    space.rows.push_back(stateRow(parts));
}

/// langgraph/types.py PregelTask, a named tuple: id, name, path, error, interrupts, state, result.
void StateJson::addTaskTuple(
    HeldSpace &space, const std::string &checkpointId, std::string_view array, std::string_view type)
{
    const Result<std::vector<ByteRange>> members = jsonElements(array);
    if (!members || members->size() < 2)
        return;
    const auto at = [&](std::size_t i) { return i < members->size() ? (*members)[i].of(array) : std::string_view(); };
    WriteRow task;
    task.checkpointId = checkpointId;
    task.taskId = jsonText(at(0)).value_or("");
    task.taskPath = taskPathText(at(2));
    if (task.taskPath.empty())
        task.taskPath = "~__pregel_pull, " + jsonText(at(1)).value_or("");
    if (at(3) != "null")
        addWrite(space, task, "__error__", at(3), type);
    if (const Result<std::vector<ByteRange>> interrupts = jsonElements(at(4)); interrupts && !interrupts->empty())
        addWrite(space, task, "__interrupt__", at(4), type);
    addUpdate(space, task, at(6), type);
}

void StateJson::finish()
{
    for (const auto &[thread, spaces] : m_rows.threads) {
        for (const auto &[ns, space] : spaces) {
            std::unordered_set<std::string_view> ids;
            for (const HeldRow &row : space.rows)
                ids.insert(row.id);
            std::size_t missing = 0;
            for (const HeldRow &row : space.rows)
                missing += row.parentId && !ids.contains(*row.parentId) ? 1 : 0;
            if (missing == 0)
                continue;
            m_rows.find("partial-history", Finding::Severity::Warning,
                "Thread " + thread + " is here in part: " + std::to_string(space.rows.size())
                    + " states, and the parents of " + std::to_string(missing)
                    + " of them are not among them; earlier calls and events cannot be told.");
        }
    }
}

} // namespace palimpsest
