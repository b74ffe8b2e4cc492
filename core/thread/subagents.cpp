// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/subagents.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace palimpsest {
namespace {

struct TaskCall {
    std::string id;
    std::string agent;
    std::string description;
    bool used = false;
};

std::string parentOf(const std::string &ns)
{
    const std::size_t bar = ns.rfind('|');
    return bar == std::string::npos ? std::string() : ns.substr(0, bar);
}

std::string taskOf(const std::string &ns)
{
    const std::size_t colon = ns.rfind(':');
    return colon == std::string::npos ? std::string() : ns.substr(colon + 1);
}

/// Every `task` call in the logs of a namespace, in order. Bodies are shared, so a log only adds what its parent's has
/// not.
std::vector<TaskCall> taskCalls(const ThreadNamespace &space)
{
    std::vector<TaskCall> calls;
    std::unordered_set<const Message *> seen;
    for (const Checkpoint &checkpoint : space.checkpoints) {
        const std::size_t from =
            checkpoint.parent.isValid() ? space.checkpoints[checkpoint.parent.at()].messages.size() : 0;
        for (std::size_t i = std::min(from, checkpoint.messages.size()); i < checkpoint.messages.size(); ++i) {
            const MessagePtr &message = checkpoint.messages[i];
            if (message->kind != MessageKind::Ai || !seen.insert(message.get()).second)
                continue;
            for (const ToolCallView &call : toolCalls(*message)) {
                if (call.name != "task" || !call.args)
                    continue;
                calls.push_back({std::string(call.id), (*call.args)["subagent_type"].asText(),
                    (*call.args)["description"].asText(), false});
            }
        }
    }
    return calls;
}

} // namespace

std::vector<SubagentLink> linkSubagents(const Thread &thread, const std::vector<std::vector<TaskWrites>> &tasks)
{
    std::vector<SubagentLink> links;
    std::unordered_map<std::string, std::vector<TaskCall>> callsOf;
    std::unordered_map<std::string, std::string> taskOfCall; // namespace, line break, tool call id → task id
    for (std::size_t i = 0; i < thread.namespaces.size(); ++i) {
        const ThreadNamespace &space = thread.namespaces[i];
        callsOf.emplace(space.name, taskCalls(space));
        if (callsOf[space.name].empty() || i >= tasks.size())
            continue;
        for (const TaskWrites &task : tasks[i])
            for (const MessagesWrite &write : task.messages)
                for (const MessagePtr &message : write.messages)
                    if (message->kind == MessageKind::Tool && message->toolCallId)
                        taskOfCall.try_emplace(space.name + "\n" + *message->toolCallId, task.taskId);
    }
    for (const ThreadNamespace &space : thread.namespaces) {
        if (space.name.empty())
            continue;
        SubagentLink link;
        link.ns = space.name;
        link.parentNs = parentOf(space.name);
        const std::string task = taskOf(space.name);
        const auto parent = callsOf.find(link.parentNs);
        TaskCall *call = nullptr;
        if (parent != callsOf.end()) {
            for (TaskCall &candidate : parent->second) {
                const auto known = taskOfCall.find(link.parentNs + "\n" + candidate.id);
                if (known != taskOfCall.end() && known->second == task)
                    call = &candidate;
            }
            // The task has not answered: it may still run, wait or have failed. Its first words are the call's.
            std::string words;
            for (const Checkpoint &checkpoint : space.checkpoints) {
                if (checkpoint.messages.empty())
                    continue;
                words = textOf(*checkpoint.messages.front());
                break;
            }
            std::vector<TaskCall *> open;
            for (TaskCall &candidate : parent->second)
                if (!candidate.used && !taskOfCall.contains(link.parentNs + "\n" + candidate.id))
                    open.push_back(&candidate);
            for (TaskCall *candidate : open)
                if (!call && !words.empty() && candidate->description == words)
                    call = candidate;
            if (!call && open.size() == 1)
                call = open.front();
        }
        if (call) {
            call->used = true;
            link.toolCallId = call->id;
            link.agent = call->agent;
            link.description = call->description;
        }
        links.push_back(std::move(link));
    }
    for (const ThreadNamespace &space : thread.namespaces) {
        for (const TaskCall &call : callsOf[space.name]) {
            if (call.used)
                continue;
            SubagentLink link;
            const auto task = taskOfCall.find(space.name + "\n" + call.id);
            if (task != taskOfCall.end())
                link.ns = (space.name.empty() ? std::string() : space.name + "|") + "tools:" + task->second;
            link.parentNs = space.name;
            link.toolCallId = call.id;
            link.agent = call.agent;
            link.description = call.description;
            link.hasCheckpoints = false;
            links.push_back(std::move(link));
        }
    }
    return links;
}

} // namespace palimpsest
