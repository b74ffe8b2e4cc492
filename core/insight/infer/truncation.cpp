// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/truncation.h"

#include "core/artifacts/archive.h"
#include "core/base/text.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/serde/json.h"

#include <algorithm>
#include <map>
#include <set>

namespace palimpsest {
namespace {

constexpr std::size_t keptCharacters = 20; ///< of a shortened argument
constexpr std::size_t candidatesShown = 12;
constexpr std::int64_t mostMessages = 64; ///< trigger and keep are looked for up to here

/// An argument of an archived message against the one in the log.
struct ArgumentSeen {
    std::int64_t place = 0; ///< of its message in the log
    std::int64_t length = 0; ///< code points of the original
    bool shortened = false;
};

struct ArchiveEvidence {
    std::map<std::int64_t, std::vector<ArgumentSeen>> byCutoff; ///< raw cutoff of the event → what its section shows
    std::string text; ///< what stands in place of the rest
    std::int64_t longestWhole = 0; ///< of the arguments left whole in a section that shortened others
    std::int64_t shortestCut = 0; ///< 0: none
};

void compareArguments(const Message &logged, const ArchivedMessage &archived, std::int64_t place,
    std::vector<ArgumentSeen> &seen, ArchiveEvidence &evidence)
{
    const auto calls = toolCalls(logged);
    for (std::size_t i = 0; i < std::min(calls.size(), archived.toolCalls.size()); ++i) {
        if (calls[i].name != "write_file" && calls[i].name != "edit_file")
            continue;
        const auto args = parseJson(archived.toolCalls[i].args);
        if (!args)
            continue;
        for (const auto &[key, value] : calls[i].args->asMap()) {
            const Value *now = args->find(key.asText());
            if (!value.isText() || !now || !now->isText())
                continue;
            ArgumentSeen argument{place, static_cast<std::int64_t>(text::length(value.asText())), false};
            const std::string_view head = text::head(value.asText(), keptCharacters);
            if (now->asText() != value.asText() && std::string_view(now->asText()).starts_with(head)) {
                argument.shortened = true;
                evidence.text = now->asText().substr(head.size());
                evidence.shortestCut =
                    evidence.shortestCut == 0 ? argument.length : std::min(evidence.shortestCut, argument.length);
            }
            seen.push_back(argument);
        }
    }
}

ArchiveEvidence readArchives(const ReplayInput &input, const ArtifactReader &artifacts)
{
    ArchiveEvidence evidence;
    const ThreadNamespace &space = input.space();
    std::set<std::string> paths;
    for (const CheckpointIndex at : space.eventCheckpoints) {
        const EventPtr &event = space.checkpoints[at.at()].event;
        if (event && event->filePath)
            paths.insert(*event->filePath);
    }
    if (space.checkpoints.empty())
        return evidence;
    const CheckpointIndex last =
        space.heads.empty() ? CheckpointIndex(space.checkpoints.size() - 1) : space.heads.back();
    for (const std::string &path : paths) {
        const auto file = artifacts(path, last);
        // Only a shortened argument tells anything, and most archives hold none.
        if (!file || (file->find("write_file") == std::string::npos && file->find("edit_file") == std::string::npos))
            continue;
        const Archive archive = parseArchive(*file);
        for (const SectionLink &link : linkArchive(archive, space, path)) {
            if (!link.agrees || !link.checkpoint.isValid())
                continue;
            const MessageLog &log = space.checkpoints[link.checkpoint.at()].messages;
            const auto &messages = archive.sections[link.section].messages;
            std::vector<ArgumentSeen> seen;
            for (std::size_t i = 0; i < messages.size(); ++i) {
                const std::size_t place = link.first.at() + i;
                if (place < log.size())
                    compareArguments(*log[place], messages[i], static_cast<std::int64_t>(place), seen, evidence);
            }
            if (!seen.empty())
                evidence.byCutoff[link.end.value] = std::move(seen);
        }
    }
    for (const auto &[cutoff, seen] : evidence.byCutoff) {
        std::int64_t lastCut = -1;
        for (const ArgumentSeen &argument : seen)
            lastCut = argument.shortened ? std::max(lastCut, argument.place) : lastCut;
        for (const ArgumentSeen &argument : seen) {
            if (!argument.shortened && argument.place <= lastCut)
                evidence.longestWhole = std::max(evidence.longestWhole, argument.length);
        }
    }
    return evidence;
}

/// The most usual length between what stayed whole and what was cut.
std::int64_t usualLength(std::int64_t whole, std::int64_t cut)
{
    for (const std::int64_t length : {2000, 200, 1000, 500, 100, 5000, 10000}) {
        if (length >= whole && length < cut)
            return length;
    }
    return cut - 1;
}

class CandidateSearch {
public:
    CandidateSearch(const ReplayInput &input, const CountingAssumption &assumption, const ArchiveEvidence &archives)
        : m_archives(archives)
    {
        CountingAssumption with = assumption;
        m_settings.trigger.reset();
        m_settings.maxLength = usualLength(archives.longestWhole, archives.shortestCut);
        m_settings.truncationText = archives.text;
        with.truncateArgs = m_settings;
        const EvidenceSource source(input, with);
        m_rules = source.rules();
        for (CallFact &fact : source.evidence(assumption.toolsTokens, assumption.systemTokens).facts) {
            const EventPtr &event = input.calls()[static_cast<std::size_t>(fact.call)].recordedEvent;
            if (fact.event() && m_archives.byCutoff.contains(event->cutoffIndex))
                m_facts.emplace_back(std::move(fact), &m_archives.byCutoff.at(event->cutoffIndex));
        }
    }

    std::vector<TruncateArgsSettings> find()
    {
        std::vector<TruncateArgsSettings> found;
        const auto tryIt = [&](ContextSize trigger, ContextSize keep) {
            TruncateArgsSettings settings = m_settings;
            settings.trigger = trigger;
            settings.keep = keep;
            if (found.size() < candidatesShown && fits(settings)
                && std::find(found.begin(), found.end(), settings) == found.end())
                found.push_back(settings);
        };
        using Kind = ContextSize::Kind;
        tryIt({Kind::Messages, 20}, {Kind::Messages, 20});
        byMessages(tryIt);
        byTokens(tryIt);
        return found;
    }

private:
    [[nodiscard]] bool fits(const TruncateArgsSettings &settings) const
    {
        CompactionRules rules = m_rules;
        rules.truncateArgs = settings;
        return std::all_of(m_facts.begin(), m_facts.end(), [&](const auto &entry) {
            const CallFact &fact = entry.first;
            const std::int64_t until = truncateArgs(fact.view, fact.counted, rules).view.truncatedUntil;
            return std::all_of(entry.second->begin(), entry.second->end(), [&](const ArgumentSeen &argument) {
                return (argument.place < until && argument.length > settings.maxLength) == argument.shortened;
            });
        });
    }

    /// Trigger and keep on messages: of all that fit, some that lie apart.
    template <class Try> void byMessages(const Try &tryIt) const
    {
        using Kind = ContextSize::Kind;
        std::vector<std::pair<std::int64_t, std::int64_t>> good;
        std::int64_t most = 2;
        for (const auto &[fact, seen] : m_facts)
            most = std::max(most, std::min(fact.messages, mostMessages));
        TruncateArgsSettings settings = m_settings;
        for (std::int64_t trigger = 1; trigger <= most; ++trigger) {
            for (std::int64_t keep = 1; keep <= most; ++keep) {
                settings.trigger = ContextSize{Kind::Messages, static_cast<double>(trigger)};
                settings.keep = {Kind::Messages, static_cast<double>(keep)};
                if (fits(settings))
                    good.emplace_back(trigger, keep);
            }
        }
        constexpr std::size_t shown = 8;
        for (std::size_t i = 0; i < std::min(shown, good.size()); ++i) {
            const auto &[trigger, keep] = good[i * good.size() / std::min(shown, good.size())];
            tryIt(ContextSize{Kind::Messages, static_cast<double>(trigger)},
                ContextSize{Kind::Messages, static_cast<double>(keep)});
        }
    }

    /// Trigger and keep on tokens, between what the sections allow.
    template <class Try> void byTokens(const Try &tryIt) const
    {
        using Kind = ContextSize::Kind;
        std::int64_t triggerLow = 1;
        std::int64_t triggerHigh = 0;
        std::int64_t keepLow = 1;
        std::int64_t keepHigh = 0;
        for (const auto &[fact, seen] : m_facts) {
            std::int64_t lastCut = -1;
            std::int64_t firstWhole = fact.view.end;
            for (const ArgumentSeen &argument : *seen) {
                if (argument.shortened)
                    lastCut = std::max(lastCut, argument.place);
                else if (argument.length > m_settings.maxLength)
                    firstWhole = std::min(firstWhole, argument.place);
            }
            const std::int64_t offset = fact.view.placeOf(0) < 0 ? fact.view.first - 1 : fact.view.first;
            if (lastCut < 0) {
                if (firstWhole < fact.view.end && fact.counted > triggerLow)
                    triggerLow =
                        std::max(triggerLow, std::min(fact.counted, triggerHigh > 0 ? triggerHigh : fact.counted));
                continue;
            }
            triggerHigh = triggerHigh == 0 ? fact.counted : std::min(triggerHigh, fact.counted);
            const std::int64_t high = fact.view.tokensFrom(lastCut - offset) - 1;
            keepHigh = keepHigh == 0 ? high : std::min(keepHigh, high);
            if (firstWhole < fact.view.end)
                keepLow = std::max(keepLow, fact.view.tokensFrom(firstWhole - offset));
        }
        if (triggerHigh == 0 || keepHigh < 1)
            return;
        for (const double part : {0.5, 1.0, 0.25, 0.75, 0.0}) {
            for (const double share : {0.5, 1.0, 0.0}) {
                const auto between = [](std::int64_t low, std::int64_t high, double at) {
                    return static_cast<double>(low + static_cast<std::int64_t>(static_cast<double>(high - low) * at));
                };
                tryIt(ContextSize{Kind::Tokens, between(std::min(triggerLow, triggerHigh), triggerHigh, part)},
                    ContextSize{Kind::Tokens, between(std::min(keepLow, keepHigh), keepHigh, share)});
            }
        }
    }

    const ArchiveEvidence &m_archives;
    TruncateArgsSettings m_settings;
    CompactionRules m_rules;
    std::vector<std::pair<CallFact, const std::vector<ArgumentSeen> *>> m_facts;
};

} // namespace

std::vector<TruncateArgsSettings> truncationCandidates(
    const ReplayInput &input, const ArtifactReader &artifacts, const CountingAssumption &assumption)
{
    const ArchiveEvidence archives = readArchives(input, artifacts);
    if (archives.shortestCut == 0)
        return {};
    return CandidateSearch(input, assumption, archives).find();
}

} // namespace palimpsest
