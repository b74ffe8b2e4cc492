// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/langsmithjson.h"

#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/serde/typed.h"
#include "core/sources/outputstate.h"
#include "core/values/json.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace palimpsest {
namespace {

bool isNode(const std::string &node, const std::string &name)
{
    return !node.empty() && node == name;
}

/// "20261130T173627988775": sorts by time and begins an id.
std::string compactTime(std::string_view iso)
{
    std::string digits;
    for (const char c : iso.substr(0, 26))
        if ((c >= '0' && c <= '9') || c == 'T')
            digits += c;
    return digits;
}

/// The first element of a list of lists, else the list itself.
std::string_view innerList(std::string_view list)
{
    const Result<std::vector<ByteRange>> items = jsonElements(list);
    if (!items || items->empty())
        return list;
    const std::string_view first = items->front().of(list);
    return first.starts_with('[') ? first : list;
}

std::string_view firstOf(std::string_view list)
{
    const Result<std::vector<ByteRange>> items = jsonElements(list);
    return items && !items->empty() ? items->front().of(list) : std::string_view();
}

bool isNothing(std::string_view json)
{
    return json.empty() || json == "null" || json == "{}";
}

} // namespace

bool LangSmithJson::isRun(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members)
        return false;
    const auto has = [&](std::string_view key) { return !jsonFind(object, *members, key).empty(); };
    if (has("run_type"))
        return has("inputs") || has("outputs");
    // An example of a dataset: what a run was given and what it answered.
    return has("outputs") && jsonFind(jsonFind(object, *members, "inputs"), "messages").starts_with('[');
}

void LangSmithJson::addRun(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members)
        return;
    const auto at = [&](std::string_view key) { return jsonFind(object, *members, key); };
    const auto text = [&](std::string_view key) { return jsonText(at(key)).value_or(""); };
    Run run;
    run.id = text("id");
    if (run.id.empty())
        run.id = "run-" + std::to_string(m_runs.size() + 1);
    run.parentId = text("parent_run_id");
    run.name = text("name");
    run.kind = text("run_type");
    run.start = text("start_time");
    run.end = text("end_time");
    run.inputs = at("inputs");
    run.outputs = at("outputs");
    run.error = at("error");
    if (run.kind.empty()) // an example tells by its form
        run.kind = innerList(jsonFind(run.inputs, "messages")) != jsonFind(run.inputs, "messages")
                || jsonFind(run.outputs, "generations").starts_with('[')
            ? "llm"
            : "chain";
    run.metadata = jsonFind(at("extra"), "metadata");
    const Result<Value> read = run.metadata.empty() ? Result<Value>(Value()) : parseJson(run.metadata);
    const Value metadata = read ? *read : Value();
    for (const char *key : {"thread_id", "session_id", "conversation_id"})
        if (run.threadId.empty())
            run.threadId = metadata[key].asText();
    if (run.threadId.empty())
        run.threadId = text("trace_id").empty() ? run.id : text("trace_id");
    run.node = metadata["langgraph_node"].asText();
    // langchain/agents/middleware/summarization.py and deepagents/middleware/summarization.py, 0.7.32
    run.summarizes = metadata["lc_source"].asText() == "summarization";
    run.step = static_cast<int>(std::clamp<std::int64_t>(metadata["langgraph_step"].asInt(), -1, 1'000'000'000));
    run.path = taskPathText(jsonFind(run.metadata, "langgraph_path"));
    // "model:<task>" at the root, "tools:<task>|model:<task>" in a subagent.
    std::string place = metadata["langgraph_checkpoint_ns"].asText();
    if (const std::size_t bar = place.rfind('|'); bar != std::string::npos) {
        run.ns = place.substr(0, bar);
        place.erase(0, bar + 1);
    }
    if (const std::size_t colon = place.rfind(':'); colon != std::string::npos)
        run.taskId = place.substr(colon + 1);
    if (run.path.empty() && !run.node.empty())
        run.path = "~__pregel_pull, " + run.node;
    m_runs.push_back(std::move(run));
    const std::string_view children = at("child_runs");
    if (const Result<std::vector<ByteRange>> nested = jsonElements(children))
        for (const ByteRange &child : *nested)
            addRun(child.of(children));
}

LangSmithJson::Model LangSmithJson::modelOf(const Run &run)
{
    Model model;
    model.request = innerList(jsonFind(run.inputs, "messages"));
    // `generations` of a chat model, else the message itself.
    const std::string_view generation = firstOf(innerList(jsonFind(run.outputs, "generations")));
    model.answer = jsonFind(generation, "message");
    if (model.answer.empty())
        model.answer = jsonFind(firstOf(jsonFind(run.outputs, "choices")), "message");
    if (model.answer.empty() && !jsonFind(run.outputs, "content").empty())
        model.answer = run.outputs;
    return model;
}

void LangSmithJson::addNode(const Run &run)
{
    HeldSpace &space = m_rows.threads[run.threadId][run.ns];
    std::string &newest = m_newest[run.threadId + "\n" + run.ns];
    StateParts parts;
    parts.id = compactTime(run.start) + "-" + run.id;
    if (!newest.empty())
        parts.parentId = newest;
    parts.createdAt = run.start;
    parts.values = run.inputs;
    parts.type = jsonTypeOf(run.inputs);
    std::string metadata = "{\"source\":\"loop\",\"step\":" + std::to_string(run.step - 1) + ",\"run\":";
    metadata += run.metadata.empty() ? std::string_view("null") : run.metadata;
    metadata += '}';
    parts.metadata = metadata;
    if (isJavaScript(run.inputs))
        m_rows.language = "js";
    space.rows.push_back(stateRow(parts));
    newest = parts.id;
    WriteRow task;
    task.checkpointId = parts.id;
    task.taskId = run.taskId.empty() ? run.id : run.taskId;
    task.taskPath = run.path;
    const std::string_view wrapped = jsonFind(run.outputs, "output");
    const std::string_view outputs = wrapped.empty() ? run.outputs : wrapped;
    addUpdate(space, task, outputs, jsonTypeOf(outputs));
    if (!isNothing(run.error))
        addWrite(space, task, "__error__", run.error, jsonFlat);
    // The model's runs below this node: the summarizer's among them, whose answer the node did not write.
    const Run *asked = nullptr;
    for (const Run &model : m_runs) {
        if (model.kind != "llm" || model.summarizes || model.threadId != run.threadId || model.taskId != run.taskId
            || model.ns != run.ns)
            continue;
        const std::string_view answer = modelOf(model).answer;
        const std::string_view members = jsonFind(answer, "kwargs").empty() ? answer : jsonFind(answer, "kwargs");
        const std::string id = jsonText(jsonFind(members, "id")).value_or("");
        const bool written = !id.empty() && outputs.find("\"" + id + "\"") != std::string_view::npos;
        asked = &model; // of several without a written answer the last one
        if (written)
            break;
    }
    if (asked && !isNothing(modelOf(*asked).request))
        addWrite(
            space, task, std::string(requestChannel), modelOf(*asked).request, jsonTypeOf(modelOf(*asked).request));
}

void LangSmithJson::addLastState(const Run &root)
{
    const std::string_view wrapped = jsonFind(root.outputs, "output");
    std::string_view values = wrapped.starts_with('{') ? wrapped : root.outputs;
    if (!jsonFind(values, "messages").starts_with('['))
        values = root.inputs;
    if (!jsonFind(values, "messages").starts_with('['))
        return;
    HeldSpace &space = m_rows.threads[root.threadId][root.ns];
    std::string &newest = m_newest[root.threadId + "\n" + root.ns];
    StateParts parts;
    parts.createdAt = root.end.empty() ? root.start : root.end;
    parts.id = compactTime(parts.createdAt) + "-" + root.id;
    if (!newest.empty())
        parts.parentId = newest;
    parts.values = values;
    parts.type = jsonTypeOf(values);
    std::string metadata = "{\"source\":\"" + std::string(outputSource) + "\",\"run\":";
    metadata += root.metadata.empty() ? std::string_view("null") : root.metadata;
    metadata += '}';
    parts.metadata = metadata;
    space.rows.push_back(stateRow(parts));
    newest = parts.id;
}

void LangSmithJson::addLonely(const Run &run)
{
    const Model model = modelOf(run);
    if (isNothing(model.request))
        return;
    HeldSpace &space = m_rows.threads[run.threadId][run.ns];
    std::string &newest = m_newest[run.threadId + "\n" + run.ns];
    std::string values = "{\"messages\":";
    values += model.request;
    values += '}';
    StateParts parts;
    parts.id = compactTime(run.start) + "-" + run.id;
    if (!newest.empty())
        parts.parentId = newest;
    parts.createdAt = run.start;
    parts.values = m_rows.keep(std::move(values));
    parts.type = jsonTypeOf(model.request);
    std::string metadata = "{\"source\":\"loop\",\"step\":" + std::to_string(run.step - 1) + ",\"run\":";
    metadata += run.metadata.empty() ? std::string_view("null") : run.metadata;
    metadata += '}';
    parts.metadata = metadata;
    space.rows.push_back(stateRow(parts));
    newest = parts.id;
    WriteRow task;
    task.checkpointId = parts.id;
    task.taskId = run.taskId.empty() ? run.id : run.taskId;
    task.taskPath = run.path.empty() ? "~__pregel_pull, model" : run.path;
    if (!model.answer.empty()) {
        std::string answers = "[";
        answers += model.answer;
        answers += ']';
        addWrite(space, task, "messages", answers, jsonTypeOf(answers));
    }
    if (!isNothing(run.error))
        addWrite(space, task, "__error__", run.error, jsonFlat);
    addWrite(space, task, std::string(requestChannel), model.request, parts.type);
    m_rows.find("no-state", Finding::Severity::Info,
        "A model's run holds what the model saw and answered, not the thread's state: what was summarized or moved "
        "away "
        "before cannot be told.");
}

/// Whether the thread of a summarizer's run is told by runs of the agent itself.
bool LangSmithJson::hasCalls(const Run &summarizer) const
{
    return std::ranges::any_of(m_runs,
        [&](const Run &run) { return run.kind == "llm" && !run.summarizes && run.threadId == summarizer.threadId; });
}

void LangSmithJson::finish()
{
    std::stable_sort(m_runs.begin(), m_runs.end(),
        [](const Run &a, const Run &b) { return std::tie(a.start, a.id) < std::tie(b.start, b.id); });
    std::set<std::string> nodes; // tasks whose state is known
    for (const Run &run : m_runs) {
        if (run.kind == "llm" || !isNode(run.node, run.name) || !jsonFind(run.inputs, "messages").starts_with('['))
            continue;
        addNode(run);
        nodes.insert(run.threadId + "\n" + run.taskId);
    }
    for (const Run &run : m_runs) {
        if (run.kind != "llm" || nodes.contains(run.threadId + "\n" + run.taskId))
            continue;
        if (!run.summarizes || !hasCalls(run))
            addLonely(run);
        else
            m_rows.find("summarizer-runs", Finding::Severity::Info,
                "Runs in which a model was asked for a summary are among them; they are no calls of the agent and are "
                "left out.");
    }
    for (const Run &run : m_runs)
        if (run.kind != "llm" && run.node.empty() && run.parentId.empty())
            addLastState(run);
    m_rows.find("trace", Finding::Severity::Info,
        "These are runs of a trace, not checkpoints: states are there where a node was given one, and a run's outputs "
        "lack the private channels, the summarization event among them.");
}

} // namespace palimpsest
