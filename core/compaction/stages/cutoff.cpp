// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/cutoff.h"

#include "core/compaction/contextsize.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace palimpsest {
namespace {

constexpr std::int64_t defaultMessagesToKeep = 20;

std::int64_t cutoffByMessages(const RequestView &view, double keep)
{
    const auto size = static_cast<double>(view.size());
    if (size <= keep)
        return 0;
    // Upstream subtracts without rounding; a keep that is no whole number would make it raise.
    return safeCutoffPoint(view, static_cast<std::int64_t>(size - keep));
}

std::int64_t cutoffByTokens(const RequestView &view, std::int64_t target)
{
    const std::int64_t size = view.size();
    if (size == 0)
        return 0;
    target = std::max<std::int64_t>(1, target);
    if (view.count() <= target)
        return 0;
    std::int64_t cutoff = suffixWithin(view, target);
    if (cutoff >= size) {
        if (size == 1)
            return 0;
        cutoff = size - 1;
    }
    return safeCutoffPoint(view, cutoff);
}

} // namespace

std::int64_t suffixWithin(const RequestView &view, std::int64_t target)
{
    std::int64_t left = 0;
    std::int64_t right = view.size();
    while (left < right) {
        const std::int64_t middle = (left + right) / 2;
        if (view.tokensFrom(middle) <= target)
            right = middle;
        else
            left = middle + 1;
    }
    return left;
}

std::int64_t safeCutoffPoint(const RequestView &view, std::int64_t cutoff)
{
    const std::int64_t size = view.size();
    if (cutoff >= size || !view.isTool(cutoff))
        return cutoff;
    std::vector<std::string_view> ids;
    std::int64_t behind = cutoff;
    for (; behind < size && view.isTool(behind); ++behind) {
        const auto &id = view.at(behind)->toolCallId;
        if (id && !id->empty())
            ids.emplace_back(*id);
    }
    std::sort(ids.begin(), ids.end());
    for (std::int64_t i = cutoff - 1; i >= 0; --i) {
        if (!view.isAi(i))
            continue;
        for (const ToolCallView &call : toolCalls(*view.at(i))) {
            if (!call.id.empty() && std::binary_search(ids.begin(), ids.end(), call.id))
                return i;
        }
    }
    return behind;
}

std::int64_t determineCutoffIndex(const RequestView &view, const CompactionRules &rules)
{
    switch (rules.keep.kind) {
    case ContextSize::Kind::Messages:
        return cutoffByMessages(view, rules.keep.value);
    case ContextSize::Kind::Tokens:
        return cutoffByTokens(view, static_cast<std::int64_t>(rules.keep.value));
    case ContextSize::Kind::Fraction:
        break;
    }
    if (view.size() == 0)
        return 0;
    if (!rules.maxInputTokens)
        return cutoffByMessages(view, defaultMessagesToKeep);
    return cutoffByTokens(view, fractionThreshold(*rules.maxInputTokens, rules.keep.value));
}

} // namespace palimpsest
