// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/reproduction.h"

#include "core/compaction/contextsize.h"
#include "core/insight/infer/fractions.h"

#include <functional>

namespace palimpsest {
namespace {

double lowest(const SizeRange &range)
{
    return range.low.value_or(range.kind == ContextSize::Kind::Fraction ? 1e-6 : 1);
}

/// The family's settings with its sizes at their ends.
Settings atEnds(const SettingsFamily &family, bool triggerHigh, bool keepHigh)
{
    Settings settings = settingsOf(family);
    settings.modelDefaults = false;
    for (std::size_t c = 0; c < family.trigger.size(); ++c)
        for (std::size_t i = 0; i < family.trigger[c].size(); ++i) {
            const SizeRange &range = family.trigger[c][i];
            (*settings.trigger)[c][i].value = triggerHigh && range.high ? *range.high : lowest(range);
        }
    if (family.keep.low || family.keep.high)
        settings.keep = {family.keep.kind, keepHigh && family.keep.high ? *family.keep.high : lowest(family.keep)};
    return settings;
}

/// Lowers a fraction's upper end, in tokens of the window, to the last one that fits. It is taken to fit up to some
/// size and never beyond.
void lowerHigh(SizeRange &range, std::int64_t window, const std::function<bool()> &fits)
{
    if (range.kind != ContextSize::Kind::Fraction || !range.high || fits())
        return;
    const auto set = [&](std::int64_t tokens) {
        range.high = fractionsOf(window, {ContextSize::Kind::Tokens, std::nullopt, static_cast<double>(tokens)}).high;
    };
    std::int64_t good = fractionThreshold(window, lowest(range));
    std::int64_t bad = fractionThreshold(window, *range.high);
    while (good + 1 < bad) {
        const std::int64_t middle = good + (bad - good) / 2;
        set(middle);
        (fits() ? good : bad) = middle;
    }
    set(good);
}

} // namespace

bool reproducesEvents(const Replayer &replayer, Settings settings)
{
    settings.usage = Settings::Usage::Keep;
    SettingsSet set;
    set.namespaces[replayer.input()->space().name] = {{1, std::move(settings)}};
    ReplayOptions options;
    options.texts = false;
    bool same = true;
    const auto &calls = replayer.input()->calls();
    const auto totals = replayer.totals(set, options, [&](const ReplayedCall &call) {
        const auto index = static_cast<std::size_t>(call.index);
        const Call &stored = replayer.input()->call(index);
        if (stored.outcome != Call::Outcome::Ok || stored.eventFrom == Call::EventFrom::Unknown)
            return;
        const EventPtr event = calls[index].madeEvent ? calls[index].recordedEvent : nullptr;
        same = same && !event == !call.event && (!event || event->cutoffIndex == call.event->cutoffIndex);
    });
    return totals && same;
}

bool settleFractions(const Replayer &replayer, SettingsFamily &family)
{
    if (!reproducesEvents(replayer, atEnds(family, false, false)))
        return false;
    const std::int64_t window = family.model.maxInputTokens.value_or(1);
    const auto made = [&](bool triggerHigh, bool keepHigh) {
        return reproducesEvents(replayer, atEnds(family, triggerHigh, keepHigh));
    };
    for (auto &clause : family.trigger)
        for (SizeRange &range : clause)
            lowerHigh(range, window, [&] { return made(true, false); });
    lowerHigh(family.keep, window, [&] { return made(false, true) && made(true, true); });
    return made(true, true) && made(true, false);
}

} // namespace palimpsest
