// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/largeroverheads.h"

#include "core/insight/infer/families.h"

#include <algorithm>
#include <cstdint>

namespace palimpsest {
namespace {

/// About what one more tool takes (a short docstring and two arguments).
constexpr std::int64_t leastStep = 32;
/// What is looked at beyond the estimate: some tools that were never called and a short system message.
constexpr std::int64_t mostTokens = 256;

bool isOnTokens(const SizeRange &range)
{
    return range.kind == ContextSize::Kind::Tokens;
}

/// The widest range of a trigger on tokens: a smaller step would stay inside of it. 0: the trigger counts no tokens.
std::int64_t stepOf(const SettingsFamily &family)
{
    std::int64_t step = 0;
    for (const auto &clause : family.trigger)
        for (const SizeRange &range : clause)
            if (isOnTokens(range))
                step = std::max({step, leastStep,
                    range.high ? static_cast<std::int64_t>(*range.high - range.low.value_or(1)) + 1 : 0});
    return step;
}

SettingsFamily raised(SettingsFamily family, std::int64_t tokens)
{
    family.overheadAssumed = true;
    family.toolsTokens = family.toolsTokens.value_or(0) + tokens;
    family.overheadFrom = "Assumed: " + std::to_string(tokens) + " tokens more than the tools that were seen take.";
    for (auto &clause : family.trigger)
        for (SizeRange &range : clause) {
            if (!isOnTokens(range))
                continue;
            if (range.low)
                *range.low += static_cast<double>(tokens);
            if (range.high)
                *range.high += static_cast<double>(tokens);
        }
    return family;
}

} // namespace

void addLargerOverheads(std::vector<SettingsFamily> &families)
{
    const std::size_t count = families.size();
    for (std::size_t i = 0; i < count; ++i) {
        const SettingsFamily &family = families[i];
        const std::int64_t step = stepOf(family);
        if (!family.overheadAtLeast || !family.explainsAll() || family.events == 0 || family.segment >= 0
            || family.model.maxInputTokens || step == 0)
            continue;
        for (std::int64_t more = step; more <= std::max(step, mostTokens); more += step) {
            SettingsFamily higher = raised(families[i], more);
            if (std::none_of(families.begin(), families.end(),
                    [&](const SettingsFamily &other) { return covers(other, higher); }))
                families.push_back(std::move(higher));
        }
    }
}

} // namespace palimpsest
