// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/trigger.h"

#include "core/compaction/contextsize.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace palimpsest {
namespace {

std::string number(double value)
{
    if (value == std::floor(value) && std::fabs(value) < 9e15)
        return std::to_string(static_cast<std::int64_t>(value));
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

} // namespace

bool providerMatches(std::string_view messageProvider, std::string_view modelProvider)
{
    if (messageProvider.empty() || modelProvider.empty())
        return false;
    if (messageProvider == modelProvider)
        return true;
    if (modelProvider == "amazon_bedrock")
        return messageProvider == "bedrock" || messageProvider == "bedrock_converse";
    if (modelProvider == "openai-mantle")
        return messageProvider == "openai";
    return modelProvider == "anthropic-mantle" && messageProvider == "anthropic";
}

std::optional<std::int64_t> reportedTokens(const RequestView &view, const CompactionRules &rules)
{
    const std::int64_t last = view.lastAi();
    if (last < 0)
        return std::nullopt;
    const auto reported = view.reported(last);
    if (!reported || *reported == 0 || !providerMatches(view.log->provider(last).asText(), rules.provider))
        return std::nullopt;
    return reported;
}

namespace {

/// What decides whether a size is reached.
struct Measure {
    std::int64_t messages = 0;
    std::int64_t tokens = 0;
    std::optional<std::int64_t> reported;
    std::optional<std::int64_t> maxInputTokens;

    [[nodiscard]] double threshold(const ContextSize &size) const
    {
        return size.kind == ContextSize::Kind::Fraction
            ? static_cast<double>(fractionThreshold(maxInputTokens.value_or(0), size.value))
            : size.value;
    }
    [[nodiscard]] bool reaches(const ContextSize &size) const
    {
        if (size.kind == ContextSize::Kind::Messages)
            return static_cast<double>(messages) >= size.value;
        if (size.kind == ContextSize::Kind::Fraction && !maxInputTokens)
            return false;
        const double least = threshold(size);
        return static_cast<double>(tokens) >= least || (reported && static_cast<double>(*reported) >= least);
    }
    [[nodiscard]] std::string words(const ContextSize &size) const
    {
        if (size.kind == ContextSize::Kind::Messages)
            return "messages " + std::to_string(messages) + " >= " + number(size.value);
        const double least = threshold(size);
        const bool counted = static_cast<double>(tokens) >= least;
        std::string text =
            counted ? "tokens " + std::to_string(tokens) : "reported tokens " + std::to_string(*reported);
        text += " >= " + number(least);
        if (size.kind == ContextSize::Kind::Fraction)
            text += " (" + number(size.value) + " of " + std::to_string(*maxInputTokens) + ")";
        return text;
    }
};

} // namespace

TriggerDecision shouldSummarize(const RequestView &view, std::int64_t totalTokens, const CompactionRules &rules)
{
    if (rules.trigger.empty())
        return {};
    const Measure measure{view.size(), totalTokens, reportedTokens(view, rules), rules.maxInputTokens};
    for (const TriggerClause &clause : rules.trigger) {
        if (!std::all_of(clause.begin(), clause.end(), [&](const ContextSize &size) { return measure.reaches(size); }))
            continue;
        std::string words;
        for (const ContextSize &size : clause)
            words += (words.empty() ? "" : " and ") + measure.words(size);
        return {true, words};
    }
    return {};
}

} // namespace palimpsest
