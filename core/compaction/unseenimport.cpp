// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/unseenimport.h"

#include <array>
#include <string>

namespace palimpsest {
namespace {

/// One tool in the counter's form; nil when it is none.
Value toolOf(const Value &json)
{
    if (!json.isMap())
        return {};
    if (json["function"].isMap())
        return toolOf(json["function"]);
    const Value *name = json.find("name");
    if (!name || !name->isText())
        return {};
    Value parameters;
    for (const char *key : {"parameters", "input_schema", "inputSchema", "args_schema"}) {
        if (const Value *found = json.find(key); found && found->isMap()) {
            parameters = *found;
            break;
        }
    }
    const Value *description = json.find("description");
    return Value::map(
        {{"name", *name}, {"description", description && description->isText() ? *description : Value("")},
            {"parameters", parameters.isNil() ? Value(Value::Map{}) : parameters}});
}

/// The list of tools somewhere inside; null when there is none.
const Value *toolListIn(const Value &json)
{
    if (json.isList())
        return &json;
    for (const char *key : {"tools", "functions"})
        if (const Value *found = json.find(key); found && (found->isList() || found->isInt()))
            return found;
    for (const char *key : {"result", "extra", "invocation_params", "kwargs", "serialized", "run", "body"}) {
        if (const Value *inside = json.find(key); inside && inside->isMap())
            if (const Value *found = toolListIn(*inside))
                return found;
    }
    return nullptr;
}

bool isSystem(const Value &message)
{
    for (const char *key : {"type", "role"})
        if (const std::string &word = message[key].asText(); word == "system" || word == "developer")
            return true;
    const Value::List &path = message["id"].asList(); // LangChain's envelope
    return !path.empty() && path.back().asText() == "SystemMessage";
}

/// Content of a message in any form; null when it has none.
const Value *contentOf(const Value &message)
{
    for (const char *key : {"kwargs", "data"})
        if (const Value *inside = message.find(key); inside && inside->contains("content"))
            return inside->find("content");
    return message.find("content");
}

/// The system prompt somewhere inside: a text, blocks or a number; null when there is none.
const Value *systemIn(const Value &json)
{
    if (json.isText() || json.isInt())
        return &json;
    if (json.isList()) {
        for (const Value &item : json.asList())
            if (const Value *found = item.isList() || item.isMap() ? systemIn(item) : nullptr)
                return found;
        return nullptr;
    }
    if (isSystem(json))
        return contentOf(json);
    for (const char *key : {"system_message", "system", "system_prompt", "instructions"}) {
        const Value *found = json.find(key);
        if (found && found->isMap())
            return systemIn(*found);
        if (found && (found->truthy()))
            return found;
    }
    for (const char *key : {"messages", "inputs", "input", "run", "body", "extra", "invocation_params"}) {
        if (const Value *inside = json.find(key); inside && (inside->isList() || inside->isMap()))
            if (const Value *found = systemIn(*inside))
                return found;
    }
    return nullptr;
}

} // namespace

Result<Value> toolsFromJson(const Value &json)
{
    if (json.isInt() && json.asInt() >= 0)
        return json;
    const Value *list = toolListIn(json);
    if (list && list->isInt())
        return *list;
    if (!list) {
        if (Value one = toolOf(json); !one.isNil())
            return Value(Value::List{std::move(one)});
        return failure(Error::Code::Invalid, "tools",
            "No tools are in it. Give OpenAI or Anthropic tools, an MCP tools/list answer, a LangSmith model run, or a "
            "number of tokens.");
    }
    Value::List tools;
    for (const Value &item : list->asList()) {
        Value tool = toolOf(item);
        if (tool.isNil())
            return failure(Error::Code::Invalid, "tools[" + std::to_string(tools.size()) + "]",
                "This is no tool: a name and parameters, input_schema or inputSchema are expected.");
        tools.push_back(std::move(tool));
    }
    return Value(std::move(tools));
}

Result<Value> systemFromJson(const Value &json)
{
    const Value *found = systemIn(json);
    if (!found)
        return failure(Error::Code::Invalid, "system_message",
            "No system message is in it. Give a text, a message, a request, a LangSmith model run, or a number of "
            "tokens.");
    if (found->isInt())
        return *found;
    return Value::map({{"type", Value("system")}, {"content", *found}});
}

} // namespace palimpsest
