// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/families.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace palimpsest {
namespace {

using Form = TriggerBox::Form;

constexpr std::size_t keepRangesShown = 3; ///< of one kind
constexpr int splitDepth = 4;
constexpr std::size_t bothBoxesShown = 6;

std::string callName(std::int64_t number)
{
    return "call " + std::to_string(number);
}

/// How much the values at which it fired differ: the size that a trigger looks at overshoots least.
double scatter(const std::vector<TriggerPoint> &points, std::int64_t TriggerPoint::*size)
{
    std::int64_t low = WholeRange::open;
    std::int64_t high = 0;
    for (const TriggerPoint &point : points) {
        low = std::min(low, point.*size);
        high = std::max(high, point.*size);
    }
    return high > 0 ? static_cast<double>(high - low) / static_cast<double>(high) : 0;
}

std::size_t sizesOf(const SettingsFamily &family)
{
    std::size_t count = 0;
    for (const auto &clause : family.trigger)
        count += clause.size();
    return count;
}

bool covers(const SizeRange &a, const SizeRange &b)
{
    return a.kind == b.kind && (!a.low || (b.low && *b.low >= *a.low)) && (!a.high || (b.high && *b.high <= *a.high));
}

/// Leaves out what lies in another family: a step outside its bounds would explain as much.
void dropCovered(std::vector<SettingsFamily> &families)
{
    std::vector<SettingsFamily> kept;
    for (SettingsFamily &family : families) {
        const auto coversThis = [&](const SettingsFamily &other) { return covers(other, family); };
        if (std::any_of(kept.begin(), kept.end(), coversThis))
            continue;
        std::erase_if(kept, [&](const SettingsFamily &other) { return covers(family, other); });
        kept.push_back(std::move(family));
    }
    families = std::move(kept);
}

} // namespace

bool covers(const SettingsFamily &a, const SettingsFamily &b)
{
    const auto sameCall = [](const InferenceBound &x, const InferenceBound &y) { return x.call == y.call; };
    const auto clauseCovers = [](const std::vector<SizeRange> &x, const std::vector<SizeRange> &y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
            [](const SizeRange &wide, const SizeRange &narrow) { return covers(wide, narrow); });
    };
    return a.explained == b.explained && covers(a.keep, b.keep)
        && std::equal(a.trigger.begin(), a.trigger.end(), b.trigger.begin(), b.trigger.end(), clauseCovers)
        && std::equal(a.refusals.begin(), a.refusals.end(), b.refusals.begin(), b.refusals.end(), sameCall);
}

SizeRange sizeRange(ContextSize::Kind kind, const WholeRange &range)
{
    SizeRange size;
    size.kind = kind;
    if (range.low > 1)
        size.low = static_cast<double>(range.low);
    if (range.high != WholeRange::open)
        size.high = static_cast<double>(range.high);
    return size;
}

bool betterFamily(const SettingsFamily &a, const SettingsFamily &b)
{
    const auto key = [](const SettingsFamily &family) {
        const bool sameKind = !family.trigger.empty() && !family.trigger.front().empty()
            && family.trigger.front().front().kind == family.keep.kind;
        // A window that makes fractions of the sizes is made up, unless the fractions are deepagents' own.
        const bool madeUp = family.model.maxInputTokens && !family.modelDefaults;
        return std::tuple(!family.explainsAll(), family.events - family.explained,
            family.refusals.size() + (family.truncationAssumed ? 1 : 0) + (family.overheadAssumed ? 1 : 0),
            family.segment, sizesOf(family), family.scatter, madeUp, !family.modelDefaults, !sameKind);
    };
    return key(a) < key(b);
}

InferenceBound FamilySearch::bound(std::int32_t call, std::string why) const
{
    return {call, m_input.call(static_cast<std::size_t>(call)).taskId, std::move(why)};
}

std::vector<FamilySearch::Keep> FamilySearch::keeps(
    const CountedEvidence &evidence, std::span<const CallFact> facts) const
{
    std::vector<Keep> result;
    for (const auto kind : {ContextSize::Kind::Messages, ContextSize::Kind::Tokens}) {
        std::vector<WholeRange> ranges{WholeRange{}};
        for (const CallFact &fact : facts) {
            if (fact.event() && !ranges.empty())
                ranges = intersection(ranges, keepRanges(fact, kind, evidence.rules));
        }
        if (ranges.size() > keepRangesShown)
            ranges.resize(keepRangesShown);
        for (const WholeRange &range : ranges)
            result.push_back({kind, range});
    }
    return result;
}

std::vector<FamilySearch::Keep> FamilySearch::split(
    const CountedEvidence &evidence, std::span<const CallFact> facts, const Keep &keep) const
{
    std::vector<Keep> done;
    std::vector<std::pair<Keep, int>> open{{keep, 0}};
    const auto compacts = [&](const CallFact &fact, std::int64_t value) {
        return cutoffFor(fact, {keep.kind, static_cast<double>(value)}, evidence.rules) > 0;
    };
    while (!open.empty()) {
        const auto [part, depth] = open.back();
        open.pop_back();
        // A call that would have been summarized with some of these values only, and that bounds the trigger.
        std::int64_t messages = 0;
        std::int64_t tokens = 0;
        const CallFact *binding = nullptr;
        for (const CallFact &fact : facts) {
            if (!fact.event() && compacts(fact, part.range.high)) {
                messages = std::max(messages, fact.messages);
                tokens = std::max(tokens, fact.tokens);
            }
        }
        for (const CallFact &fact : facts) {
            if (!fact.event() && (fact.messages > messages || fact.tokens > tokens) && compacts(fact, part.range.low)
                && (!binding || fact.tokens > binding->tokens))
                binding = &fact;
        }
        done.push_back(part);
        if (!binding || depth >= splitDepth)
            continue;
        // From the value on with which that call would have been left alone, smaller triggers do as well.
        std::int64_t low = part.range.low;
        std::int64_t high = part.range.high;
        while (low + 1 < high) {
            const std::int64_t middle = low + (high - low) / 2;
            (compacts(*binding, middle) ? low : high) = middle;
        }
        open.push_back({{keep.kind, {high, part.range.high}}, depth + 1});
    }
    return done;
}

FamilySearch::Points FamilySearch::points(
    const CountedEvidence &evidence, std::span<const CallFact> facts, const Keep &keep, bool clippedIsRefused) const
{
    Points points;
    const bool anyKeep = keep.range.high == WholeRange::open;
    const ContextSize least{keep.kind, static_cast<double>(keep.range.low)};
    for (const CallFact &fact : facts) {
        const TriggerPoint point{fact.call, fact.messages, fact.tokens};
        const bool refused = fact.refused || (clippedIsRefused && fact.clipped);
        // An attempt is refused and clipped alike after a trigger that fired and after one that did not, where a call
        // is tried smaller once more: then the trigger may be anything.
        const bool untold = refused && !fact.refused;
        if (fact.event() && !refused)
            points.fired.push_back(point);
        else if (fact.event() ? !untold : (anyKeep ? fact.messages > 1 : cutoffFor(fact, least, evidence.rules) > 0))
            points.still.push_back(point);
        if (!fact.event() || !refused)
            continue;
        ++points.clipped;
        points.refusals.push_back(bound(fact.call,
            fact.refused ? "The tail was clipped, which only follows a refusal by the provider: no trigger had fired."
                         : "The tail was clipped, as after a refusal by the provider."));
    }
    return points;
}

void FamilySearch::addBounds(SettingsFamily &family, const Points &points, const TriggerBox &box) const
{
    const auto number = [&](std::int32_t call) { return m_input.call(static_cast<std::size_t>(call)).number.value; };
    const auto add = [&](const WholeRange &range, std::int64_t TriggerPoint::*size, const char *word) {
        for (const TriggerPoint &point : points.still) {
            if (range.low > 1 && point.*size + 1 == range.low) {
                family.bounds.push_back(bound(point.call,
                    callName(number(point.call)) + " held " + std::to_string(point.*size) + " " + word
                        + " and was not summarized."));
                break;
            }
        }
        for (const TriggerPoint &point : points.fired) {
            if (point.*size == range.high) {
                family.bounds.push_back(bound(point.call,
                    callName(number(point.call)) + " was summarized at " + std::to_string(point.*size) + " " + word
                        + "."));
                break;
            }
        }
    };
    if (box.form != Form::Tokens)
        add(box.messages, &TriggerPoint::messages, "messages");
    if (box.form != Form::Messages)
        add(box.tokens, &TriggerPoint::tokens, "tokens");
}

void FamilySearch::add(std::vector<SettingsFamily> &families, const CountedEvidence &evidence,
    std::span<const CallFact> facts, const Keep &keep, const Points &points, const TriggerBox &box) const
{
    using Kind = ContextSize::Kind;
    SettingsFamily family;
    family.dialect = evidence.assumption.dialect;
    family.model = evidence.assumption.model;
    family.charsPerToken = evidence.rules.counter.charsPerToken;
    family.truncateArgs = evidence.assumption.truncateArgs;
    const SizeRange messages = sizeRange(Kind::Messages, box.messages);
    const SizeRange tokens = sizeRange(Kind::Tokens, box.tokens);
    switch (box.form) {
    case Form::Messages:
        family.trigger = {{messages}};
        break;
    case Form::Tokens:
        family.trigger = {{tokens}};
        break;
    case Form::Both:
        family.trigger = {{messages, tokens}};
        break;
    case Form::Either:
        family.trigger = {{messages}, {tokens}};
        break;
    }
    family.scatter =
        scatter(points.fired, box.form == Form::Messages ? &TriggerPoint::messages : &TriggerPoint::tokens);
    family.keep = sizeRange(keep.kind, keep.range);
    if (keep.range.high != WholeRange::open)
        family.keep.low = static_cast<double>(keep.range.low);
    family.toolsTokens = evidence.assumption.toolsTokens;
    family.systemTokens = evidence.system;
    family.overheadFrom = evidence.overheadFrom;
    family.overheadAtLeast = evidence.overheadAtLeast;
    for (const CallFact &fact : facts)
        family.events += fact.event() ? 1 : 0;
    family.refusals = points.refusals;
    family.explained = static_cast<std::int64_t>(points.fired.size()) + points.clipped;
    if (!facts.empty()) {
        family.fromCall = m_input.call(static_cast<std::size_t>(facts.front().call)).number.value;
        family.toCall = m_input.call(static_cast<std::size_t>(facts.back().call)).number.value;
    }
    addBounds(family, points, box);
    for (const CallFact &fact : facts) {
        if (!fact.event() || keep.range.high == WholeRange::open)
            continue;
        const std::string place = "The event at "
            + callName(m_input.call(static_cast<std::size_t>(fact.call)).number.value) + " kept from message "
            + std::to_string(fact.cutoff + 1) + " of " + std::to_string(fact.messages) + " on";
        const ContextSize outside{keep.kind, static_cast<double>(keep.range.high + 1)};
        if (cutoffFor(fact, outside, evidence.rules) != fact.cutoff) {
            family.bounds.push_back(bound(fact.call, place + ", so no more is kept."));
            break;
        }
    }
    for (const CallFact &fact : facts) {
        if (!fact.event() || keep.range.low <= 1)
            continue;
        const ContextSize outside{keep.kind, static_cast<double>(keep.range.low - 1)};
        if (cutoffFor(fact, outside, evidence.rules) != fact.cutoff) {
            family.bounds.push_back(bound(fact.call,
                "The event at " + callName(m_input.call(static_cast<std::size_t>(fact.call)).number.value)
                    + " kept from message " + std::to_string(fact.cutoff + 1) + " of " + std::to_string(fact.messages)
                    + " on, so no less is kept."));
            break;
        }
    }
    families.push_back(std::move(family));
}

void FamilySearch::addRefused(std::vector<SettingsFamily> &families, const CountedEvidence &evidence,
    std::span<const CallFact> facts, const Keep &keep, const Points &points, std::size_t refusals) const
{
    // Of two sizes that both must be reached either may have been too small.
    for (const auto &[form, size] : {std::pair(Form::Messages, &TriggerPoint::messages),
             std::pair(Form::Tokens, &TriggerPoint::tokens), std::pair(Form::Either, &TriggerPoint::tokens),
             std::pair(Form::Both, &TriggerPoint::messages), std::pair(Form::Both, &TriggerPoint::tokens)}) {
        Points with = points;
        std::stable_sort(with.fired.begin(), with.fired.end(),
            [&](const TriggerPoint &a, const TriggerPoint &b) { return a.*size < b.*size; });
        for (std::size_t i = 0; i < refusals && !with.fired.empty(); ++i) {
            const TriggerPoint point = with.fired.front();
            with.fired.erase(with.fired.begin());
            with.still.push_back(point);
            with.refusals.push_back(bound(point.call,
                "An event at " + std::to_string(point.*size)
                    + (size == &TriggerPoint::messages ? " messages" : " tokens")
                    + " below the trigger, as after a refusal by the provider."));
            // Of two sizes nothing is told that one does not tell as well, unless no event is the trigger's.
            if (form == Form::Either && !with.fired.empty())
                continue;
            for (const TriggerBox &box :
                triggerBoxes(form, with.fired, with.still, form == Form::Both ? bothBoxesShown : 1))
                add(families, evidence, facts, keep, with, box);
        }
    }
}

void FamilySearch::addForms(std::vector<SettingsFamily> &families, const CountedEvidence &evidence,
    std::span<const CallFact> facts, const Keep &keep, const Points &points, std::size_t refusals) const
{
    for (const Form form : {Form::Messages, Form::Tokens, Form::Both, Form::Either}) {
        if (points.fired.empty() && (form == Form::Both || form == Form::Either))
            continue;
        for (const TriggerBox &box : triggerBoxes(form, points.fired, points.still))
            add(families, evidence, facts, keep, points, box);
    }
    if (!points.fired.empty())
        addRefused(families, evidence, facts, keep, points, refusals);
}

std::vector<SettingsFamily> FamilySearch::find(
    const CountedEvidence &evidence, std::span<const CallFact> facts, std::size_t refusals) const
{
    std::vector<SettingsFamily> families;
    const bool clips = std::any_of(
        facts.begin(), facts.end(), [](const CallFact &fact) { return fact.event() && fact.clipped && !fact.refused; });
    for (const Keep &whole : keeps(evidence, facts)) {
        for (const Keep &keep :
            whole.range.high == WholeRange::open ? std::vector<Keep>{whole} : split(evidence, facts, whole)) {
            addForms(families, evidence, facts, keep, points(evidence, facts, keep, false), refusals);
            if (clips)
                addForms(families, evidence, facts, keep, points(evidence, facts, keep, true), 0);
        }
        if (whole.range.high == WholeRange::open)
            break; // without an event nothing is told of what is kept
    }
    dropCovered(families);
    std::stable_sort(families.begin(), families.end(), betterFamily);
    return families;
}

bool FamilySearch::explained(const CountedEvidence &evidence, std::span<const CallFact> facts) const
{
    for (const Keep &whole : keeps(evidence, facts)) {
        if (whole.range.high == WholeRange::open)
            return true;
        for (const Keep &keep : split(evidence, facts, whole)) {
            const Points seen = points(evidence, facts, keep, false);
            for (const Form form : {Form::Messages, Form::Tokens, Form::Both, Form::Either}) {
                if (!triggerBoxes(form, seen.fired, seen.still, 1).empty())
                    return true;
            }
            if (seen.fired.empty())
                return true;
        }
    }
    return false;
}

} // namespace palimpsest
