// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/recordinganswers.h"

#include "core/sources/sourceprobe.h"
#include "tests/support/goldens.h"
#include "tests/support/recordings.h"

#include <algorithm>

namespace palimpsest::recordings {
namespace {

/// The last two groups: late supersteps of an exit-durability run replace the first three.
std::string tail(const std::string &task)
{
    return task.size() == 36 ? task.substr(19) : task;
}

/// deepagents 0.7.32, `_drop_bound_reasoning`, for the providers of the recordings.
Value withoutReasoning(const Value &message)
{
    if (message["type"].asText() != "ai" || !message["content"].isList())
        return message;
    const Value &provider = message["response_metadata"]["model_provider"];
    const bool claude = provider.asText() == "anthropic";
    Value::List kept;
    for (const Value &block : message["content"].asList()) {
        const std::string &type = block["type"].asText();
        const bool native = type == "thinking" || type == "redacted_thinking" || type == "reasoning_content";
        if (!((native && (claude || provider.isNil())) || (claude && type == "reasoning")))
            kept.push_back(block);
    }
    return message.with("content", Value(std::move(kept)));
}

std::string difference(const Value &row, const Value &mine, const Value &truePool, const Value &pool)
{
    for (const char *key : {"step", "source", "parent_checkpoint_id", "session_id"})
        if (row.contains(key))
            if (std::string d = goldens::difference(row[key], mine[key], key); !d.empty())
                return d;
    const std::vector<Value> messages = bodies(row["messages"], truePool);
    if (std::string d = messagesDifference(messages, bodies(mine["messages"], pool)); !d.empty())
        return "messages" + d;
    const Value event = eventOf(row["event"], truePool);
    const Value got = eventOf(mine["event"], pool);
    if (std::string d = goldens::difference(tidy(event), tidy(got), "event"); !d.empty())
        return d;

    // The projection by its definition.
    std::vector<Value> effective = messages;
    if (!event.isNil()) {
        for (std::int64_t i = 0; i < event["created_at_index"].asInt(); ++i)
            if (static_cast<std::size_t>(i) < effective.size())
                effective[static_cast<std::size_t>(i)] = withoutReasoning(effective[static_cast<std::size_t>(i)]);
        effective.erase(effective.begin(), effective.begin() + event["cutoff_index"].asInt());
        effective.insert(effective.begin(), event["summary_message"]);
    }
    if (std::string d = messagesDifference(effective, bodies(mine["effective"], pool)); !d.empty())
        return "effective" + d;

    if (!row.contains("files"))
        return {};
    const Value::Map &files = row["files"].asMap();
    if (files.size() != mine["files"].asMap().size())
        return "expected " + std::to_string(files.size()) + " files";
    for (const auto &[path, file] : files)
        for (const char *key : {"content", "encoding"}) {
            if (!file.contains(key))
                continue; // JavaScript has a MIME type in place of an encoding
            const Value &dumped = mine["files"][path.asText()];
            if (std::string d = goldens::difference(tidy(file)[key], tidy(dumped)[key], path.asText()); !d.empty())
                return d;
        }
    return {};
}

} // namespace

std::string taskOf(const Value &call)
{
    const std::string &ns = call["ns"].asText();
    return ns.substr(ns.rfind(':') + 1);
}

std::string namespaceOf(const Value &call)
{
    const std::string &ns = call["ns"].asText();
    const std::size_t bar = ns.rfind('|');
    return bar == std::string::npos ? std::string() : ns.substr(0, bar);
}

Value::Map spacesOf(const Value &truth)
{
    Value::Map spaces{{Value(""), truth["checkpoints"]}};
    for (const auto &space : truth["namespaces"].asMap())
        spaces.push_back(space);
    return spaces;
}

std::string dumpDifference(const Value &rows, const Value &pool, const Value &dump)
{
    if (dump["format"].asText() != "palimpsest.dump/1")
        return "format " + dump["format"].asText();
    const Value::List &mine = dump["checkpoints"].asList();
    if (mine.size() != rows.asList().size())
        return "expected " + std::to_string(rows.asList().size()) + " checkpoints, got " + std::to_string(mine.size());
    for (std::size_t i = 1; i < mine.size(); ++i)
        if (mine[i - 1]["checkpoint_id"].asText() >= mine[i]["checkpoint_id"].asText())
            return "the checkpoints are not in order";
    for (const Value &row : rows.asList()) {
        const auto same = std::find_if(
            mine.begin(), mine.end(), [&](const Value &m) { return m["checkpoint_id"] == row["checkpoint_id"]; });
        const std::string why = same == mine.end() ? "it is missing" : difference(row, *same, pool, dump["messages"]);
        if (!why.empty())
            return row["checkpoint_id"].asText() + ": " + why;
    }
    return {};
}

StoredTasks::StoredTasks(const std::string &location, const std::string &threadId)
{
    Result<std::unique_ptr<CheckpointSource>> source = openSource(location);
    if (!source)
        return;
    const auto spaces = (*source)->namespaces(threadId);
    for (const std::string &ns : spaces ? *spaces : std::vector<std::string>()) {
        WriteScan scan;
        scan.noValues = true;
        (void)(*source)->scanWrites(threadId, ns, scan,
            [this](WriteRow &&row) {
                m_ids.insert(row.taskId);
                m_byTail[tail(row.taskId)] = row.taskId;
                return true;
            },
            {});
    }
}

std::string StoredTasks::id(const std::string &task) const
{
    if (m_ids.contains(task))
        return task;
    const auto found = m_byTail.find(tail(task));
    return found == m_byTail.end() ? std::string() : found->second;
}

Value settingsOf(const Value &truth, const StoredTasks &tasks)
{
    std::map<std::string, std::int64_t> refused;
    Value system;
    for (const Value &call : truth["calls"].asList()) {
        if (call["kind"].asText() != "agent")
            continue;
        if (system.isNil() && !call["messages"].asList().empty()) {
            const Value &first = truth["messages"][call["messages"].asList().front().asText()];
            if (first["type"].asText() == "system")
                system = first;
        }
        if (call["outcome"].asText() == "context_overflow") {
            const std::string stored = tasks.id(taskOf(call));
            ++refused[stored.empty() ? taskOf(call) : stored];
        }
    }
    Value::Map refusals;
    for (const auto &[task, count] : refused)
        refusals.emplace_back(Value(task), Value(count));
    Value settings = truth["settings"].with("dialect", Value("deepagents-" + truth["packages"]["deepagents"].asText()));
    settings = settings.with("tools", truth["tools"])
                   .with("system_message", system)
                   .with("refused_calls", Value(std::move(refusals)));
    return settings.with("artifacts_fail", Value(truth["settings"]["backend"].asText() == "ReadOnly"));
}

std::string requestsDifference(
    const Value &truth, const std::string &ns, const Value &answer, const StoredTasks &tasks, std::size_t &compared)
{
    const Value::List &requests = answer["requests"].asList();
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (requests[i]["call"].asInt() != static_cast<std::int64_t>(i) + 1)
            return "the calls are not numbered 1, 2, …";
    for (const Value &call : truth["calls"].asList()) {
        const bool model = !call.contains("node") || call["node"].asText() == "model";
        if (call["kind"].asText() != "agent" || !model || namespaceOf(call) != ns || call["outcome"].asText() != "ok")
            continue;
        const std::string task = tasks.id(taskOf(call));
        if (task.empty())
            continue;
        const auto mine = std::find_if(
            requests.begin(), requests.end(), [&](const Value &r) { return r["task_id"].asText() == task; });
        if (mine == requests.end())
            return "no request for task " + task;
        std::vector<Value> asked = bodies(call["messages"], truth["messages"]);
        std::erase_if(asked, [](const Value &message) { return message["type"].asText() == "system"; });
        if (std::string why = messagesDifference(asked, bodies((*mine)["messages"], answer["messages"])); !why.empty())
            return "call " + std::to_string((*mine)["call"].asInt()) + ": " + why;
        ++compared;
    }
    return {};
}

} // namespace palimpsest::recordings
