// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/messagerow.h"

#include "models/display.h"
#include "models/messagetext.h"

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// How far a call and its result are looked for; upstream puts results right behind their call.
constexpr std::size_t reach = 500;
constexpr qsizetype longestWords = 80; ///< of a subagent's task

QString keyOf(const Message &message, std::size_t at)
{
    return toQString(messageKey(message, MessageIndex(at)));
}

bool hasCall(const Message &message, std::string_view id)
{
    return std::ranges::any_of(
        toolCalls(message), [&](const ToolCallView &call) { return call.hasId && call.id == id; });
}

void pairResult(MessageRow &row, const MessageLog &log, std::size_t at, const Message &message)
{
    if (!message.toolCallId)
        return;
    row.callIsNear = true;
    const std::size_t end = at > reach ? at - reach : 0;
    for (std::size_t i = at; i-- > end;) {
        const MessagePtr &other = log[i];
        if (!other)
            continue;
        if (other->kind == MessageKind::Tool)
            continue;
        if (other->kind != MessageKind::Ai || !hasCall(*other, *message.toolCallId)) {
            row.callIsNear = false;
            continue;
        }
        const auto calls = toolCalls(*other);
        row.batch = static_cast<int>(calls.size());
        const auto mine =
            std::ranges::find_if(calls, [&](const ToolCallView &call) { return call.id == *message.toolCallId; });
        row.place = static_cast<int>(mine - calls.begin());
        row.partner = keyOf(*other, i);
        break;
    }
    if (row.partner.isEmpty())
        row.callIsNear = false;
    row.lastOfBatch = at + 1 >= log.size() || !log[at + 1] || log[at + 1]->kind != MessageKind::Tool;
}

void pairCalls(MessageRow &row, const MessageLog &log, std::size_t at, const Message &message)
{
    const auto calls = toolCalls(message);
    row.calls = static_cast<int>(calls.size());
    if (calls.empty())
        return;
    std::vector<std::string_view> open;
    for (const ToolCallView &call : calls) {
        if (call.hasId)
            open.push_back(call.id);
    }
    const std::size_t end = std::min(log.size(), at + 1 + reach);
    for (std::size_t i = at + 1; i < end && !open.empty(); ++i) {
        const MessagePtr &other = log[i];
        if (!other || other->kind != MessageKind::Tool || !other->toolCallId)
            continue;
        const auto found = std::ranges::find(open, *other->toolCallId);
        if (found == open.end())
            continue;
        open.erase(found);
        if (row.partner.isEmpty())
            row.partner = keyOf(*other, i);
    }
    row.dangling = !open.empty();
}

void addSubagents(MessageRow &row, const Scene &scene, const Message &message)
{
    if (!scene.thread || scene.thread->subagents.empty() || !scene.space)
        return;
    const auto add = [&](std::string_view callId) {
        for (const SubagentLink &link : scene.thread->subagents)
            if (link.toolCallId == callId && link.parentNs == scene.space->name)
                row.subagents << RowSubagent{toQString(link.ns), toQString(link.agent),
                    toQString(link.description).simplified().left(longestWords), !link.hasCheckpoints};
    };
    if (message.kind == MessageKind::Tool && message.toolCallId)
        add(*message.toolCallId);
    for (const ToolCallView &call : toolCalls(message))
        if (call.hasId)
            add(call.id);
}

} // namespace

QString RowSubagent::title() const
{
    const QString name = agent.isEmpty() ? ns : agent;
    return words.isEmpty() ? name : name + u": "_s + words;
}

MessageRow describeMessage(const Scene &scene, const MessageLog &log, std::size_t at, const MessagePtr &messagePtr)
{
    MessageRow row;
    if (!messagePtr)
        return row;
    const Message &message = *messagePtr;
    row.key = keyOf(message, at);
    row.kind = message.kind;
    row.summary = isSummary(message);
    row.role = roleWord(message);
    row.tool = toolNameOf(message);
    row.preview = previewOf(message);
    const MessageFacts facts = scene.facts ? scene.facts->of(message) : factsOf(message);
    row.tokens = facts.tokens;
    row.offloaded = !facts.offloadedTo.empty();
    row.truncated = facts.argumentsTruncated;
    row.clipped = facts.clipped;
    row.media = facts.hasMedia;
    row.remote = facts.remoteMedia;
    row.failed = message.kind == MessageKind::Tool && message.status == "error";
    if (scene.space && facts.bornAt.isValid() && facts.bornAt.at() < scene.space->checkpoints.size())
        row.time = toQString(scene.space->checkpoints[facts.bornAt.at()].createdAt);
    if (message.kind == MessageKind::Tool)
        pairResult(row, log, at, message);
    else if (message.kind == MessageKind::Ai)
        pairCalls(row, log, at, message);
    addSubagents(row, scene, message);
    if (scene.space && message.id) {
        if (const auto found = scene.space->versions.find(*message.id); found != scene.space->versions.end())
            row.versions = std::max<int>(1,
                static_cast<int>(
                    std::ranges::count_if(found->second, [](const BodyVersion &v) { return v.body != nullptr; })));
    }
    return row;
}

bool passes(const MessageFilter &filter, const Message &message, bool inContext)
{
    if ((filter.context == MessageFilter::Context::In && !inContext)
        || (filter.context == MessageFilter::Context::Out && inContext))
        return false;
    if (!filter.roles.isEmpty() && !filter.roles.contains(roleWord(message)))
        return false;
    if (filter.tool.isEmpty())
        return true;
    if (toolNameOf(message).contains(filter.tool, Qt::CaseInsensitive))
        return true;
    return std::ranges::any_of(toolCalls(message),
        [&](const ToolCallView &call) { return toQString(call.name).contains(filter.tool, Qt::CaseInsensitive); });
}

} // namespace palimpsest
