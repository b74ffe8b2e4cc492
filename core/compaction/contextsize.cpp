// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/contextsize.h"

#include "core/values/pyrepr.h"

#include <algorithm>
#include <cmath>

namespace palimpsest {
namespace {

std::optional<ContextSize::Kind> kindNamed(std::string_view name)
{
    if (name == "messages")
        return ContextSize::Kind::Messages;
    if (name == "tokens")
        return ContextSize::Kind::Tokens;
    if (name == "fraction")
        return ContextSize::Kind::Fraction;
    return std::nullopt;
}

bool isTuple(const Value &value)
{
    const Value::Tagged *tagged = value.asTagged();
    return tagged && tagged->form == Value::Form::Python && tagged->name == "tuple";
}

const Value::List &itemsOf(const Value &value)
{
    return isTuple(value) ? value.asTagged()->value.asList() : value.asList();
}

bool isNumber(const Value &value)
{
    return value.isInt() || value.isFloat() || value.isBool() || value.kind() == Value::Kind::BigInt;
}

double numberOf(const Value &value)
{
    if (value.isBool())
        return value.asBool() ? 1 : 0;
    if (value.kind() == Value::Kind::BigInt)
        return std::strtod(value.bigIntDigits().c_str(), nullptr);
    return value.asDouble();
}

std::string typeOf(const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Nil:
        return "NoneType";
    case Value::Kind::Bool:
        return "bool";
    case Value::Kind::Int:
    case Value::Kind::BigInt:
        return "int";
    case Value::Kind::Float:
        return "float";
    case Value::Kind::Text:
        return "str";
    case Value::Kind::Bytes:
        return "bytes";
    case Value::Kind::List:
        return "list";
    case Value::Kind::Map:
        return "dict";
    case Value::Kind::Tagged:
        return isTuple(value) ? "tuple" : "object";
    }
    return "object";
}

tl::unexpected<Raised> valueError(std::string message)
{
    return raised("ValueError", std::move(message));
}

Attempt<ContextSize> check(std::string_view kind, const Value &value, std::string_view parameterName)
{
    const std::string name(parameterName);
    const auto known = kindNamed(kind);
    if (!known)
        return valueError("Unsupported context size type " + std::string(kind) + " for " + name + ".");
    if (!isNumber(value))
        return raised("TypeError", "'<=' not supported between instances of '" + typeOf(value) + "' and 'int'");
    const double number = numberOf(value);
    if (*known == ContextSize::Kind::Fraction) {
        if (!(0 < number && number <= 1))
            return valueError("Fractional " + name + " values must be between 0 and 1, got " + pyrepr(value) + ".");
    } else if (number <= 0) {
        return valueError(name + " thresholds must be greater than 0, got " + pyrepr(value) + ".");
    }
    return ContextSize{*known, number};
}

Attempt<TriggerClause> readClause(const Value::Map &map)
{
    if (map.empty())
        return valueError("trigger clause must specify at least one of 'tokens', 'messages', 'fraction'");
    TriggerClause clause;
    for (const auto &[key, value] : map) {
        const auto kind = kindNamed(key.asText());
        if (!kind)
            return valueError("Unsupported trigger metric: " + pyrepr(key));
        const std::string name(kindName(*kind));
        if (value.isBool())
            return valueError(name + " trigger value must be numeric, got " + pyrepr(value));
        const bool whole = value.isInt() || value.kind() == Value::Kind::BigInt;
        if (*kind == ContextSize::Kind::Fraction) {
            if (!whole && !value.isFloat())
                return valueError("Fraction trigger values must be numeric, got " + pyrepr(value));
        } else if (!whole) {
            return valueError(name + " trigger values must be integers, got " + pyrepr(value));
        }
        const auto size = check(name, value, "trigger");
        if (!size)
            return tl::unexpected(size.error());
        const auto same =
            std::find_if(clause.begin(), clause.end(), [&](const ContextSize &s) { return s.kind == *kind; });
        if (same != clause.end())
            *same = *size;
        else
            clause.push_back(*size);
    }
    return clause;
}

bool isPair(const Value &value, PairForm form)
{
    return isTuple(value)
        || (form == PairForm::Json && value.isList() && !value.asList().empty() && value.asList().front().isText());
}

} // namespace

Attempt<ContextSize> readContextSize(const Value &pair, std::string_view parameterName)
{
    if (!pair.isList() && !isTuple(pair))
        return raised("TypeError", "cannot unpack non-iterable " + typeOf(pair) + " object");
    const Value::List &items = itemsOf(pair);
    if (items.size() < 2)
        return valueError("not enough values to unpack (expected 2, got " + std::to_string(items.size()) + ")");
    if (items.size() > 2)
        return valueError("too many values to unpack (expected 2)");
    return check(pystr(items[0]), items[1], parameterName);
}

std::optional<ContextSize> readLooseContextSize(const Value &pair)
{
    const Value::List &items = itemsOf(pair);
    if (items.size() != 2 || !isNumber(items[1]))
        return std::nullopt;
    const auto kind = kindNamed(items[0].asText());
    if (!kind)
        return std::nullopt;
    return ContextSize{*kind, numberOf(items[1])};
}

Attempt<Trigger> readTrigger(const Value &value, PairForm form)
{
    Trigger trigger;
    if (value.isNil())
        return trigger;
    const auto add = [&](const Value &item, std::string_view what) -> Attempt<void> {
        if (item.isMap()) {
            auto clause = readClause(item.asMap());
            if (!clause)
                return tl::unexpected(clause.error());
            trigger.push_back(std::move(*clause));
        } else if (isPair(item, form)) {
            const auto size = readContextSize(item, "trigger");
            if (!size)
                return tl::unexpected(size.error());
            trigger.push_back({*size});
        } else {
            return raised("TypeError", "Unsupported trigger " + std::string(what) + ": <class '" + typeOf(item) + "'>");
        }
        return {};
    };
    if (value.isList() && !isPair(value, form)) {
        for (const Value &item : value.asList()) {
            if (const auto added = add(item, "item type"); !added)
                return tl::unexpected(added.error());
        }
    } else if (const auto added = add(value, "type"); !added) {
        return tl::unexpected(added.error());
    }
    return trigger;
}

bool needsProfile(const Trigger &trigger, const ContextSize &keep)
{
    const auto isFraction = [](const ContextSize &size) { return size.kind == ContextSize::Kind::Fraction; };
    return isFraction(keep) || std::any_of(trigger.begin(), trigger.end(), [&](const TriggerClause &clause) {
        return std::any_of(clause.begin(), clause.end(), isFraction);
    });
}

std::string missingProfileText()
{
    return "Model profile information is required to use fractional token limits, and is unavailable for the specified "
           "model. "
           "Please use absolute token counts instead, or pass `\n\nChatModel(..., profile={\"max_input_tokens\": "
           "...})`.\n\n"
           "with a desired integer value of the model's maximum input tokens.";
}

std::optional<std::int64_t> profileLimit(const Value &profile)
{
    const Value *limit = profile.find("max_input_tokens");
    if (!limit)
        return std::nullopt;
    if (limit->isBool())
        return limit->asBool() ? 1 : 0;
    if (limit->isInt())
        return limit->asInt();
    return std::nullopt;
}

std::int64_t fractionThreshold(std::int64_t maxInputTokens, double fraction)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(maxInputTokens) * fraction));
}

std::string_view kindName(ContextSize::Kind kind)
{
    switch (kind) {
    case ContextSize::Kind::Messages:
        return "messages";
    case ContextSize::Kind::Tokens:
        return "tokens";
    case ContextSize::Kind::Fraction:
        break;
    }
    return "fraction";
}

namespace {

Value sizeValue(const ContextSize &size)
{
    const bool whole = size.kind != ContextSize::Kind::Fraction && size.value == std::floor(size.value)
        && std::fabs(size.value) < 9e15;
    return whole ? Value(static_cast<std::int64_t>(size.value)) : Value(size.value);
}

Value clauseToValue(const TriggerClause &clause)
{
    if (clause.size() == 1)
        return contextSizeToValue(clause.front());
    Value::Map map;
    for (const ContextSize &size : clause)
        map.emplace_back(Value(kindName(size.kind)), sizeValue(size));
    return Value(std::move(map));
}

} // namespace

Value contextSizeToValue(const ContextSize &size)
{
    return Value::list({Value(kindName(size.kind)), sizeValue(size)});
}

Value triggerToValue(const Trigger &trigger)
{
    if (trigger.size() == 1)
        return clauseToValue(trigger.front());
    Value::List list;
    for (const TriggerClause &clause : trigger)
        list.push_back(clauseToValue(clause));
    return Value(std::move(list));
}

} // namespace palimpsest
