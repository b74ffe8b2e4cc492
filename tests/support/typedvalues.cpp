// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/typedvalues.h"

namespace palimpsest::goldens {
namespace {

std::string className(const std::string &type)
{
    for (const auto &[word, name] : {std::pair("human", "Human"), std::pair("ai", "AI"), std::pair("tool", "Tool"),
             std::pair("system", "System"), std::pair("remove", "Remove"), std::pair("function", "Function")})
        if (type == word)
            return std::string(name) + "Message";
    return "ChatMessage";
}

} // namespace

Value typedMessages(const Value &value)
{
    if (value.isList()) {
        Value::List list;
        for (const Value &item : value.asList())
            list.push_back(typedMessages(item));
        return Value(std::move(list));
    }
    if (const Value::Tagged *tagged = value.asTagged()) {
        Value::Tagged copy = *tagged;
        copy.value = typedMessages(copy.value);
        return Value(std::move(copy));
    }
    if (!value.isMap())
        return value;
    const std::string &type = value["type"].asText();
    if (value.contains("additional_kwargs"))
        return Value(
            Value::Tagged{Value::Form::PydanticV2, "langchain_core.messages." + type, className(type), value, {}});
    Value::Map map;
    for (const auto &[key, member] : value.asMap())
        map.emplace_back(key, typedMessages(member));
    return Value(std::move(map));
}

} // namespace palimpsest::goldens
