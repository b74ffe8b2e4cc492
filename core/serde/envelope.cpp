// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/envelope.h"

#include <optional>

namespace palimpsest {
namespace {

using Form = Value::Form;

std::optional<Value> opened(const Value &json, bool inEscaped);

Value openedOrSame(const Value &json, bool inEscaped)
{
    std::optional<Value> changed = opened(json, inEscaped);
    return changed ? *std::move(changed) : json;
}

/// Splits `id` into module and class. False when it is no list of text.
bool readId(const Value &id, Value::Tagged &tagged)
{
    if (id.asList().empty())
        return false;
    for (std::size_t i = 0; i < id.asList().size(); ++i) {
        const Value &part = id.asList()[i];
        if (!part.isText())
            return false;
        if (i + 1 == id.asList().size())
            tagged.name = part.asText();
        else
            tagged.module += (i ? "." : "") + part.asText();
    }
    return true;
}

std::optional<std::string> bytesOfList(const Value &list)
{
    if (!list.isList())
        return std::nullopt;
    std::string raw;
    raw.reserve(list.asList().size());
    for (const Value &item : list.asList()) {
        if (!item.isInt() || item.asInt() < 0 || item.asInt() > 255)
            return std::nullopt;
        raw += static_cast<char>(item.asInt());
    }
    return raw;
}

std::optional<std::string> bytesOfHex(const std::string &hex)
{
    if (hex.size() % 2)
        return std::nullopt;
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string raw;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const int high = digit(hex[i]);
        const int low = digit(hex[i + 1]);
        if (high < 0 || low < 0)
            return std::nullopt;
        raw += static_cast<char>(high * 16 + low);
    }
    return raw;
}

/// `method` is null, a name, or (pydantic) a list like [null, "construct"].
std::string methodName(const Value &method)
{
    if (method.isText())
        return method.asText();
    for (const Value &item : method.asList())
        if (item.isText())
            return item.asText();
    return {};
}

std::optional<Value> openedCall(const Value &json, bool inEscaped)
{
    Value::Tagged tagged;
    if (!readId(json["id"], tagged))
        return std::nullopt;
    const Value args = openedOrSame(json["args"], inEscaped);
    const Value kwargs = openedOrSame(json["kwargs"], inEscaped);
    const std::size_t positional = args.asList().size();
    const Value only = positional == 1 ? args.asList().front() : Value();
    tagged.method = methodName(json["method"]);

    if (tagged.module.empty() && tagged.name == "Uint8Array" && positional == 1)
        if (auto raw = bytesOfList(only))
            return Value::bytes(*std::move(raw));
    if (tagged.module == "builtins" && tagged.name == "bytes" && tagged.method == "fromhex" && only.isText())
        if (auto raw = bytesOfHex(only.asText()))
            return Value::bytes(*std::move(raw));
    if (tagged.module.empty() && tagged.name == "Map" && only.isList()) {
        Value::Map map;
        for (const Value &pair : only.asList()) {
            if (pair.asList().size() != 2)
                return std::nullopt;
            map.emplace_back(pair.asList()[0], pair.asList()[1]);
        }
        tagged.value = Value(std::move(map));
        return Value(std::move(tagged));
    }

    if (kwargs.truthy() && positional > 0) {
        tagged.form = Form::LangChain;
        tagged.value = Value::map({{"args", args}, {"kwargs", kwargs}});
    } else if (kwargs.truthy()) {
        tagged.form = tagged.method.empty() ? Form::ConstructorKwargs
            : tagged.method == "construct"  ? Form::PydanticV1
                                            : Form::PydanticV2;
        tagged.value = kwargs;
    } else if (!tagged.method.empty() && positional == 1) {
        tagged.form = Form::MethodSingle;
        tagged.value = only;
    } else if (positional == 1 && !tagged.module.starts_with("pathlib")) {
        tagged.form = Form::ConstructorSingle;
        tagged.value = only;
    } else {
        tagged.form = Form::ConstructorArgs;
        tagged.value = args.isList() ? args : Value(Value::List{});
    }
    return Value(std::move(tagged));
}

std::optional<Value> openedEnvelope(const Value &json, bool inEscaped)
{
    const std::int64_t version = json["lc"].asInt();
    const std::string &type = json["type"].asText();
    if (version == 2 && type == "undefined")
        return Value();
    if (version == 2 && type == "delta_snapshot" && json.contains("value"))
        return Value(Value::Tagged{Form::DeltaSnapshot, "langgraph.checkpoint.serde.types", "_DeltaSnapshot",
            openedOrSame(json["value"], inEscaped), {}});
    if (version == 2 && type == "constructor")
        return openedCall(json, inEscaped);
    if (version == 1 && type == "constructor" && json["kwargs"].isMap() && !inEscaped) {
        Value::Tagged tagged;
        tagged.form = Form::LangChain;
        if (!readId(json["id"], tagged))
            return std::nullopt;
        tagged.value = openedOrSame(json["kwargs"], inEscaped);
        return Value(std::move(tagged));
    }
    return std::nullopt;
}

/// The map with its members opened; nothing when none changed.
std::optional<Value> openedMembers(const Value &json, bool inEscaped)
{
    const Value::Map &map = json.asMap();
    for (std::size_t i = 0; i < map.size(); ++i) {
        std::optional<Value> changed = opened(map[i].second, inEscaped);
        if (!changed)
            continue;
        Value::Map copy = map;
        copy[i].second = *std::move(changed);
        for (std::size_t k = i + 1; k < copy.size(); ++k)
            if (std::optional<Value> more = opened(copy[k].second, inEscaped))
                copy[k].second = *std::move(more);
        return Value(std::move(copy));
    }
    return std::nullopt;
}

/// Nothing when there is nothing to open in it: most values are kept as they are.
std::optional<Value> opened(const Value &json, bool inEscaped)
{
    if (json.isList()) {
        const Value::List &list = json.asList();
        for (std::size_t i = 0; i < list.size(); ++i) {
            std::optional<Value> changed = opened(list[i], inEscaped);
            if (!changed)
                continue;
            Value::List copy = list;
            copy[i] = *std::move(changed);
            for (std::size_t k = i + 1; k < copy.size(); ++k)
                if (std::optional<Value> more = opened(copy[k], inEscaped))
                    copy[k] = *std::move(more);
            return Value(std::move(copy));
        }
        return std::nullopt;
    }
    if (!json.isMap())
        return std::nullopt;
    if (json.asMap().size() == 1 && !inEscaped)
        if (const Value *inner = json.find("__lc_escaped__")) {
            // User data: no record, but JS still stores its typed arrays and sets as records of their own.
            std::optional<Value> members = openedMembers(*inner, true);
            return members ? *std::move(members) : *inner;
        }
    if (json["lc"].isInt())
        if (std::optional<Value> value = openedEnvelope(json, inEscaped))
            return value;
    return openedMembers(json, inEscaped);
}

} // namespace

Value openEnvelopes(const Value &json)
{
    return openedOrSame(json, false);
}

} // namespace palimpsest
