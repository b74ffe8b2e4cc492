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

std::optional<std::int64_t> wantedByMessages(const RequestView &view, double keep)
{
    const auto size = static_cast<double>(view.size());
    if (size <= keep)
        return std::nullopt;
    // Upstream subtracts without rounding; a keep that is no whole number would make it raise.
    return static_cast<std::int64_t>(size - keep);
}

std::optional<std::int64_t> wantedByTokens(const RequestView &view, std::int64_t target)
{
    const std::int64_t size = view.size();
    if (size == 0)
        return std::nullopt;
    target = std::max<std::int64_t>(1, target);
    if (view.count() <= target)
        return std::nullopt;
    const std::int64_t cutoff = suffixWithin(view, target);
    if (cutoff < size)
        return cutoff;
    return size == 1 ? std::nullopt : std::optional(size - 1);
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

std::optional<std::int64_t> wantedCutoff(const RequestView &view, const CompactionRules &rules)
{
    switch (rules.keep.kind) {
    case ContextSize::Kind::Messages:
        return wantedByMessages(view, rules.keep.value);
    case ContextSize::Kind::Tokens:
        return wantedByTokens(view, static_cast<std::int64_t>(rules.keep.value));
    case ContextSize::Kind::Fraction:
        break;
    }
    if (view.size() == 0)
        return std::nullopt;
    if (!rules.maxInputTokens)
        return wantedByMessages(view, defaultMessagesToKeep);
    return wantedByTokens(view, fractionThreshold(*rules.maxInputTokens, rules.keep.value));
}

std::int64_t determineCutoffIndex(const RequestView &view, const CompactionRules &rules)
{
    const auto wanted = wantedCutoff(view, rules);
    return wanted ? safeCutoffPoint(view, *wanted) : 0;
}

} // namespace palimpsest
