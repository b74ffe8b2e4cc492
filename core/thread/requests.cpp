// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/requests.h"

#include "core/thread/malformedcalls.h"
#include "core/thread/projection.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

namespace palimpsest {
namespace {

constexpr std::string_view nullTaskId = "00000000-0000-0000-0000-000000000000";
/// The path of what `update_state` writes for a node (langgraph/pregel/main.py, 1.2.24).
constexpr std::string_view updatePath = "~__interrupt__, ";

bool isModelNode(std::string_view node)
{
    return node == "model" || node == "model_request" || node == "agent";
}

/// Nodes that write AI messages without asking a model: the input and the hooks of middleware.
bool isOtherNode(std::string_view node)
{
    if (node == "__start__" || node == "tools")
        return true;
    for (const std::string_view hook : {".before_agent", ".before_model", ".after_model", ".after_agent"})
        if (node.ends_with(hook))
            return true;
    return false;
}

std::optional<int> number(std::string_view digits, int base)
{
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

/// The tasks of one checkpoint with their places, in the order in which they ran.
struct Placed {
    const TaskWrites *writes = nullptr;
    TaskPlace place;
    int step = 0;
};

class CallFinder {
public:
    CallFinder(ThreadNamespace &space, const CallInputs &inputs)
        : m_space(space)
        , m_inputs(inputs)
    {
    }

    void run()
    {
        m_space.calls.clear();
        const std::vector<TaskWrites> &tasks = m_inputs.tasks;
        for (std::size_t from = 0; from < tasks.size();) {
            std::size_t to = from;
            while (to < tasks.size() && tasks[to].checkpoint == tasks[from].checkpoint)
                ++to;
            if (tasks[from].checkpoint.isValid() && tasks[from].checkpoint.at() < m_space.checkpoints.size())
                addCheckpoint(from, to);
            from = to;
        }
        for (std::size_t i = 0; i < m_space.calls.size(); ++i)
            m_space.calls[i].number = CallNumber(i + 1);
    }

private:
    void addCheckpoint(std::size_t from, std::size_t to)
    {
        const Checkpoint &checkpoint = m_space.checkpoints[m_inputs.tasks[from].checkpoint.at()];
        std::vector<Placed> placed;
        placed.reserve(to - from);
        bool exit = false;
        for (std::size_t i = from; i < to; ++i) {
            const TaskWrites &writes = m_inputs.tasks[i];
            Placed task{&writes, taskPlace(writes.taskPath, writes.taskId, checkpoint.step), checkpoint.step + 1};
            if (task.place.exitStep) {
                task.step = *task.place.exitStep;
                exit = true;
            }
            placed.push_back(std::move(task));
        }
        if (exit)
            std::stable_sort(
                placed.begin(), placed.end(), [](const Placed &a, const Placed &b) { return a.step < b.step; });
        MessageLog log = checkpoint.messages;
        int logStep = placed.front().step;
        std::size_t applied = 0;
        for (const Placed &task : placed) {
            if (exit && task.step != logStep) {
                // What earlier supersteps of the run wrote is stored on the same checkpoint.
                for (; applied < placed.size() && placed[applied].step < task.step; ++applied)
                    if (!placed[applied].writes->messages.empty())
                        log = replayMessages(messageState(std::move(log)), placed[applied].writes->messages).log;
                logStep = task.step;
            }
            if (isCall(task, checkpoint, log))
                m_space.calls.push_back(makeCall(task, checkpoint, log));
            remember(*task.writes);
        }
    }

    [[nodiscard]] bool isCall(const Placed &task, const Checkpoint &checkpoint, const MessageLog &log) const
    {
        const TaskWrites &writes = *task.writes;
        if (isModelNode(task.place.node) || writes.request)
            return true;
        if (isOtherNode(task.place.node) || writes.taskId == nullTaskId)
            return false;
        // An update from outside the graph: a path of its own, or an empty one though the saver keeps paths.
        if (writes.taskPath.starts_with(updatePath) || (m_inputs.hasTaskPath && writes.taskPath.empty()))
            return false;
        if (!m_inputs.hasTaskPath && checkpoint.source == "input")
            return false;
        if (writes.messages.empty())
            return writes.hasError && !m_inputs.hasTaskPath && awaitsModel(log);
        bool answer = false;
        for (const MessagesWrite &write : writes.messages) {
            if (write.overwrite)
                return false;
            for (const MessagePtr &message : write.messages) {
                if (message->kind == MessageKind::Ai && !(message->id && m_seen.contains(*message->id)))
                    answer = true;
                // A subgraph or a tool that hands over a conversation of its own.
                if (message->kind == MessageKind::Tool && !(message->id && m_seen.contains(*message->id)))
                    return false;
            }
        }
        return answer;
    }

    /// Whether the next node after this log is the model: nothing is left to be answered by a tool.
    static bool awaitsModel(const MessageLog &log)
    {
        if (log.empty())
            return false;
        const MessagePtr &last = log.back();
        return last->kind == MessageKind::Human || last->kind == MessageKind::Tool;
    }

    [[nodiscard]] Call makeCall(const Placed &task, const Checkpoint &checkpoint, const MessageLog &log) const
    {
        const TaskWrites &writes = *task.writes;
        Call call;
        call.taskId = writes.taskId;
        call.taskPath = writes.taskPath;
        call.node = task.place.node;
        call.checkpoint = writes.checkpoint;
        call.step = task.step;
        call.log = log;
        for (const MessagesWrite &write : writes.messages) {
            auto from = write.messages.begin();
            if (auto repaired = answeredMalformedCalls(call.log, write)) {
                call.log = std::move(*repaired);
                from += static_cast<std::ptrdiff_t>(call.log.size()) + 1; // behind the removal of all and the log
            }
            for (auto it = from; it != write.messages.end(); ++it) {
                const MessagePtr &message = *it;
                if (message->kind == MessageKind::Ai) {
                    if (!standsIn(call.log, *message))
                        call.answers.push_back(message);
                } else if (message->kind != MessageKind::Remove && message->id) {
                    rewrite(call, message);
                }
            }
        }
        if (call.answers.empty() && writes.hasError) {
            call.outcome = Call::Outcome::Error;
            call.error = writes.error;
            // It left nothing else behind: by the rule.
            if (auto repaired = answeredMalformedCalls(call.log))
                call.log = std::move(*repaired);
        }
        takeEvent(call, task, checkpoint);
        if (checkpoint.incomplete || (task.place.node.empty() && call.outcome == Call::Outcome::Error))
            call.certainty = Certainty::Uncertain;
        if (writes.request) {
            call.request = writes.request;
            call.certainty = Certainty::Recorded;
        }
        if (!call.answers.empty())
            describe(call, *call.answers.front());
        return call;
    }

    /// True when the log holds this very message already: a subgraph gives back all that it was given.
    [[nodiscard]] bool standsIn(const MessageLog &log, const Message &message) const
    {
        return message.id && m_seen.contains(*message.id)
            && std::any_of(log.begin(), log.end(), [&message](const MessagePtr &held) { return *held == message; });
    }

    /// A message that the call wrote back under an id that the log holds: the request had it as rewritten.
    static void rewrite(Call &call, const MessagePtr &message)
    {
        for (std::size_t at = call.log.size(); at-- > 0;) {
            if (call.log[at]->id == message->id) {
                if (*call.log[at] == *message)
                    return;
                call.log = std::move(call.log).set(at, message);
                call.rewrites.push_back(message);
                return;
            }
        }
    }

    void takeEvent(Call &call, const Placed &task, const Checkpoint &checkpoint) const
    {
        if (task.writes->event) {
            call.event = task.writes->event;
            call.eventFrom = Call::EventFrom::ThisCall;
            return;
        }
        call.event = checkpoint.event;
        call.eventFrom = checkpoint.event ? Call::EventFrom::Checkpoint : Call::EventFrom::None;
        if (!task.place.exitStep)
            return;
        // Exit durability keeps an event only in the run's last checkpoint: which of its calls made it is not stored.
        for (const CheckpointIndex child : checkpoint.children) {
            const EventPtr &after = m_space.checkpoints[child.at()].event;
            const bool same = after == checkpoint.event || (after && checkpoint.event && *after == *checkpoint.event);
            if (same)
                continue;
            call.eventFrom = Call::EventFrom::Unknown;
            call.certainty = Certainty::Uncertain;
            // The best guess: the later event from the call on that could have made it.
            if (after && after->createdAtIndex && static_cast<std::int64_t>(call.log.size()) >= *after->createdAtIndex)
                call.event = after;
        }
    }

    static void describe(Call &call, const Message &answer)
    {
        call.model = answer.responseMetadata["model_name"].asText();
        if (call.model.empty())
            call.model = answer.responseMetadata["model"].asText();
        call.provider = answer.responseMetadata["model_provider"].asText();
        // A LangGraph server leaves the numbers where it rebuilt the message from a map.
        call.usage = answer.usageMetadata.isNil() ? answer.additionalKwargs["usage_metadata"] : answer.usageMetadata;
    }

    void remember(const TaskWrites &writes)
    {
        for (const MessagesWrite &write : writes.messages)
            for (const MessagePtr &message : write.messages)
                if (message->id)
                    m_seen.insert(*message->id);
    }

    ThreadNamespace &m_space;
    const CallInputs &m_inputs;
    std::unordered_set<std::string> m_seen; ///< ids that earlier tasks wrote
};

} // namespace

TaskPlace taskPlace(std::string_view taskPath, std::string_view taskId, int anchorStep)
{
    TaskPlace place;
    std::string_view path = taskPath;
    if (path.starts_with("~~") && path.size() >= 12) {
        place.exitStep = number(path.substr(2, 10), 10);
        path.remove_prefix(12);
    }
    place.pushed = path.starts_with("~__pregel_push");
    if (path.starts_with("~__pregel_pull, ")) {
        path.remove_prefix(std::string_view("~__pregel_pull, ").size());
        place.node = path.substr(0, path.find(", "));
    }
    if (!place.exitStep && taskId.size() >= 18 && taskId.starts_with("ffffffff-")) {
        const std::optional<int> high = number(taskId.substr(9, 4), 16);
        const std::optional<int> low = number(taskId.substr(14, 4), 16);
        if (high && low)
            place.exitStep = (*high << 16) + *low;
    }
    if (!place.exitStep && taskId.size() >= 9 && taskId[8] == '-' && taskId != nullTaskId) {
        // The run's first superstep keeps its real path. Three steps can lie between: a stub, the input, the step
        // itself.
        const std::optional<int> step = number(taskId.substr(0, 8), 10);
        if (step && *step > anchorStep && *step <= anchorStep + 3)
            place.exitStep = step;
    }
    return place;
}

void deriveCalls(ThreadNamespace &space, const CallInputs &inputs)
{
    CallFinder(space, inputs).run();
}

MessageLog requestMessages(const Call &call)
{
    return effectiveMessages(call.log, call.event.get());
}

EventPtr eventBefore(const ThreadNamespace &space, const Call &call)
{
    if (call.eventFrom != Call::EventFrom::ThisCall)
        return call.event;
    return call.checkpoint.isValid() && call.checkpoint.at() < space.checkpoints.size()
        ? space.checkpoints[call.checkpoint.at()].event
        : nullptr;
}

std::string_view eventFromName(Call::EventFrom from)
{
    switch (from) {
    case Call::EventFrom::ThisCall:
        return "this call";
    case Call::EventFrom::Checkpoint:
        return "checkpoint";
    case Call::EventFrom::Unknown:
        return "unknown";
    case Call::EventFrom::None:
        break;
    }
    return {};
}

std::string errorText(const Value &stored)
{
    if (stored.isText())
        return stored.asText();
    if (const Value::Tagged *tagged = stored.asTagged()) {
        const Value &inside = tagged->value;
        const std::string text =
            inside.isList() && !inside.asList().empty() ? errorText(inside.asList().front()) : errorText(inside);
        return text.empty() ? tagged->name : tagged->name + ": " + text;
    }
    const std::string &name = stored["name"].asText();
    const std::string &message = stored["message"].asText();
    return name.empty() || message.empty() ? name + message : name + ": " + message;
}

} // namespace palimpsest
