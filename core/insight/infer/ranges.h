// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/infer/evidence.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

/// Which whole numbers explain what was seen: the arithmetic of the inference.
namespace palimpsest {

/// Whole numbers from `low` to `high`, both included.
struct WholeRange {
    static constexpr std::int64_t open = std::numeric_limits<std::int64_t>::max();
    std::int64_t low = 1;
    std::int64_t high = open;

    bool operator==(const WholeRange &) const = default;
    [[nodiscard]] bool empty() const { return low > high; }
};

/// Common parts of two lists of ranges, each in order and without overlap.
std::vector<WholeRange> intersection(const std::vector<WholeRange> &a, const std::vector<WholeRange> &b);

/// The values of `keep` of this kind (messages or tokens) with which the event's cutoff comes out. In order.
std::vector<WholeRange> keepRanges(const CallFact &fact, ContextSize::Kind kind, const CompactionRules &rules);
/// The cutoff that a value of `keep` gives at this call.
std::int64_t cutoffFor(const CallFact &fact, const ContextSize &keep, const CompactionRules &rules);

/// A call as a trigger sees it.
struct TriggerPoint {
    std::int32_t call = -1;
    std::int64_t messages = 0;
    std::int64_t tokens = 0;
};

/// Values of one or two sizes; of two, `tokens` is the second.
struct TriggerBox {
    enum class Form { Messages, Tokens, Both, Either };
    Form form = Form::Messages;
    WholeRange messages; ///< low 1: open below; high `open`: open above
    WholeRange tokens;

    bool operator==(const TriggerBox &) const = default;
};

/// Largest boxes of trigger values with which all of `fired` fire and none of `still` does. One box for a form of one
/// size; for two sizes at most `limit`, boxes where one size would not matter at all left out.
std::vector<TriggerBox> triggerBoxes(TriggerBox::Form form, const std::vector<TriggerPoint> &fired,
    const std::vector<TriggerPoint> &still, std::size_t limit = 6);

} // namespace palimpsest
