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

double highest(const SizeRange &range)
{
    if (range.high)
        return *range.high;
    return range.kind == ContextSize::Kind::Messages ? 1e6 : range.kind == ContextSize::Kind::Tokens ? 1e9 : 1.0;
}

/// The smallest change of a size that can make a difference.
double stepOf(const SizeRange &range, const SettingsFamily &family)
{
    return range.kind == ContextSize::Kind::Fraction
        ? 1.0 / static_cast<double>(family.model.maxInputTokens.value_or(1))
        : 1.0;
}

/// The family's settings with its sizes at their ends.
Settings atEnds(const SettingsFamily &family, bool triggerHigh, bool keepHigh)
{
    Settings settings = settingsOf(family);
    settings.modelDefaults = false;
    for (std::size_t c = 0; c < family.trigger.size(); ++c)
        for (std::size_t i = 0; i < family.trigger[c].size(); ++i) {
            const SizeRange &range = family.trigger[c][i];
            (*settings.trigger)[c][i].value = triggerHigh ? highest(range) : lowest(range);
        }
    if (family.keep.low || family.keep.high)
        settings.keep = {family.keep.kind, keepHigh ? highest(family.keep) : lowest(family.keep)};
    return settings;
}

/// Whether a step outside each bound of the trigger makes other events.
bool triggerIsTight(const Replayer &replayer, const SettingsFamily &family, const JobContext &job)
{
    for (std::size_t c = 0; c < family.trigger.size(); ++c) {
        for (std::size_t i = 0; i < family.trigger[c].size(); ++i) {
            const SizeRange &range = family.trigger[c][i];
            const double step = stepOf(range, family);
            if (range.low && *range.low > step) {
                Settings below = atEnds(family, false, false);
                (*below.trigger)[c][i].value = *range.low - step;
                if (reproducesEvents(replayer, below, job))
                    return false;
            }
            if (range.high && (range.kind != ContextSize::Kind::Fraction || *range.high + step <= 1)) {
                Settings above = atEnds(family, true, false);
                (*above.trigger)[c][i].value = *range.high + step;
                if (reproducesEvents(replayer, above, job))
                    return false;
            }
        }
    }
    return true;
}

bool keepIsTight(const Replayer &replayer, const SettingsFamily &family, const JobContext &job)
{
    const double step = stepOf(family.keep, family);
    if (family.keep.low && *family.keep.low > step) {
        Settings below = atEnds(family, false, false);
        below.keep.value -= step;
        if (reproducesEvents(replayer, below, job))
            return false;
    }
    if (!family.keep.high)
        return true;
    Settings above = atEnds(family, false, true);
    above.keep.value += step;
    return !reproducesEvents(replayer, above, job);
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

bool reproducesEvents(const Replayer &replayer, Settings settings, const JobContext &job)
{
    settings.usage = Settings::Usage::Keep;
    SettingsSet set;
    set.namespaces[replayer.input()->space().name] = {{1, std::move(settings)}};
    ReplayOptions options;
    options.promptTokens = false;
    std::stop_source different; // the first difference says it all
    const std::stop_callback stopped(job.stop, [&different] { different.request_stop(); });
    const auto &calls = replayer.input()->calls();
    const auto totals = replayer.totals(
        set, options,
        [&](const ReplayedCall &call) {
            const auto index = static_cast<std::size_t>(call.index);
            const Call &stored = replayer.input()->call(index);
            if (stored.outcome != Call::Outcome::Ok || stored.eventFrom == Call::EventFrom::Unknown)
                return;
            const EventPtr event = calls[index].madeEvent ? calls[index].recordedEvent : nullptr;
            if (!event != !call.event || (event && event->cutoffIndex != call.event->cutoffIndex))
                different.request_stop();
        },
        JobContext{different.get_token(), {}});
    return totals && !different.stop_requested();
}

bool isConfirmed(const Replayer &replayer, const SettingsFamily &family, const JobContext &job)
{
    for (const bool triggerHigh : {false, true})
        for (const bool keepHigh : {false, true})
            if (!reproducesEvents(replayer, atEnds(family, triggerHigh, keepHigh), job))
                return false;
    return triggerIsTight(replayer, family, job) && keepIsTight(replayer, family, job);
}

bool settleFractions(const Replayer &replayer, SettingsFamily &family, const JobContext &job)
{
    if (!reproducesEvents(replayer, atEnds(family, false, false), job))
        return false;
    const std::int64_t window = family.model.maxInputTokens.value_or(1);
    const auto made = [&](bool triggerHigh, bool keepHigh) {
        return reproducesEvents(replayer, atEnds(family, triggerHigh, keepHigh), job);
    };
    for (auto &clause : family.trigger)
        for (SizeRange &range : clause)
            lowerHigh(range, window, [&] { return made(true, false); });
    lowerHigh(family.keep, window, [&] { return made(false, true) && made(true, true); });
    return made(true, true) && made(true, false);
}

} // namespace palimpsest
