// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/fractions.h"

#include "core/compaction/contextsize.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace palimpsest {
namespace {

using Kind = ContextSize::Kind;

constexpr std::size_t familiesShown = 8;
/// What `create_deep_agent` takes with a model profile (deepagents/middleware/summarization.py, 0.7.7 and 0.7.32).
constexpr double defaultTrigger = 0.85;
constexpr double defaultKeep = 0.10;

/// Fractions that people write down.
const std::vector<double> &usualFractions()
{
    static const std::vector<double> fractions = [] {
        std::vector<double> list;
        for (int i = 1; i < 20; ++i)
            list.push_back(i / 20.0);
        return list;
    }();
    return fractions;
}

/// Windows that models have, and round ones that people set by hand.
const std::vector<std::int64_t> &usualWindows()
{
    static const std::vector<std::int64_t> windows = [] {
        std::set<std::int64_t> set{200000, 400000, 1000000, 128000, 100000, 272000, 1048576, 131072, 32768, 65536,
            16385, 8192, 4096, 16384, 262144, 256000, 2000000, 1047576};
        for (std::int64_t i = 3; i <= 32; ++i)
            set.insert(i * 1000);
        for (std::int64_t i = 35; i <= 200; i += 5)
            set.insert(i * 1000);
        return std::vector<std::int64_t>(set.begin(), set.end());
    }();
    return windows;
}

bool holds(const SizeRange &tokens, std::int64_t window, double fraction)
{
    return tokens.contains({Kind::Tokens, static_cast<double>(fractionThreshold(window, fraction))});
}

bool holdsUsual(const SizeRange &tokens, std::int64_t window)
{
    const auto &fractions = usualFractions();
    return std::any_of(fractions.begin(), fractions.end(), [&](double f) { return holds(tokens, window, f); });
}

/// How plausible a window is: the rounder the sooner.
int roundness(std::int64_t window)
{
    int zeros = 0;
    for (std::int64_t rest = window; rest > 0 && rest % 10 == 0; rest /= 10)
        ++zeros;
    const bool power = (window & (window - 1)) == 0;
    return -2 * zeros - (window % 5000 == 0 ? 1 : 0) - (power ? 4 : 0);
}

/// The roundest window with which both of deepagents' fractions fit; 0: none.
std::int64_t defaultWindow(const SizeRange &trigger, const SizeRange &keep)
{
    const double least = std::max(trigger.low.value_or(1) / defaultTrigger, keep.low.value_or(1) / defaultKeep);
    const double most = std::min(
        trigger.high ? (*trigger.high + 1) / defaultTrigger : 4e6, keep.high ? (*keep.high + 1) / defaultKeep : 4e6);
    for (std::int64_t unit = 1000000; unit >= 1; unit /= 10) {
        const auto first = static_cast<std::int64_t>(std::floor(least / static_cast<double>(unit)));
        for (std::int64_t i = std::max<std::int64_t>(first, 1); i <= first + 12; ++i) {
            const std::int64_t window = i * unit;
            if (static_cast<double>(window) <= most && holds(trigger, window, defaultTrigger)
                && holds(keep, window, defaultKeep))
                return window;
        }
    }
    return 0;
}

} // namespace

SizeRange fractionsOf(std::int64_t window, const SizeRange &tokens)
{
    SizeRange range;
    range.kind = Kind::Fraction;
    const auto size = static_cast<double>(window);
    if (tokens.low && *tokens.low > 1) {
        double low = *tokens.low / size;
        while (static_cast<double>(fractionThreshold(window, low)) < *tokens.low)
            low = std::nextafter(low, 2.0);
        range.low = low;
    }
    if (tokens.high && *tokens.high + 1 <= size) {
        double high = (*tokens.high + 1) / size;
        while (static_cast<double>(fractionThreshold(window, high)) > *tokens.high)
            high = std::nextafter(high, 0.0);
        range.high = high;
    }
    return range;
}

std::vector<SettingsFamily> fractionFamilies(const SettingsFamily &onTokens, const std::vector<std::int64_t> &windows)
{
    std::vector<SettingsFamily> families;
    const bool trigger = onTokens.trigger.size() == 1 && onTokens.trigger.front().size() == 1
        && onTokens.trigger.front().front().kind == Kind::Tokens;
    const bool keep = onTokens.keep.kind == Kind::Tokens && onTokens.keep.high;
    const bool triggerTold = trigger && onTokens.trigger.front().front().high;
    const auto add = [&](std::int64_t window, bool triggerToo, bool keepToo) {
        SettingsFamily family = onTokens;
        family.model.maxInputTokens = window;
        if (triggerToo)
            family.trigger = {{fractionsOf(window, onTokens.trigger.front().front())}};
        if (keepToo)
            family.keep = fractionsOf(window, onTokens.keep);
        family.modelDefaults = triggerToo && keepToo && holds(onTokens.trigger.front().front(), window, defaultTrigger)
            && holds(onTokens.keep, window, defaultKeep);
        families.push_back(std::move(family));
    };
    if (triggerTold && keep) {
        if (const std::int64_t window = defaultWindow(onTokens.trigger.front().front(), onTokens.keep); window > 0)
            add(window, true, true);
    }
    std::vector<std::int64_t> candidates = usualWindows();
    std::stable_sort(candidates.begin(), candidates.end(),
        [](std::int64_t a, std::int64_t b) { return roundness(a) < roundness(b); });
    candidates.insert(candidates.begin(), windows.begin(), windows.end());
    // Fraction for both, for the trigger alone, for keep alone.
    for (const auto &[triggerToo, keepToo] : {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
        if ((triggerToo && !triggerTold) || (keepToo && !keep))
            continue;
        std::size_t shown = 0;
        std::set<std::int64_t> done;
        for (const std::int64_t window : candidates) {
            const bool known = std::find(windows.begin(), windows.end(), window) != windows.end();
            if (triggerToo && !known && !holdsUsual(onTokens.trigger.front().front(), window))
                continue;
            if (keepToo && !known && !holdsUsual(onTokens.keep, window))
                continue;
            if (triggerToo && static_cast<double>(window) <= *onTokens.trigger.front().front().high)
                continue;
            if (keepToo && static_cast<double>(window) <= *onTokens.keep.high)
                continue;
            // A trigger near the window would never be what decides: the input budget would (0.7.32).
            const auto &first = onTokens.trigger.front().front();
            if (first.kind == Kind::Tokens && first.high && *first.high >= 0.95 * static_cast<double>(window))
                continue;
            if (!done.insert(window).second)
                continue;
            add(window, triggerToo, keepToo);
            if (++shown >= familiesShown)
                break;
        }
    }
    return families;
}

} // namespace palimpsest
