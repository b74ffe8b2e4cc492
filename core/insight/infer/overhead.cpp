// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/overhead.h"

#include "core/values/pyjson.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace palimpsest {
namespace {

/// Length of a built-in tool's JSON as the counter sees it (deepagents/middleware/{filesystem,subagents}.py).
struct BuiltInTool {
    std::string_view name;
    std::size_t length077 = 0;
    std::size_t length0732 = 0;
    bool onlyRoot = false; ///< subagents do not have it
    bool onlyWhenSeen = false;
};
constexpr std::array<BuiltInTool, 9> builtInTools{{
    {"ls", 449, 449, false, false},
    {"read_file", 1802, 1705, false, false},
    {"write_file", 743, 743, false, false},
    {"edit_file", 1152, 1161, false, false},
    {"delete", 624, 624, false, false},
    {"glob", 1636, 1636, false, false},
    {"grep", 2367, 2367, false, false},
    {"task", 1836, 1973, true, false},
    {"compact_conversation", 460, 460, false, true},
}};

/// What a tool's docstring takes where nothing is known of it.
constexpr std::size_t usualDescription = 45;

std::string_view jsonType(const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Bool:
        return "boolean";
    case Value::Kind::Int:
    case Value::Kind::BigInt:
        return "integer";
    case Value::Kind::Float:
        return "number";
    case Value::Kind::List:
        return "array";
    case Value::Kind::Map:
        return "object";
    default:
        return "string";
    }
}

using Arguments = std::map<std::string, std::string>; ///< name → JSON type

std::map<std::string, Arguments> toolsSeen(const ReplayInput &input)
{
    std::map<std::string, Arguments> seen;
    for (const ReplayInput::Track &track : input.tracks()) {
        for (const ReplayInput::Original &original : track.messages) {
            if (original.message->kind != MessageKind::Ai)
                continue;
            for (const ToolCallView &call : toolCalls(*original.message)) {
                Arguments &arguments = seen[std::string(call.name)];
                for (const auto &[key, value] : call.args->asMap())
                    arguments.emplace(key.asText(), jsonType(value));
            }
        }
    }
    return seen;
}

/// The schema that a typed Python function with these parameters gets.
Value schemaOf(const std::string &name, const Arguments &arguments)
{
    Value::Map properties;
    Value::List required;
    for (const auto &[argument, type] : arguments) {
        std::string title = argument;
        if (!title.empty() && title.front() >= 'a' && title.front() <= 'z')
            title.front() = static_cast<char>(title.front() - 'a' + 'A');
        properties.emplace_back(Value(argument), Value::map({{"title", Value(title)}, {"type", Value(type)}}));
        required.push_back(Value(argument));
    }
    return Value::map({{"name", Value(name)}, {"description", Value(std::string(usualDescription, 'x'))},
        {"parameters",
            Value::map({{"properties", Value(std::move(properties))}, {"required", Value(std::move(required))},
                {"type", Value("object")}})}});
}

struct Line {
    double intercept = 0;
    double slope = 1;
};

/// Least squares; a slope of 1 where the points do not tell one.
Line fitted(const std::vector<std::pair<double, double>> &points)
{
    const auto n = static_cast<double>(points.size());
    double x = 0;
    double y = 0;
    for (const auto &[px, py] : points) {
        x += px / n;
        y += py / n;
    }
    double xx = 0;
    double xy = 0;
    for (const auto &[px, py] : points) {
        xx += (px - x) * (px - x);
        xy += (px - x) * (py - y);
    }
    Line line;
    if (points.size() >= 4 && xx > 0) {
        const double slope = xy / xx;
        if (slope >= 0.4 && slope <= 2.5)
            line.slope = slope;
    }
    line.intercept = y - line.slope * x;
    return line;
}

} // namespace

std::optional<Overhead> overheadFromUsage(const ReplayInput &input, const Evidence &withoutOverhead)
{
    std::vector<std::pair<double, double>> points;
    for (const CallFact &fact : withoutOverhead.facts) {
        const Value *reported = input.call(static_cast<std::size_t>(fact.call)).usage.find("input_tokens");
        if (reported && reported->isInt() && reported->asInt() > 0)
            points.emplace_back(static_cast<double>(fact.requested), static_cast<double>(reported->asInt()));
    }
    if (points.empty())
        return std::nullopt;
    const Line line = fitted(points);
    Overhead overhead;
    overhead.tools = std::max<std::int64_t>(0, std::llround(line.intercept / line.slope));
    overhead.from = "What " + std::to_string(points.size())
        + " answers report as input, against the counted messages, leaves " + std::to_string(overhead.tools)
        + " tokens for tools and system message together.";
    return overhead;
}

Overhead overheadFromTools(const ReplayInput &input, const Dialect &dialect, double charsPerToken)
{
    Overhead overhead;
    if (!dialect.countsToolsAndSystem()) {
        overhead.from = "This middleware counts messages only.";
        return overhead;
    }
    std::map<std::string, Arguments> seen = toolsSeen(input);
    const bool root = input.space().name.empty();
    std::size_t length = 2;
    std::size_t count = 0;
    const auto addTool = [&](std::size_t characters) {
        length += characters + (count > 0 ? 2 : 0);
        ++count;
    };
    for (const BuiltInTool &tool : builtInTools) {
        const bool used = seen.erase(std::string(tool.name)) > 0;
        if ((tool.onlyRoot && !root && !used) || (tool.onlyWhenSeen && !used))
            continue;
        addTool(dialect.eventHasCreatedAtIndex ? tool.length0732 : tool.length077);
    }
    overhead.atLeast = true;
    const std::size_t own = count;
    for (const auto &[name, arguments] : seen)
        addTool(pyjson(schemaOf(name, arguments)).value_or(std::string()).size());
    overhead.tools = static_cast<std::int64_t>(std::ceil(static_cast<double>(length) / std::max(charsPerToken, 0.01)));
    overhead.from = "The " + std::to_string(own) + " tools that deepagents binds and " + std::to_string(count - own)
        + " more that were called take about " + std::to_string(overhead.tools)
        + " tokens; the system message is not recorded and counted as nothing.";
    return overhead;
}

Overhead overheadOf(
    const ReplayInput &input, const Evidence &withoutOverhead, const Dialect &dialect, double charsPerToken)
{
    Overhead tools = overheadFromTools(input, dialect, charsPerToken);
    if (!dialect.countsToolsAndSystem())
        return tools;
    auto usage = overheadFromUsage(input, withoutOverhead);
    if (usage && usage->tools * 2 >= tools.tools)
        return *usage;
    if (usage)
        tools.from += " (The reported input leaves " + std::to_string(usage->tools)
            + " tokens for them: less than deepagents' own tools, so it does not count tools.)";
    return tools;
}

} // namespace palimpsest
