// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/truncation.h"

#include "core/base/text.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/serde/json.h"

#include <algorithm>
#include <array>
#include <set>

namespace palimpsest {
namespace {

using Kind = ContextSize::Kind;

constexpr std::size_t keptCharacters = 20; ///< of a shortened argument
constexpr std::int64_t mostMessages = 64; ///< trigger and keep are looked for up to here
constexpr std::size_t messagePairsShown = 24;
constexpr std::size_t thresholdsTried = 10;

/// Lengths of arguments that people set; the default first.
constexpr std::array<std::int64_t, 7> usualLengths{2000, 200, 1000, 500, 100, 5000, 10000};

/// The most usual length from `whole` on and below `cut`.
std::int64_t usualLength(std::int64_t whole, std::int64_t cut)
{
    for (const std::int64_t length : usualLengths) {
        if (length >= whole && length < cut)
            return length;
    }
    return cut - 1;
}

/// At most `count` of them, spread evenly.
template <class T> std::vector<T> spread(const std::vector<T> &all, std::size_t count)
{
    if (all.size() <= count)
        return all;
    std::vector<T> some;
    for (std::size_t i = 0; i < count; ++i)
        some.push_back(all[i * (all.size() - 1) / (count - 1)]);
    return some;
}

ContextSize size(Kind kind, std::int64_t value)
{
    return {kind, static_cast<double>(value)};
}

} // namespace

TruncationSearch::TruncationSearch(const ReplayInput &input, const ArtifactReader &artifacts)
    : m_input(input)
{
    const ThreadNamespace &space = input.space();
    std::set<std::string> paths;
    for (const CheckpointIndex at : space.eventCheckpoints) {
        const EventPtr &event = space.checkpoints[at.at()].event;
        if (event && event->filePath)
            paths.insert(*event->filePath);
    }
    if (space.heads.empty())
        return;
    for (const std::string &path : paths) {
        const auto file = artifacts(path, space.heads.back());
        // Most archives hold no call whose arguments are ever shortened.
        if (file && (file->find("write_file") != std::string::npos || file->find("edit_file") != std::string::npos))
            readArchive(input, path, *file);
    }
    findShape();
}

void TruncationSearch::readArchive(const ReplayInput &input, const std::string &path, const std::string &content)
{
    const Archive archive = parseArchive(content);
    for (const SectionLink &link : linkArchive(archive, input.space(), path)) {
        if (!link.agrees || !link.checkpoint.isValid())
            continue;
        const MessageLog &log = input.space().checkpoints[link.checkpoint.at()].messages;
        const auto &messages = archive.sections[link.section].messages;
        Section seen;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            const std::size_t place = link.first.at() + i;
            if (place < log.size())
                compare(*log[place], messages[i], static_cast<std::int64_t>(place), seen);
        }
        if (!seen.empty())
            m_byCutoff[link.end.value] = std::move(seen);
    }
}

void TruncationSearch::compare(
    const Message &logged, const ArchivedMessage &archived, std::int64_t place, Section &seen)
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
                m_shape.truncationText = now->asText().substr(head.size());
                m_shortestCut = m_shortestCut == 0 ? argument.length : std::min(m_shortestCut, argument.length);
            }
            seen.push_back(argument);
        }
    }
}

void TruncationSearch::findShape()
{
    for (const auto &[cutoff, seen] : m_byCutoff) {
        std::int64_t lastCut = -1;
        for (const ArgumentSeen &argument : seen)
            lastCut = argument.shortened ? std::max(lastCut, argument.place) : lastCut;
        for (const ArgumentSeen &argument : seen) {
            if (!argument.shortened && argument.place <= lastCut)
                m_longestWhole = std::max(m_longestWhole, argument.length);
        }
    }
    if (told())
        m_shape.maxLength = usualLength(m_longestWhole, m_shortestCut);
}

bool TruncationSearch::fits(
    const std::vector<Seen> &seen, const CompactionRules &rules, const TruncateArgsSettings &settings) const
{
    CompactionRules with = rules;
    with.truncateArgs = settings;
    return std::all_of(seen.begin(), seen.end(), [&](const Seen &one) {
        const std::int64_t until = truncateArgs(one.fact->view, one.fact->counted, with).view.truncatedUntil;
        return std::all_of(one.section->begin(), one.section->end(), [&](const ArgumentSeen &argument) {
            return (argument.place < until && argument.length > settings.maxLength) == argument.shortened;
        });
    });
}

void TruncationSearch::byMessages(
    const std::vector<Seen> &seen, const CompactionRules &rules, std::vector<TruncateArgsSettings> &found) const
{
    std::int64_t most = 2;
    for (const Seen &one : seen)
        most = std::max(most, std::min(one.fact->messages, mostMessages));
    std::vector<TruncateArgsSettings> good;
    TruncateArgsSettings settings = m_shape;
    for (std::int64_t trigger = 1; trigger <= most; ++trigger) {
        for (std::int64_t keep = 1; keep <= most; ++keep) {
            settings.trigger = size(Kind::Messages, trigger);
            settings.keep = size(Kind::Messages, keep);
            if (fits(seen, rules, settings))
                good.push_back(settings);
        }
    }
    for (const TruncateArgsSettings &one : spread(good, messagePairsShown))
        found.push_back(one);
}

void TruncationSearch::byTokens(const std::vector<Seen> &seen, const CompactionRules &rules,
    const std::vector<CallFact> &facts, std::vector<TruncateArgsSettings> &found) const
{
    std::int64_t triggerHigh = 0;
    std::int64_t keepLow = 1;
    std::int64_t keepHigh = 0;
    for (const Seen &one : seen) {
        const RequestView &view = one.fact->view;
        std::int64_t lastCut = -1;
        std::int64_t firstWhole = view.end;
        for (const ArgumentSeen &argument : *one.section) {
            if (argument.shortened)
                lastCut = std::max(lastCut, argument.place);
            else if (argument.length > m_shape.maxLength)
                firstWhole = std::min(firstWhole, argument.place);
        }
        if (lastCut < 0)
            continue;
        const std::int64_t offset = view.placeOf(0) < 0 ? view.first - 1 : view.first;
        triggerHigh = triggerHigh == 0 ? one.fact->counted : std::min(triggerHigh, one.fact->counted);
        const std::int64_t high = view.tokensFrom(lastCut - offset) - 1;
        keepHigh = keepHigh == 0 ? high : std::min(keepHigh, high);
        if (firstWhole < view.end)
            keepLow = std::max(keepLow, view.tokensFrom(firstWhole - offset));
    }
    if (triggerHigh == 0 || keepHigh < 1)
        return;
    // A trigger makes a difference only between the counts of two calls.
    std::set<std::int64_t> triggers{triggerHigh};
    for (const CallFact &fact : facts) {
        if (fact.counted < triggerHigh)
            triggers.insert(fact.counted + 1);
    }
    std::vector<std::int64_t> keeps;
    keepLow = std::min(keepLow, keepHigh);
    for (std::size_t i = 0; i < thresholdsTried; ++i)
        keeps.push_back(keepLow
            + (keepHigh - keepLow) * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(thresholdsTried - 1));
    for (const std::int64_t trigger :
        spread(std::vector<std::int64_t>(triggers.begin(), triggers.end()), 4 * thresholdsTried)) {
        for (const std::int64_t keep : keeps) {
            TruncateArgsSettings settings = m_shape;
            settings.trigger = size(Kind::Tokens, trigger);
            settings.keep = size(Kind::Tokens, keep);
            if (fits(seen, rules, settings))
                found.push_back(settings);
        }
    }
}

std::vector<TruncationSearch::Seen> TruncationSearch::seenEvents(const std::vector<CallFact> &facts) const
{
    std::vector<Seen> seen;
    for (const CallFact &fact : facts) {
        if (!fact.event())
            continue;
        const auto section =
            m_byCutoff.find(m_input.calls()[static_cast<std::size_t>(fact.call)].recordedEvent->cutoffIndex);
        if (section != m_byCutoff.end())
            seen.push_back({&fact, &section->second});
    }
    return seen;
}

std::vector<TruncateArgsSettings> TruncationSearch::candidates(
    const std::vector<CallFact> &facts, const CompactionRules &rules) const
{
    const std::vector<Seen> seen = seenEvents(facts);
    std::vector<TruncateArgsSettings> found;
    TruncateArgsSettings usual = m_shape;
    usual.trigger = size(Kind::Messages, 20);
    usual.keep = size(Kind::Messages, 20);
    if (fits(seen, rules, usual))
        found.push_back(usual);
    byMessages(seen, rules, found);
    byTokens(seen, rules, facts, found);
    return found;
}

std::vector<TruncateArgsSettings> TruncationSearch::possibleShapes() const
{
    std::vector<std::int64_t> lengths;
    for (const ReplayInput::Track &track : m_input.tracks())
        for (const ReplayInput::Original &original : track.messages)
            for (const ToolCallView &call : toolCalls(*original.message)) {
                if (call.name != "write_file" && call.name != "edit_file")
                    continue;
                for (const auto &[key, value] : call.args->asMap())
                    if (value.isText())
                        lengths.push_back(static_cast<std::int64_t>(text::length(value.asText())));
            }
    std::vector<TruncateArgsSettings> shapes;
    std::set<std::ptrdiff_t> counts{0};
    std::vector<std::int64_t> longest(usualLengths.begin(), usualLengths.end());
    if (told()) {
        longest.insert(longest.begin(), m_shape.maxLength);
        std::erase_if(longest, [&](std::int64_t one) { return one < m_longestWhole || one >= m_shortestCut; });
    }
    for (const std::int64_t length : longest) {
        const auto longer =
            std::count_if(lengths.begin(), lengths.end(), [&](std::int64_t one) { return one > length; });
        if (!counts.insert(longer).second)
            continue;
        TruncateArgsSettings shape = m_shape;
        shape.maxLength = length;
        shapes.push_back(shape);
        // Beside the default text one that takes next to nothing: what lies between counts alike, but for a few tokens.
        shape.truncationText = "…";
        if (!told())
            shapes.push_back(shape);
    }
    return shapes;
}

std::vector<TruncateArgsSettings> TruncationSearch::possible(const TruncateArgsSettings &shape,
    const std::vector<CallFact> &facts, const CompactionRules &rules, std::size_t limit) const
{
    std::set<std::int64_t> sizes;
    std::set<std::int64_t> counts;
    for (const CallFact &fact : facts) {
        sizes.insert(fact.messages);
        counts.insert(fact.counted);
    }
    const auto triggers = [](Kind kind, const std::set<std::int64_t> &values) {
        std::vector<ContextSize> all;
        for (const std::int64_t value : spread(std::vector(values.begin(), values.end()), 4 * thresholdsTried))
            all.push_back(size(kind, value));
        return all;
    };
    std::vector<ContextSize> all = triggers(Kind::Messages, sizes);
    const std::vector<ContextSize> byTokens = triggers(Kind::Tokens, counts);
    all.insert(all.end(), byTokens.begin(), byTokens.end());

    CompactionRules with = rules;
    with.truncateArgs = shape;
    with.truncateArgs->trigger = size(Kind::Messages, 1);
    std::set<std::vector<std::int64_t>> outcomes;
    if (!told())
        outcomes.emplace(facts.size(), 0);
    std::set<std::vector<std::int64_t>> columns = outcomes;
    const std::vector<Seen> seen = seenEvents(facts);
    std::vector<TruncateArgsSettings> found;
    for (const auto &[kind, values] : {std::pair(Kind::Messages, &sizes), std::pair(Kind::Tokens, &counts)}) {
        std::vector<ContextSize> keeps;
        const std::int64_t most = values->empty() ? 0 : *values->rbegin();
        const std::int64_t step = std::max<std::int64_t>(1, most / static_cast<std::int64_t>(4 * thresholdsTried));
        for (std::int64_t keep = 1; keep <= most; keep += step)
            keeps.push_back(size(kind, keep));
        for (const ContextSize &keep : keeps) {
            with.truncateArgs->keep = keep;
            std::vector<std::int64_t> saved; // by fact, where the trigger is reached
            saved.reserve(facts.size());
            for (const CallFact &fact : facts) {
                const ArgumentTruncation cut = truncateArgs(fact.view, fact.counted, with);
                saved.push_back(cut.changed > 0 ? fact.view.countUnscaled() - cut.view.countUnscaled() : 0);
            }
            if (!columns.insert(saved).second)
                continue;
            for (const ContextSize &trigger : all) {
                std::vector<std::int64_t> outcome = saved;
                for (std::size_t i = 0; i < facts.size(); ++i) {
                    const std::int64_t size = trigger.kind == Kind::Messages ? facts[i].messages : facts[i].counted;
                    if (static_cast<double>(size) < trigger.value)
                        outcome[i] = 0;
                }
                TruncateArgsSettings settings = *with.truncateArgs;
                settings.trigger = trigger;
                if (outcomes.contains(outcome) || !fits(seen, rules, settings))
                    continue;
                outcomes.insert(std::move(outcome));
                found.push_back(settings);
            }
        }
    }
    return spread(found, std::max<std::size_t>(limit, 2));
}

} // namespace palimpsest
