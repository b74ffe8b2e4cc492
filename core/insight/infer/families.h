// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/infer/infer.h"
#include "core/insight/infer/ranges.h"

#include <span>
#include <vector>

namespace palimpsest {

/// One way of counting with what it shows.
struct CountedEvidence {
    CountingAssumption assumption;
    std::string overheadFrom;
    bool overheadAtLeast = false;
    std::optional<std::int64_t> system; ///< null where it is not known
    CompactionRules rules;
    std::vector<CallFact> facts;
};

/// Families that hold for a stretch of facts.
class FamilySearch {
public:
    explicit FamilySearch(const ReplayInput &input)
        : m_input(input)
    {
    }

    /// Every family that explains all events of the stretch, and those that take up to `refusals` of the smallest ones
    /// for answers to a refusal. Sorted, best first.
    [[nodiscard]] std::vector<SettingsFamily> find(
        const CountedEvidence &evidence, std::span<const CallFact> facts, std::size_t refusals) const;
    /// Whether any family explains all events of the stretch.
    [[nodiscard]] bool explained(const CountedEvidence &evidence, std::span<const CallFact> facts) const;

private:
    struct Keep {
        ContextSize::Kind kind = ContextSize::Kind::Messages;
        WholeRange range;
    };
    /// What triggers are held against, given what is kept.
    struct Points {
        std::vector<TriggerPoint> fired;
        std::vector<TriggerPoint> still;
        std::vector<InferenceBound> refusals;
        std::int64_t clipped = 0; ///< events whose clipped tail shows the refusal
    };

    [[nodiscard]] std::vector<Keep> keeps(const CountedEvidence &evidence, std::span<const CallFact> facts) const;
    /// The range itself, and parts of it with which smaller triggers explain the same.
    [[nodiscard]] std::vector<Keep> split(
        const CountedEvidence &evidence, std::span<const CallFact> facts, const Keep &keep) const;
    [[nodiscard]] Points points(const CountedEvidence &evidence, std::span<const CallFact> facts, const Keep &keep,
        bool clippedIsRefused) const;
    void addForms(std::vector<SettingsFamily> &families, const CountedEvidence &evidence,
        std::span<const CallFact> facts, const Keep &keep, const Points &points, std::size_t refusals) const;
    void add(std::vector<SettingsFamily> &families, const CountedEvidence &evidence, std::span<const CallFact> facts,
        const Keep &keep, const Points &points, const TriggerBox &box) const;
    void addRefused(std::vector<SettingsFamily> &families, const CountedEvidence &evidence,
        std::span<const CallFact> facts, const Keep &keep, const Points &points, std::size_t refusals) const;
    void addBounds(SettingsFamily &family, const Points &points, const TriggerBox &box) const;
    [[nodiscard]] InferenceBound bound(std::int32_t call, std::string why) const;

    const ReplayInput &m_input;
};

/// A range of whole numbers as a range of a size.
SizeRange sizeRange(ContextSize::Kind kind, const WholeRange &range);

/// Whether every value of `b` lies in `a`, however arguments were shortened, and both take the same events for answers
/// to a refusal.
bool covers(const SettingsFamily &a, const SettingsFamily &b);

/// Orders families: those that explain more, then the simpler and sharper ones.
bool betterFamily(const SettingsFamily &a, const SettingsFamily &b);

} // namespace palimpsest
