// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <optional>

namespace palimpsest {
namespace {

/// The newest plan before `end`: the arguments of a `write_todos` call, and where it is.
struct Plan {
    std::int64_t at = -1;
    MessagePtr message;
    Value todos;
};

std::optional<Plan> planBefore(const MessageLog &log, std::int64_t end)
{
    for (std::int64_t i = end; i-- > 0;) {
        const MessagePtr &message = log[static_cast<std::size_t>(i)];
        for (const ToolCallView &call : toolCalls(*message))
            if (call.name == "write_todos" && (*call.args)["todos"].isList())
                return Plan{i, message, (*call.args)["todos"]};
    }
    return std::nullopt;
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited)
            continue;
        const MessageLog &log = context.ns.checkpoints[record.checkpoint.at()].messages;
        const auto size = static_cast<std::int64_t>(log.size());
        const std::optional<Plan> plan = planBefore(log, size);
        // A plan in the kept window is seen; one that an earlier event hid was that event's to lose.
        if (!plan || plan->at >= record.evicted.end.value || plan->at < record.evicted.first.value)
            continue;
        std::string seen = folded(summaryWords(*record.event));
        for (std::int64_t i = record.evicted.end.value; i < size; ++i)
            seen += folded(wordsOf(*log[static_cast<std::size_t>(i)]));
        Value::List lost;
        std::int64_t open = 0;
        for (const Value &todo : plan->todos.asList()) {
            if (todo["status"].asText() == "completed" || !todo["content"].isText())
                continue;
            ++open;
            const std::vector<std::string> terms = keyTerms(todo["content"].asText());
            if (!terms.empty() && termsIn(terms, seen) * 3 <= terms.size())
                lost.push_back(todo["content"]);
        }
        if (lost.empty())
            continue;
        const auto count = static_cast<std::int64_t>(lost.size());
        Finding finding = eventFinding("todo-lost", Finding::Severity::Warning, record,
            std::to_string(count) + " of " + std::to_string(open)
                + " open steps of the plan are mentioned neither by the summary nor in the kept window.",
            Value::map({{"lost", Value(std::move(lost))}, {"open", Value(open)}, {"raw_index", Value(plan->at)}}));
        finding.messageId = plan->message->id;
        seeFromEvent(context, sink, std::move(finding), context.ns.checkpoints[record.checkpoint.at()].id, record);
    }
}

} // namespace

const Rule rules::todoLost{
    {"todo-lost", Finding::Severity::Warning,
        "Open steps of the plan are in neither the summary nor the window that an event kept.",
        "Let the summary prompt ask for the plan, or have the agent write its todos again; the state's todos channel "
        "still has them.",
        "langchain/agents/middleware/todo.py, 1.5.2: a plan reaches the model as a tool call only"},
    &check};

} // namespace palimpsest
