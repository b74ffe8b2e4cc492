// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/nextrequest.h"

#include "core/compaction/dialect.h"
#include "core/compaction/stages/patchtoolcalls.h"

#include <algorithm>
#include <unordered_set>

namespace palimpsest {
namespace {

std::vector<std::string> unansweredCalls(const MessageLog &log)
{
    std::unordered_set<std::string> answered;
    for (const MessagePtr &message : log)
        if (message->kind == MessageKind::Tool && message->toolCallId)
            answered.insert(*message->toolCallId);
    std::vector<std::string> ids;
    for (const MessagePtr &message : log)
        if (message->kind == MessageKind::Ai)
            for (const ToolCallView &call : toolCalls(*message))
                if (call.hasId && !answered.contains(std::string(call.id)))
                    ids.emplace_back(call.id);
    return ids;
}

MessagePtr newMessage()
{
    Message message;
    message.kind = MessageKind::Human;
    message.type = "human";
    message.content = Value(NextRequest::placeholder);
    return std::make_shared<Message>(std::move(message));
}

/// What a head does next when it goes on by itself.
NextRequest::First firstOf(const Checkpoint &head)
{
    for (const Waiting &waiting : head.waiting)
        if (waiting.kind == Waiting::Kind::Interrupt)
            return NextRequest::First::Interrupt;
    if (head.messages.empty())
        return head.source == "input" ? NextRequest::First::Model : NextRequest::First::Nothing;
    const Message &last = *head.messages.back();
    if (last.kind != MessageKind::Ai)
        return last.kind == MessageKind::Human || last.kind == MessageKind::Tool ? NextRequest::First::Model
                                                                                 : NextRequest::First::Nothing;
    return toolCalls(last).empty() ? NextRequest::First::Nothing : NextRequest::First::Tools;
}

} // namespace

std::vector<NextRequest> nextRequests(
    RecordedRequests &requests, const Thread &thread, const ThreadNamespace &space, const std::string &dialect)
{
    const Result<DialectChoice> choice = dialectFor(dialect);
    const Dialect rules = choice ? choice->dialect : knownDialects().front();
    const auto number = static_cast<std::int64_t>(space.calls.size()) + 1;
    std::vector<NextRequest> all;
    for (const CheckpointIndex at : space.heads) {
        const Checkpoint &head = space.checkpoints[at.at()];

        NextRequest message;
        message.head = at;
        message.resume = NextRequest::Resume::Message;
        message.patcherRuns = thread.language != "js" ? !rules.rewritesState : true;
        MessageLog log = head.messages.push_back(newMessage());
        if (message.patcherRuns) {
            if (const auto patched = patchToolCalls({log.begin(), log.end()}, rules)) {
                message.patched = static_cast<std::int64_t>(patched->messages.size() - log.size());
                log = MessageLog(patched->messages.begin(), patched->messages.end());
            }
        }
        message.unanswered = unansweredCalls(log);
        message.request = requests.of(log, head.event, number);
        all.push_back(std::move(message));

        NextRequest none;
        none.head = at;
        none.resume = NextRequest::Resume::None;
        none.first = firstOf(head);
        if (none.first == NextRequest::First::Model || none.first == NextRequest::First::Tools) {
            none.request = requests.of(head.messages, head.event, number);
            none.unanswered = unansweredCalls(head.messages);
        }
        all.push_back(std::move(none));

        NextRequest update;
        update.head = at;
        update.resume = NextRequest::Resume::UpdateState;
        const MessageLog updated = head.messages.push_back(newMessage());
        update.unanswered = unansweredCalls(updated);
        update.request = requests.of(updated, head.event, number);
        all.push_back(std::move(update));
    }
    for (NextRequest &next : all)
        if (space.checkpoints[next.head.at()].incomplete || next.first == NextRequest::First::Tools)
            next.request.certainty = Certainty::Uncertain;
    return all;
}

std::string_view resumeName(NextRequest::Resume resume)
{
    switch (resume) {
    case NextRequest::Resume::Message:
        return "message";
    case NextRequest::Resume::None:
        return "none";
    case NextRequest::Resume::UpdateState:
        break;
    }
    return "update_state";
}

std::string_view firstName(NextRequest::First first)
{
    switch (first) {
    case NextRequest::First::Model:
        return "model";
    case NextRequest::First::Tools:
        return "tools";
    case NextRequest::First::Interrupt:
        return "interrupt";
    case NextRequest::First::Nothing:
        break;
    }
    return "nothing";
}

} // namespace palimpsest
