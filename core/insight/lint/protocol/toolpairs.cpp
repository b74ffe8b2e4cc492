// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"

#include <algorithm>

namespace palimpsest {

std::vector<CallRef> callsOf(const Message &message)
{
    std::vector<CallRef> calls;
    if (message.kind != MessageKind::Ai)
        return calls;
    for (const ToolCallView &call : toolCalls(message))
        calls.push_back({std::string(call.id), std::string(call.name), std::nullopt, false});
    for (const Value &call : message.invalidToolCalls.asList())
        calls.push_back({call["id"].asText(), call["name"].asText(), std::nullopt, true});
    std::int64_t block = -1;
    for (const Value &part : message.content.asList()) {
        ++block;
        const std::string &type = part["type"].asText();
        const bool responses = type == "function_call";
        if (type != "tool_use" && type != "tool_call" && !responses)
            continue;
        const std::string &id = part[responses && part.contains("call_id") ? "call_id" : "id"].asText();
        if (std::none_of(calls.begin(), calls.end(), [&](const CallRef &known) { return known.id == id; }))
            calls.push_back({id, part["name"].asText(), block, false});
    }
    return calls;
}

std::vector<ResultRef> resultsOf(const Message &message)
{
    std::vector<ResultRef> results;
    if (message.kind == MessageKind::Tool)
        results.push_back({message.toolCallId.value_or(""), std::nullopt});
    if (message.kind != MessageKind::Human)
        return results;
    std::int64_t block = -1;
    for (const Value &part : message.content.asList()) {
        ++block;
        const std::string &type = part["type"].asText();
        if (type == "tool_result")
            results.push_back({part["tool_use_id"].asText(), block});
        else if (type == "function_call_output")
            results.push_back({part["call_id"].asText(), block});
    }
    return results;
}

void ToolPairs::update(const EffectiveView &view)
{
    if (view.fresh) {
        m_calls.clear();
        m_results.clear();
    }
    for (std::size_t i = view.firstNew; i < view.messages.size(); ++i) {
        for (CallRef &call : callsOf(*view.messages[i])) {
            const std::string id = call.id;
            m_calls[id].push_back({i, std::move(call)});
        }
        for (const ResultRef &result : resultsOf(*view.messages[i]))
            m_results[result.id].push_back(i);
    }
}

const ToolPairs::Made *ToolPairs::callBefore(const std::string &id, std::size_t at) const
{
    const std::vector<Made> &made = callsWith(id);
    for (auto it = made.rbegin(); it != made.rend(); ++it)
        if (it->at < at)
            return &*it;
    return nullptr;
}

const std::vector<ToolPairs::Made> &ToolPairs::callsWith(const std::string &id) const
{
    static const std::vector<Made> none;
    const auto it = m_calls.find(id);
    return it == m_calls.end() ? none : it->second;
}

std::optional<std::size_t> ToolPairs::resultAfter(const std::string &id, std::size_t at) const
{
    const auto it = m_results.find(id);
    if (it == m_results.end())
        return std::nullopt;
    const auto place = std::upper_bound(it->second.begin(), it->second.end(), at);
    return place == it->second.end() ? std::nullopt : std::optional<std::size_t>(*place);
}

std::string orphanWording(std::string_view provider, const std::string &id)
{
    if (provider == "anthropic" || provider == "bedrock" || provider == "bedrock_converse")
        return "unexpected `tool_use_id` found in `tool_result` blocks: " + id
            + ". Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
    if (provider == "google_genai" || provider == "google_vertexai")
        return "Please ensure that the number of function response parts is equal to the number of function call parts "
               "of the function call turn.";
    if (provider == "openai-responses")
        return "No tool call found for function call output with call_id " + id + ".";
    return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
}

std::string unansweredWording(std::string_view provider, const std::string &id)
{
    if (provider == "anthropic" || provider == "bedrock" || provider == "bedrock_converse")
        return "`tool_use` ids were found without `tool_result` blocks immediately after: " + id
            + ". Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
    if (provider == "google_genai" || provider == "google_vertexai")
        return "Please ensure that function call turn comes immediately after a user turn or after a function response "
               "turn.";
    if (provider == "openai-responses")
        return "No tool output found for function call " + id + ".";
    return "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
           "'tool_call_id'. The following "
           "tool_call_ids did not have response messages: "
        + id;
}

} // namespace palimpsest
