// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/foreigntypes.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

bool isOwnModule(std::string_view module)
{
    if (module.empty())
        return true;
    constexpr std::array<std::string_view, 8> packages{
        "langchain", "langgraph", "deepagents", "langsmith", "builtins", "numpy", "_codecs", "__builtin__"};
    constexpr std::array<std::string_view, 14> standard{"collections", "datetime", "uuid", "decimal", "pathlib", "re",
        "zoneinfo", "ipaddress", "fractions", "enum", "types", "typing", "posixpath", "_collections"};
    const std::string_view top = module.substr(0, module.find('.'));
    return std::any_of(packages.begin(), packages.end(), [&](std::string_view own) {
        return top == own || (own == "langchain" && (top.starts_with("langchain_")));
    }) || std::find(standard.begin(), standard.end(), top) != standard.end();
}

void collect(std::vector<std::string> &names, const Value &value, int depth)
{
    constexpr int deepest = 200;
    if (depth > deepest)
        return;
    if (value.isList()) {
        for (const Value &item : value.asList())
            collect(names, item, depth + 1);
    } else if (value.isMap()) {
        for (const auto &[key, item] : value.asMap()) {
            collect(names, key, depth + 1);
            collect(names, item, depth + 1);
        }
    } else if (const Value::Tagged *tagged = value.asTagged()) {
        const bool unknown = tagged->form == Value::Form::UnknownExt;
        if (unknown || !isOwnModule(tagged->module)) {
            std::string name = unknown ? "ext " + tagged->method : tagged->qualifiedName();
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(std::move(name));
        }
        collect(names, tagged->value, depth + 1);
    }
}

} // namespace

std::vector<std::string> foreignTypes(const Value &value)
{
    std::vector<std::string> names;
    if (value.isList() || value.isMap() || value.isTagged())
        collect(names, value, 0);
    return names;
}

bool mayHoldTypes(std::string_view msgpack)
{
    return std::any_of(msgpack.begin(), msgpack.end(), [](char c) {
        const auto tag = static_cast<unsigned char>(c);
        return (tag >= 0xc7 && tag <= 0xc9) || (tag >= 0xd4 && tag <= 0xd8);
    });
}

} // namespace palimpsest
