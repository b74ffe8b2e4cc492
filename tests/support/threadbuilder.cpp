// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/threadbuilder.h"

#include <algorithm>
#include <cstdio>

namespace palimpsest {

namespace {

Message plain(MessageKind kind, const std::string &id, const std::string &text)
{
    Message message;
    message.kind = kind;
    message.type = std::string(typeName(kind));
    message.id = id;
    message.content = Value(text);
    return message;
}

std::string archived(const MessageLog &log, std::int64_t from, std::int64_t to)
{
    std::string out;
    for (std::int64_t i = from; i < to && i < static_cast<std::int64_t>(log.size()); ++i) {
        const Message &message = *log[static_cast<std::size_t>(i)];
        out += "<message type=\"" + message.type + "\">" + textOf(message) + "</message>\n";
    }
    return out;
}

} // namespace

ThreadBuilder::ThreadBuilder(std::string threadId)
{
    m_thread.id = std::move(threadId);
    m_thread.namespaces.emplace_back();
}

ThreadBuilder &ThreadBuilder::space(const std::string &ns)
{
    if (m_dirty)
        checkpoint();
    ThreadNamespace added;
    added.name = ns;
    m_thread.namespaces.push_back(std::move(added));
    m_space = m_thread.namespaces.size() - 1;
    m_next = {};
    m_rewritten.clear();
    return *this;
}

void ThreadBuilder::add(Message message)
{
    m_next.messages = m_next.messages.push_back(std::make_shared<const Message>(std::move(message)));
    m_dirty = true;
}

ThreadBuilder &ThreadBuilder::human(const std::string &id, const std::string &text)
{
    add(plain(MessageKind::Human, id, text));
    return *this;
}

ThreadBuilder &ThreadBuilder::ai(const std::string &id, const std::string &text)
{
    add(plain(MessageKind::Ai, id, text));
    return *this;
}

ThreadBuilder &ThreadBuilder::calls(
    const std::string &id, const std::vector<std::pair<std::string, std::string>> &calls)
{
    Message message = plain(MessageKind::Ai, id, "");
    Value::List list;
    for (const auto &[callId, name] : calls)
        list.push_back(Value::map({{"name", Value(name)}, {"args", Value::map({{"topic", Value(callId)}})},
            {"id", Value(callId)}, {"type", Value("tool_call")}}));
    message.toolCalls = Value(std::move(list));
    add(std::move(message));
    return *this;
}

ThreadBuilder &ThreadBuilder::tool(
    const std::string &id, const std::string &callId, const std::string &name, const std::string &text)
{
    Message message = plain(MessageKind::Tool, id, text);
    message.name = name;
    message.toolCallId = callId;
    message.status = "success";
    add(std::move(message));
    return *this;
}

ThreadBuilder &ThreadBuilder::message(Message message)
{
    add(std::move(message));
    return *this;
}

ThreadBuilder &ThreadBuilder::remove(const std::string &id)
{
    for (std::size_t i = 0; i < m_next.messages.size(); ++i) {
        if (m_next.messages[i]->id != id)
            continue;
        auto &versions = here().versions[id];
        if (versions.empty())
            versions.push_back({m_next.messages[i], CheckpointIndex(std::int64_t{0}), {}});
        m_rewritten.emplace_back(id, nullptr);
        m_next.messages = m_next.messages.erase(i);
        break;
    }
    m_dirty = true;
    return *this;
}

ThreadBuilder &ThreadBuilder::rewrite(const std::string &id, const std::string &text)
{
    for (std::size_t i = 0; i < m_next.messages.size(); ++i) {
        if (m_next.messages[i]->id != id)
            continue;
        auto &versions = here().versions[id];
        if (versions.empty())
            versions.push_back({m_next.messages[i], CheckpointIndex(std::int64_t{0}), {}});
        Message other = *m_next.messages[i];
        other.content = Value(text);
        const MessagePtr body = std::make_shared<const Message>(std::move(other));
        m_rewritten.emplace_back(id, body);
        m_next.messages = m_next.messages.set(i, body);
        break;
    }
    m_dirty = true;
    return *this;
}

ThreadBuilder &ThreadBuilder::file(const std::string &path, const std::string &content)
{
    auto entry = std::make_shared<FileEntry>();
    entry->content = Value(content);
    m_next.files = m_next.files.set(path, entry);
    m_dirty = true;
    return *this;
}

ThreadBuilder &ThreadBuilder::event(std::int64_t cutoff, const std::string &summary, const std::string &path)
{
    auto event = std::make_shared<SummarizationEvent>();
    event->cutoffIndex = cutoff;
    Message message = plain(MessageKind::Human, "", summary);
    message.id.reset();
    message.additionalKwargs = Value::map({{"lc_source", Value("summarization")}});
    event->summaryMessage = std::make_shared<const Message>(std::move(message));
    event->raw = Value::map({{"cutoff_index", Value(cutoff)}});
    if (!path.empty()) {
        event->filePath = path;
        const std::int64_t from = m_next.event ? m_next.event->cutoffIndex : 0;
        const FileEntryPtr *old = m_next.files.find(path);
        file(path,
            (old ? (*old)->content.asText() : std::string()) + "## Summarized at 2026-01-01T00:00:0"
                + std::to_string(m_number % 10) + "+00:00\n\n" + archived(m_next.messages, from, cutoff) + "\n");
    }
    m_next.event = event;
    m_dirty = true;
    return *this;
}

ThreadBuilder &ThreadBuilder::checkpoint()
{
    ThreadNamespace &space = here();
    const CheckpointIndex index(space.checkpoints.size());
    char id[64];
    std::snprintf(id, sizeof id, "1f000000-0000-6000-8000-%012d", ++m_number);
    m_next.id = id;
    m_next.step = static_cast<int>(index.value) - 1;
    m_next.source = index.value == 0 ? "input" : "loop";
    m_next.createdAt = "2026-01-01T10:00:" + std::string(m_number % 60 < 10 ? "0" : "") + std::to_string(m_number % 60)
        + ".000000+00:00";
    if (!space.checkpoints.empty()) {
        m_next.parentId = space.checkpoints.back().id;
        m_next.parent = index - 1;
        space.checkpoints.back().children = {index};
    }
    const EventPtr before = space.checkpoints.empty() ? nullptr : space.checkpoints.back().event;
    if (m_next.event && m_next.event != before)
        space.eventCheckpoints.push_back(index);
    for (auto &[key, body] : m_rewritten)
        space.versions[key].push_back({body, index, {}});
    m_rewritten.clear();
    space.checkpoints.push_back(m_next);
    space.heads = {index};
    m_next.children.clear();
    m_dirty = false;
    return *this;
}

ThreadBuilder &ThreadBuilder::call(std::int64_t inputTokens)
{
    if (m_dirty || here().checkpoints.empty())
        checkpoint();
    ThreadNamespace &space = here();
    Call call;
    call.number = CallNumber(space.calls.size() + 1);
    call.taskId = "task-" + std::to_string(call.number.value);
    call.node = "model";
    call.checkpoint = CheckpointIndex(space.checkpoints.size() - 1);
    call.step = space.checkpoints.back().step + 1;
    call.log = space.checkpoints.back().messages;
    call.event = space.checkpoints.back().event;
    call.eventFrom = call.event ? Call::EventFrom::Checkpoint : Call::EventFrom::None;
    if (inputTokens > 0)
        call.usage = Value::map({{"input_tokens", Value(inputTokens)}});
    space.calls.push_back(std::move(call));
    return *this;
}

ThreadBuilder &ThreadBuilder::subagent(SubagentLink link)
{
    m_thread.subagents.push_back(std::move(link));
    return *this;
}

ThreadPtr ThreadBuilder::build()
{
    if (m_dirty || here().checkpoints.empty())
        checkpoint();
    return std::make_shared<const Thread>(m_thread);
}

} // namespace palimpsest
