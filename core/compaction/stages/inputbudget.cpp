// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/inputbudget.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace palimpsest {
namespace {

constexpr std::array<std::string_view, 9> overflowMarkers{"context_length_exceeded", "contextwindowexceedederror",
    "maximum context length", "exceeds the context window", "exceeds the available context size",
    "context window exceeded", "context limit exceeded", "input tokens exceed the configured limit",
    "prompt is too long"};

/// ASCII is enough: the markers are ASCII, and no other letter becomes one of theirs in lower case except U+212A, the
/// Kelvin sign.
std::string lowered(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

} // namespace

bool isContextOverflow(const CallError &error, const Dialect &dialect)
{
    if (error.raised.type == "ContextOverflowError")
        return true;
    if (!dialect.recognisesOverflowByText)
        return false;
    const double status = error.statusCode.asDouble();
    if (status != 400 && status != 413 && status != 422)
        return false;
    const std::string text = lowered(error.raised.message);
    return std::any_of(overflowMarkers.begin(), overflowMarkers.end(),
        [&](std::string_view marker) { return text.find(marker) != std::string::npos; });
}

std::int64_t reservedOutputTokens(const Value &modelAttributes, const Value &modelSettings)
{
    std::int64_t output = 0;
    for (const char *key : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
        const Value *value = modelSettings.find(key);
        if (!value)
            value = modelAttributes.find(key);
        if (value && value->isInt())
            output = std::max(output, value->asInt());
    }
    return output;
}

std::optional<std::int64_t> inputBudget(const CompactionRules &rules)
{
    if (!rules.dialect.checksInputBudget || !rules.maxInputTokens)
        return std::nullopt;
    const auto share =
        static_cast<std::int64_t>(static_cast<double>(*rules.maxInputTokens) * rules.dialect.inputBudgetShare);
    return std::max<std::int64_t>(0, share - rules.outputTokens);
}

bool overBudget(const CompactionRules &rules, std::int64_t totalTokens)
{
    const auto budget = inputBudget(rules);
    return budget && totalTokens > *budget;
}

} // namespace palimpsest
