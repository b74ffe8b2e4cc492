// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/openaijson.h"

#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/values/json.h"

#include <algorithm>

namespace palimpsest {
namespace {

Value textBlock(const Value &text)
{
    return Value::map({{"type", Value("text")}, {"text", text}});
}

/// Items of the Responses API, one after the other, as chat messages.
class Items {
public:
    void add(const Value &item)
    {
        const std::string &type = item["type"].asText();
        const std::string &role = item["role"].asText();
        if (type == "function_call_output" || type == "custom_tool_call_output") {
            endTurn();
            m_messages.push_back(Value::map(
                {{"role", Value("tool")}, {"tool_call_id", item["call_id"]}, {"content", content(item["output"])}}));
        } else if (type == "function_call") {
            m_calls.push_back(Value::map({{"id", item["call_id"]}, {"type", Value("function")},
                {"function", Value::map({{"name", item["name"]}, {"arguments", item["arguments"]}})}}));
        } else if (type == "custom_tool_call") {
            m_calls.push_back(Value::map({{"id", item["call_id"]}, {"type", Value("custom")},
                {"custom", Value::map({{"name", item["name"]}, {"input", item["input"]}})}}));
        } else if (!role.empty() && role != "assistant") {
            endTurn();
            m_messages.push_back(Value::map({{"role", item["role"]}, {"content", content(item["content"])}}));
        } else if (role == "assistant") {
            // An answer after the calls of the turn before it begins another one.
            if (!m_calls.empty())
                endTurn();
            const Value parts = content(item["content"]);
            if (parts.isText())
                m_parts.push_back(textBlock(parts));
            m_parts.insert(m_parts.end(), parts.asList().begin(), parts.asList().end());
        } else {
            m_parts.push_back(item); // reasoning, calls of the provider's own tools
        }
    }

    Value::List take()
    {
        endTurn();
        return std::move(m_messages);
    }

private:
    static Value content(const Value &stored)
    {
        if (!stored.isList())
            return stored;
        Value::List parts;
        for (const Value &part : stored.asList()) {
            const std::string &type = part["type"].asText();
            parts.push_back(type == "input_text" || type == "output_text" ? part.with("type", Value("text")) : part);
        }
        return Value(std::move(parts));
    }

    void endTurn()
    {
        if (m_parts.empty() && m_calls.empty())
            return;
        const bool plain = m_parts.size() == 1 && m_parts.front()["type"].asText() == "text";
        Value message = Value::map({{"role", Value("assistant")},
            {"content",
                m_parts.empty() ? Value("")
                    : plain     ? m_parts.front()["text"]
                                : Value(std::move(m_parts))}});
        if (!m_calls.empty())
            message = message.with("tool_calls", Value(std::move(m_calls)));
        m_messages.push_back(std::move(message));
        m_parts.clear();
        m_calls.clear();
    }

    Value::List m_messages;
    Value::List m_parts; ///< content of the turn that is being read
    Value::List m_calls;
};

Value::List ofResponses(const Value &instructions, const Value &input, const Value &output)
{
    Items items;
    if (instructions.isText())
        items.add(Value::map({{"role", Value("system")}, {"content", instructions}}));
    if (input.isText())
        items.add(Value::map({{"role", Value("user")}, {"content", input}}));
    for (const Value *list : {&input, &output})
        for (const Value &item : list->asList())
            items.add(item);
    return items.take();
}

bool isItem(const Value &item)
{
    return item.isMap() && (item["type"].isText() || item["role"].isText());
}

bool areItems(const Value &list)
{
    return !list.asList().empty() && std::ranges::all_of(list.asList(), isItem);
}

Value::List messagesOf(const Value &object)
{
    const Value &body = object["response"]["body"].isMap() ? object["response"]["body"] : object["body"];
    if (body.isMap())
        return messagesOf(body);
    if (areItems(object["messages"]))
        return object["messages"].asList();
    // A line of a preference data set: what was asked, and the answer that was preferred.
    if (areItems(object["input"]["messages"])) {
        Value::List messages = object["input"]["messages"].asList();
        const Value::List &preferred = object["preferred_output"].asList();
        messages.insert(messages.end(), preferred.begin(), preferred.end());
        return messages;
    }
    if (areItems(object["input"]) || (object["input"].isText() && object["model"].isText())
        || (areItems(object["output"]) && object["object"].asText() == "response"))
        return ofResponses(object["instructions"], object["input"], object["output"]);
    if (object["object"].asText() == "list" && areItems(object["data"]))
        return ofResponses(Value(), object["data"], Value());
    Value::List answers;
    for (const Value &choice : object["choices"].asList())
        if (isItem(choice["message"]))
            answers.push_back(choice["message"]);
    return answers;
}

} // namespace

std::optional<std::string> openAiMessages(std::string_view object)
{
    // Cheap to tell: an object of another kind may be long.
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    const auto has = [&](std::string_view key) { return !jsonFind(object, *members, key).empty(); };
    if (!members || !(has("input") || has("output") || has("data") || has("choices") || has("body") || has("response")))
        return std::nullopt;
    const Result<Value> value = parseJson(object);
    const Value::List messages = value ? messagesOf(*value) : Value::List{};
    return messages.empty() ? std::nullopt : std::optional(toJson(Value(messages)));
}

} // namespace palimpsest
