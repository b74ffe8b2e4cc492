// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/ranges.h"

#include "core/compaction/stages/cutoff.h"

#include <algorithm>
#include <set>

namespace palimpsest {
namespace {

void add(std::vector<WholeRange> &ranges, WholeRange range)
{
    if (!range.empty())
        ranges.push_back(range);
}

/// In order, neighbours joined.
std::vector<WholeRange> joined(std::vector<WholeRange> ranges)
{
    std::sort(ranges.begin(), ranges.end(), [](const WholeRange &a, const WholeRange &b) { return a.low < b.low; });
    std::vector<WholeRange> result;
    for (const WholeRange &range : ranges) {
        if (!result.empty() && range.low <= result.back().high + 1)
            result.back().high = std::max(result.back().high, range.high);
        else
            result.push_back(range);
    }
    return result;
}

std::int64_t largest(const std::vector<TriggerPoint> &points, std::int64_t TriggerPoint::*size)
{
    std::int64_t most = 0;
    for (const TriggerPoint &point : points)
        most = std::max(most, point.*size);
    return most;
}

std::int64_t smallest(const std::vector<TriggerPoint> &points, std::int64_t TriggerPoint::*size)
{
    std::int64_t least = WholeRange::open;
    for (const TriggerPoint &point : points)
        least = std::min(least, point.*size);
    return least;
}

/// Fires when both sizes are reached: every value up to the smallest that fired, above the stairs of those that did
/// not.
std::vector<TriggerBox> bothBoxes(
    const std::vector<TriggerPoint> &fired, const std::vector<TriggerPoint> &still, std::size_t limit)
{
    const std::int64_t messagesHigh = smallest(fired, &TriggerPoint::messages);
    const std::int64_t tokensHigh = smallest(fired, &TriggerPoint::tokens);
    std::set<std::int64_t> starts{1};
    for (const TriggerPoint &point : still) {
        if (point.messages < messagesHigh)
            starts.insert(point.messages + 1);
    }
    std::vector<TriggerBox> boxes;
    std::int64_t before = WholeRange::open;
    for (const std::int64_t low : starts) {
        std::int64_t needed = 1;
        for (const TriggerPoint &point : still) {
            if (point.messages >= low)
                needed = std::max(needed, point.tokens + 1);
        }
        if (needed > tokensHigh || needed >= before)
            continue;
        before = needed;
        boxes.push_back({TriggerBox::Form::Both, {low, messagesHigh}, {needed, tokensHigh}});
        if (boxes.size() >= limit)
            break;
    }
    return boxes;
}

/// Fires when one of the sizes is reached: every value above the largest that did not, below the stairs of those that
/// did.
std::vector<TriggerBox> eitherBoxes(
    const std::vector<TriggerPoint> &fired, const std::vector<TriggerPoint> &still, std::size_t limit)
{
    const std::int64_t messagesLow = largest(still, &TriggerPoint::messages) + 1;
    const std::int64_t tokensLow = largest(still, &TriggerPoint::tokens) + 1;
    std::set<std::int64_t, std::greater<>> ends{WholeRange::open};
    for (const TriggerPoint &point : fired) {
        if (point.messages >= messagesLow)
            ends.insert(point.messages);
    }
    std::vector<TriggerBox> boxes;
    std::int64_t before = 0;
    for (const std::int64_t high : ends) {
        std::int64_t allowed = WholeRange::open;
        for (const TriggerPoint &point : fired) {
            if (point.messages < high)
                allowed = std::min(allowed, point.tokens);
        }
        if (allowed < tokensLow || allowed <= before)
            continue;
        before = allowed;
        boxes.push_back({TriggerBox::Form::Either, {messagesLow, high}, {tokensLow, allowed}});
        if (boxes.size() >= limit)
            break;
    }
    return boxes;
}

} // namespace

std::vector<WholeRange> intersection(const std::vector<WholeRange> &a, const std::vector<WholeRange> &b)
{
    std::vector<WholeRange> result;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        add(result, {std::max(a[i].low, b[j].low), std::min(a[i].high, b[j].high)});
        if (a[i].high < b[j].high)
            ++i;
        else
            ++j;
    }
    return result;
}

std::int64_t cutoffFor(const CallFact &fact, const ContextSize &keep, const CompactionRules &rules)
{
    CompactionRules with = rules;
    with.keep = keep;
    return determineCutoffIndex(fact.view, with);
}

std::vector<WholeRange> keepRanges(const CallFact &fact, ContextSize::Kind kind, const CompactionRules &)
{
    const RequestView &view = fact.view;
    const std::int64_t size = view.size();
    std::vector<WholeRange> ranges;
    const bool tokens = kind != ContextSize::Kind::Messages;
    const std::int64_t total = tokens ? view.count() : 0;
    for (std::int64_t raw = 1; raw < size; ++raw) {
        // A cutoff that is made safe moves back to the call it answers, or forward past results.
        if (raw < fact.cutoff && !view.isTool(raw))
            continue;
        if (safeCutoffPoint(view, raw) != fact.cutoff)
            continue;
        if (!tokens) {
            add(ranges, {size - raw, size - raw});
            continue;
        }
        const std::int64_t low = raw == size - 1 ? 1 : std::max<std::int64_t>(1, view.tokensFrom(raw));
        add(ranges, {low, std::min(view.tokensFrom(raw - 1) - 1, total - 1)});
    }
    return joined(std::move(ranges));
}

std::vector<TriggerBox> triggerBoxes(TriggerBox::Form form, const std::vector<TriggerPoint> &fired,
    const std::vector<TriggerPoint> &still, std::size_t limit)
{
    using Form = TriggerBox::Form;
    if (form == Form::Both)
        return fired.empty() ? std::vector<TriggerBox>() : bothBoxes(fired, still, limit);
    if (form == Form::Either)
        return eitherBoxes(fired, still, limit);
    const auto size = form == Form::Messages ? &TriggerPoint::messages : &TriggerPoint::tokens;
    const WholeRange range{largest(still, size) + 1, smallest(fired, size)};
    if (range.empty())
        return {};
    TriggerBox box;
    box.form = form;
    (form == Form::Messages ? box.messages : box.tokens) = range;
    return {box};
}

} // namespace palimpsest
