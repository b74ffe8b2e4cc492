// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/requestview.h"

#include "core/compaction/stages/bufferstring.h"

#include <algorithm>
#include <cmath>

namespace palimpsest {

const MessagePtr &RequestView::at(std::int64_t index) const
{
    const std::int64_t place = placeOf(index);
    if (place < 0)
        return summary;
    if (replacements) {
        for (const Replacement &replacement : *replacements) {
            if (replacement.place == place)
                return replacement.message;
        }
    }
    return log->message(place, {place < truncatedUntil, place < reasoningFrom});
}

bool RequestView::isTool(std::int64_t index) const
{
    const std::int64_t place = placeOf(index);
    return place >= 0 && log->isTool(place);
}

bool RequestView::isAi(std::int64_t index) const
{
    const std::int64_t place = placeOf(index);
    return place >= 0 && log->isAi(place);
}

std::vector<MessagePtr> RequestView::messages(std::int64_t from, std::int64_t to) const
{
    std::vector<MessagePtr> list;
    list.reserve(static_cast<std::size_t>(std::max<std::int64_t>(0, to - from)));
    for (std::int64_t i = from; i < to; ++i)
        list.push_back(at(i));
    return list;
}

std::int64_t RequestView::plainStretch(const FormSums &sizes, std::int64_t from, std::int64_t to) const
{
    // Both boundaries cut the stretch into at most three parts of one form each.
    const std::int64_t one = std::clamp(std::min(truncatedUntil, reasoningFrom), from, to);
    const std::int64_t two = std::clamp(std::max(truncatedUntil, reasoningFrom), from, to);
    return sizes.sum(from, one, {true, true}) + sizes.sum(one, two, {two <= truncatedUntil, two <= reasoningFrom})
        + sizes.sum(two, to);
}

std::int64_t RequestView::stretch(std::int64_t from, std::int64_t to) const
{
    if (from >= to)
        return 0;
    std::int64_t sum = plainStretch(log->tokens(), from, to);
    if (replacements) {
        for (const Replacement &replacement : *replacements) {
            const std::int64_t place = replacement.place;
            if (place >= from && place < to)
                sum += replacement.tokens - plainStretch(log->tokens(), place, place + 1);
        }
    }
    return sum;
}

std::optional<std::int64_t> RequestView::xmlLength(std::int64_t count) const
{
    const std::int64_t to = first + count - (summary ? 1 : 0);
    if (log->specialInPrompts(first, to) > 0)
        return std::nullopt;
    std::int64_t length = plainStretch(log->xmlLengths(), first, to);
    if (summary && count > 0)
        length += palimpsest::xmlLength(*summary) + 1;
    if (replacements) {
        for (const Replacement &replacement : *replacements) {
            if (replacement.place < first || replacement.place >= to)
                continue;
            if (!promptShowsOwnXml(*replacement.message))
                return std::nullopt;
            length += palimpsest::xmlLength(*replacement.message) + 1
                - plainStretch(log->xmlLengths(), replacement.place, replacement.place + 1);
        }
    }
    return std::max<std::int64_t>(0, length - 1); // newlines stand between messages only
}

std::int64_t RequestView::tokensFrom(std::int64_t index) const
{
    const std::int64_t place = placeOf(index);
    return place < 0 ? summaryTokens + stretch(first, end) : stretch(place, end);
}

std::int64_t RequestView::countUnscaled(const RequestBase &base) const
{
    return base.toolTokens + base.systemTokens + (summary ? summaryTokens : 0) + stretch(first, end);
}

std::int64_t RequestView::count(const RequestBase &base) const
{
    const std::int64_t tokens = countUnscaled(base);
    if (ignoresUsage || !log->rule().scalesByUsage || size() + (base.systemMessage ? 1 : 0) <= 1
        || !log->oneProvider(first, end))
        return tokens;
    const std::int64_t last = log->lastReporting(end);
    if (last < first)
        return tokens;
    const auto total = reported(last);
    if (!total)
        return tokens;
    return scaledCount(
        tokens, base.toolTokens + base.systemTokens + (summary ? summaryTokens : 0) + stretch(first, last + 1), *total);
}

std::int64_t RequestView::lastAi() const
{
    const std::int64_t place = log->lastAi(end);
    return place < first ? -1 : place;
}

std::optional<std::int64_t> RequestView::reported(std::int64_t place) const
{
    if (ignoresUsage)
        return std::nullopt;
    if (reportedByPlace && place < static_cast<std::int64_t>(reportedByPlace->size())) {
        const std::int64_t total = (*reportedByPlace)[static_cast<std::size_t>(place)];
        return total < 0 ? std::nullopt : std::optional(total);
    }
    return log->reported(place);
}

RequestView RequestView::from(std::int64_t index) const
{
    RequestView view = *this;
    if (summary && index == 0)
        return view;
    view.summary = nullptr;
    view.summaryTokens = 0;
    view.first = std::min(placeOf(index), end);
    return view;
}

RequestView viewOf(
    const std::vector<MessagePtr> &messages, CounterRule rule, const std::optional<TruncateArgsSettings> &truncation)
{
    auto log = std::make_shared<CountedLog>(rule, truncation);
    log->append(messages);
    RequestView view;
    view.end = log->size();
    view.log = std::move(log);
    return view;
}

std::int64_t scaledCount(std::int64_t tokens, std::int64_t tokensToReport, std::int64_t reported)
{
    if (tokensToReport <= 0)
        return tokens;
    const double factor = static_cast<double>(reported) / static_cast<double>(tokensToReport);
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) * std::min(1.25, std::max(1.0, factor))));
}

} // namespace palimpsest
