// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/infer.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/threadartifacts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

/// What to make of an inference: settings that can be replayed, and words.
namespace palimpsest {
namespace {

using Kind = ContextSize::Kind;

/// The roundest value between two, both included.
double roundest(double low, double high)
{
    for (double unit = 1e9; unit >= 1; unit /= 10) {
        for (const double part : {unit, unit / 2}) {
            if (part < 1)
                continue;
            const double value = std::ceil(low / part) * part;
            if (value <= high && value >= 1)
                return value;
        }
    }
    return std::ceil(low);
}

double roundestFraction(double low, double high)
{
    for (const double unit : {0.05, 0.01, 0.005, 0.001}) {
        const double value = std::ceil(low / unit - 1e-9) * unit;
        // 0.85 and not 0.8500000000000001
        const double tidy = std::round(value * 1000) / 1000;
        if (tidy >= low && tidy <= high && tidy > 0)
            return tidy;
    }
    return low > 0 ? low : high;
}

ContextSize valueOf(const SizeRange &range, double openHigh)
{
    if (range.kind == Kind::Fraction)
        return {Kind::Fraction, roundestFraction(range.low.value_or(0.0), range.high.value_or(1.0))};
    const double low = range.low.value_or(1);
    if (range.high)
        return {range.kind, roundest(low, *range.high)};
    return {range.kind, std::max(low, openHigh)};
}

std::string words(const SizeRange &range)
{
    const auto number = [&](double value) {
        char text[32];
        if (range.kind == Kind::Fraction)
            std::snprintf(text, sizeof text, "%.4g", value);
        else
            std::snprintf(text, sizeof text, "%.0f", value);
        return std::string(text);
    };
    const std::string kind(kindName(range.kind));
    if (range.low && range.high)
        return *range.low == *range.high ? kind + " " + number(*range.low)
                                         : kind + " " + number(*range.low) + " to " + number(*range.high);
    if (range.low)
        return kind + " " + number(*range.low) + " or more";
    if (range.high)
        return kind + " " + number(*range.high) + " or less";
    return "any number of " + kind;
}

} // namespace

bool SizeRange::contains(const ContextSize &size) const
{
    return size.kind == kind && (!low || size.value >= *low) && (!high || size.value <= *high);
}

std::string_view changeName(ChangePoint::What what)
{
    switch (what) {
    case ChangePoint::What::Settings:
        return "settings";
    case ChangePoint::What::Model:
        return "model";
    case ChangePoint::What::Dialect:
        break;
    }
    return "dialect";
}

Settings settingsOf(const SettingsFamily &family)
{
    Settings settings;
    settings.dialect = family.dialect;
    settings.model = family.model;
    if (family.charsPerToken != 4.0 && !settings.model.llmType.starts_with("anthropic-chat"))
        settings.charsPerToken = family.charsPerToken;
    Trigger trigger;
    for (const auto &clause : family.trigger) {
        TriggerClause sizes;
        for (const SizeRange &range : clause)
            sizes.push_back(valueOf(range, range.kind == Kind::Messages ? 1e6 : 1e9));
        trigger.push_back(std::move(sizes));
    }
    settings.trigger = std::move(trigger);
    settings.keep = family.keep.high || family.keep.low ? valueOf(family.keep, 1) : ContextSize{Kind::Messages, 6};
    settings.truncateArgs = family.truncateArgs;
    if (family.modelDefaults)
        settings.modelDefaults = true;
    settings.tools = family.toolsTokens.value_or(0);
    settings.systemMessage = family.systemTokens.value_or(0);
    settings.toolTokenLimitBeforeEvict = family.shown.toolTokenLimitBeforeEvict;
    settings.humanMessageTokenLimitBeforeEvict = family.shown.humanMessageTokenLimitBeforeEvict;
    settings.artifactsFail = family.shown.artifactsFail;
    settings.artifactsRoot = family.shown.artifactsRoot;
    constexpr int everyAttempt = 1000;
    for (const std::string &task : family.shown.refusedTasks)
        settings.refusedCalls[task] = everyAttempt;
    if (!family.model.maxInputTokens)
        for (const std::string &task : family.shown.clippedTasks)
            settings.refusedCalls.try_emplace(task, 1);
    for (const InferenceBound &refusal : family.refusals)
        settings.refusedCalls[refusal.taskId] = 1;
    return settings;
}

std::optional<SettingsSet> proposedSettings(const Inference &inference, const std::string &ns)
{
    if (inference.families.empty())
        return std::nullopt;
    SettingsSet set;
    std::vector<SettingsSet::Segment> &segments = set.namespaces[ns];
    if (inference.changes.empty()) {
        segments.push_back({1, settingsOf(inference.families.front())});
        return set;
    }
    for (std::size_t i = 0; i <= inference.changes.size(); ++i) {
        const std::int64_t from = i == 0 ? 1 : inference.changes[i - 1].fromCall;
        const auto family = std::find_if(inference.families.begin(), inference.families.end(),
            [&](const SettingsFamily &one) { return one.segment == static_cast<std::int32_t>(i); });
        if (family != inference.families.end())
            segments.push_back({from, settingsOf(*family)});
    }
    if (segments.empty())
        segments.push_back({1, settingsOf(inference.families.front())});
    segments.front().fromCall = 1;
    return set;
}

Result<std::optional<SettingsSet>> inferredSettings(
    const ThreadPtr &thread, const std::string &ns, const std::vector<ArtifactFolder> &folders, const JobContext &job)
{
    const ThreadNamespace *space = thread->find(ns);
    if (!space || space->eventCheckpoints.empty())
        return std::optional<SettingsSet>();
    const ArtifactReader artifacts = threadArtifacts(thread, ns, folders);
    const Result<Inference> inference =
        inferSettings(*ReplayInput::make(thread, ns, artifacts), artifacts, job, InferenceDepth::Best);
    if (!inference)
        return tl::unexpected(inference.error());
    return proposedSettings(*inference, ns);
}

std::string describe(const SettingsFamily &family)
{
    std::string text;
    for (const auto &clause : family.trigger) {
        text += text.empty() ? "" : ", or ";
        for (std::size_t i = 0; i < clause.size(); ++i)
            text += (i > 0 ? " and " : "") + words(clause[i]);
    }
    return "trigger " + text + ", keep " + words(family.keep);
}

std::string describe(const Inference &inference)
{
    if (inference.families.empty())
        return "The recording holds no call that tells anything about the settings.";
    const SettingsFamily &best = inference.families.front();
    if (inference.events == 0)
        return "Nothing was summarized: " + describe(best) + ". " + inference.defaults;
    if (!inference.changes.empty())
        return "No one family explains all " + std::to_string(inference.events) + " events; the settings changed "
            + std::to_string(inference.changes.size()) + (inference.changes.size() == 1 ? " time." : " times.");
    std::string text = best.explainsAll()
        ? "All " + std::to_string(best.events) + " events are explained by "
        : std::to_string(best.explained) + " of " + std::to_string(best.events) + " events are explained by ";
    text += describe(best);
    const auto others = std::count_if(inference.families.begin(), inference.families.end(),
        [](const SettingsFamily &family) { return family.explainsAll(); });
    if (others > 1)
        text += "; " + std::to_string(others - 1) + " other families explain them as well";
    else if (inference.othersUntried)
        text += "; other families may explain them as well";
    return text + ".";
}

} // namespace palimpsest
