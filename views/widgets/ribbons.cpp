// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/ribbons.h"

#include <algorithm>

namespace palimpsest {

namespace {

constexpr qreal beyond = 60; ///< how far a band may end outside the window

Span cut(const Span &span, const Span &window)
{
    return {std::clamp(span.top, window.top - beyond, window.bottom + beyond),
        std::clamp(span.bottom, window.top - beyond, window.bottom + beyond)};
}

bool touches(const Span &span, const Span &window)
{
    return span.bottom > window.top && span.top < window.bottom;
}

} // namespace

Ink inkOf(Ribbon::Kind kind)
{
    switch (kind) {
    case Ribbon::Kind::Kept:
        return Ink::LineStrong;
    case Ribbon::Kind::Summarized:
        return Ink::Summary;
    case Ribbon::Kind::Archived:
        return Ink::Archive;
    case Ribbon::Kind::Offloaded:
        break;
    }
    return Ink::Offload;
}

std::vector<Ribbon> contextRibbons(const FateMap &fates, MessageIndex firstVisible, MessageIndex lastVisible,
    MessageIndex chosen, const RibbonEnds &ends)
{
    std::vector<Ribbon> out;
    const MessageIndex cutoff = fates.cutoff();
    if (fates.lead() > 0 && cutoff.value > 0) {
        if (const auto summary = ends.effective(EffectiveIndex(std::int64_t{0}))) {
            // One band an event: the blocks that earlier summaries took lie above the last one's.
            std::int64_t from = 0;
            for (const FateMap::Cut &one : fates.cuts()) {
                if (one.cutoff <= from)
                    continue;
                const auto top = ends.raw(MessageIndex(from));
                const auto bottom = ends.raw(MessageIndex(one.cutoff - 1));
                if (top && bottom) {
                    Ribbon ribbon;
                    ribbon.kind = Ribbon::Kind::Summarized;
                    ribbon.event = one.event;
                    ribbon.left = cut({top->top + 1, bottom->bottom - 1}, ends.window);
                    // Each takes its share of the summary's height, in order.
                    const qreal height = summary->bottom - summary->top;
                    const auto share = [&](std::int64_t at) {
                        return summary->top + height * static_cast<qreal>(at) / static_cast<qreal>(cutoff.value);
                    };
                    ribbon.right = cut({share(from), share(std::min(one.cutoff, cutoff.value))}, ends.window);
                    ribbon.chosen = chosen.value >= from && chosen.value < one.cutoff;
                    if (touches(ribbon.left, ends.window) || touches(ribbon.right, ends.window))
                        out.push_back(ribbon);
                }
                from = one.cutoff;
            }
        }
    }
    for (MessageIndex index = std::max(firstVisible, cutoff);
        index.isValid() && index <= lastVisible && index.value < fates.size(); ++index) {
        const Fate fate = fates.of(index);
        const auto left = ends.raw(index);
        const auto right = ends.effective(fate.row);
        if (!left || !right)
            continue;
        Ribbon ribbon;
        ribbon.kind = fate.kind == Fate::Kind::Stub ? Ribbon::Kind::Offloaded : Ribbon::Kind::Kept;
        ribbon.left = cut({left->top + 2, left->bottom - 2}, ends.window);
        ribbon.right = cut({right->top + 2, right->bottom - 2}, ends.window);
        ribbon.chosen = index == chosen;
        if (touches(ribbon.left, ends.window) || touches(ribbon.right, ends.window))
            out.push_back(ribbon);
    }
    return out;
}

std::vector<Ribbon> archiveRibbons(const FateMap &fates, EffectiveIndex firstVisible, EffectiveIndex lastVisible,
    MessageIndex chosen, const RibbonEnds &ends, const std::function<std::optional<Span>(int)> &section,
    const std::function<std::optional<Span>(const std::string &)> &file)
{
    std::vector<Ribbon> out;
    if (fates.lead() > 0) {
        const auto summary = ends.effective(EffectiveIndex(std::int64_t{0}));
        const auto count = static_cast<qreal>(std::max<std::size_t>(fates.cuts().size(), 1));
        qreal place = 0;
        std::int64_t from = 0;
        for (const FateMap::Cut &one : fates.cuts()) {
            const auto target = section(one.event);
            if (summary && target && !one.archive.empty()) {
                Ribbon ribbon;
                ribbon.kind = Ribbon::Kind::Archived;
                ribbon.event = one.event;
                const qreal height = (summary->bottom - summary->top) / count;
                ribbon.left = cut({summary->top + height * place, summary->top + height * (place + 1)}, ends.window);
                ribbon.right = cut(*target, ends.window);
                ribbon.chosen = chosen.isValid() && chosen.value >= from && chosen.value < one.cutoff;
                if (touches(ribbon.left, ends.window) || touches(ribbon.right, ends.window))
                    out.push_back(ribbon);
            }
            place += 1;
            from = std::max(from, one.cutoff);
        }
    }
    for (EffectiveIndex row = firstVisible; row.isValid() && row <= lastVisible; ++row) {
        const MessageIndex origin = fates.origin(row);
        if (!origin.isValid())
            continue;
        const Fate fate = fates.of(origin);
        if (fate.kind != Fate::Kind::Stub)
            continue;
        const auto left = ends.effective(row);
        const auto right = file(fate.path);
        if (!left || !right)
            continue;
        Ribbon ribbon;
        ribbon.kind = Ribbon::Kind::Offloaded;
        ribbon.left = cut({left->top + 4, left->bottom - 4}, ends.window);
        ribbon.right = cut(*right, ends.window);
        ribbon.chosen = origin == chosen;
        if (touches(ribbon.left, ends.window) || touches(ribbon.right, ends.window))
            out.push_back(ribbon);
    }
    return out;
}

} // namespace palimpsest
