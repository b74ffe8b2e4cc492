// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/fate.h"

#include <algorithm>

namespace palimpsest {

FateMap::FateMap(std::vector<Cut> cuts, std::int64_t size, bool hasSummary)
    : m_cuts(std::move(cuts))
    , m_size(size)
    , m_lead(hasSummary ? 1 : 0)
{
    for (Cut &cut : m_cuts)
        cut.cutoff = std::clamp<std::int64_t>(cut.cutoff, 0, m_size);
}

void FateMap::mark(MessageIndex index, Fate::Kind kind, const std::string &path)
{
    if (index.value < cutoff().value || index.value >= m_size)
        return;
    m_marks.push_back({index.value, kind, path});
}

MessageIndex FateMap::cutoff() const
{
    return MessageIndex(m_cuts.empty() ? std::int64_t{0} : m_cuts.back().cutoff);
}

const FateMap::Mark *FateMap::markAt(std::int64_t index) const
{
    const auto found = std::ranges::lower_bound(m_marks, index, {}, &Mark::index);
    return found != m_marks.end() && found->index == index ? &*found : nullptr;
}

Fate FateMap::of(MessageIndex index) const
{
    Fate fate;
    if (!index.isValid() || index.value >= m_size) {
        fate.kind = Fate::Kind::Removed;
        return fate;
    }
    if (index < cutoff()) {
        fate.kind = Fate::Kind::Summarized;
        // The first event that cut beyond the message took it; a later one may lie lower when a run was forked or
        // edited.
        const auto taker = std::ranges::find_if(m_cuts, [&](const Cut &cut) { return cut.cutoff > index.value; });
        if (taker != m_cuts.end()) {
            fate.event = taker->event;
            fate.path = taker->archive;
        }
        if (m_lead > 0)
            fate.row = EffectiveIndex(std::int64_t{0});
        return fate;
    }
    fate.row = EffectiveIndex(index.value - cutoff().value + m_lead);
    if (const Mark *mark = markAt(index.value)) {
        fate.kind = mark->kind;
        fate.path = mark->path;
    }
    return fate;
}

MessageIndex FateMap::origin(EffectiveIndex row) const
{
    if (row.value < m_lead)
        return {};
    const MessageIndex index = cutoff() + (row.value - m_lead);
    return index.value < m_size ? index : MessageIndex();
}

std::vector<FateRun> FateMap::runs() const
{
    std::vector<std::int64_t> starts{0};
    const std::int64_t cut = cutoff().value;
    for (const Cut &c : m_cuts) {
        if (c.cutoff > starts.back() && c.cutoff < cut)
            starts.push_back(c.cutoff);
    }
    if (cut > starts.back())
        starts.push_back(cut);
    for (const Mark &mark : m_marks) {
        if (mark.index > starts.back())
            starts.push_back(mark.index);
        starts.push_back(mark.index + 1);
    }
    std::vector<FateRun> out;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : m_size;
        if (starts[i] < end)
            out.push_back({MessageIndex(starts[i]), MessageIndex(end - 1), of(MessageIndex(starts[i]))});
    }
    return out;
}

} // namespace palimpsest
