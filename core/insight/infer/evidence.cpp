// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/evidence.h"

#include "core/compaction/replayviews.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/trigger.h"
#include "core/thread/events.h"

#include <algorithm>

namespace palimpsest {

Settings CountingAssumption::settings() const
{
    Settings settings;
    settings.dialect = dialect;
    settings.model = model;
    settings.charsPerToken = charsPerToken;
    settings.truncateArgs = truncateArgs;
    settings.tools = toolsTokens;
    settings.systemMessage = systemTokens;
    settings.usage = Settings::Usage::Keep;
    // The recording shows what was moved; nothing is to be moved again.
    settings.toolTokenLimitBeforeEvict.reset();
    settings.humanMessageTokenLimitBeforeEvict.reset();
    return settings;
}

std::optional<std::int64_t> effectiveCutoff(const SummarizationEvent &event, const SummarizationEvent *prior)
{
    const auto cutoff = cutoffOf(event);
    if (!cutoff)
        return std::nullopt;
    if (!prior)
        return *cutoff;
    const auto before = cutoffOf(*prior);
    return before ? *cutoff - *before + 1 : *cutoff;
}

EvidenceSource::EvidenceSource(const ReplayInput &input, const CountingAssumption &assumption)
    : m_input(input)
    , m_settings(assumption.settings())
    , m_rules(std::make_shared<CallRules>())
{
    const auto choice = dialectFor(m_settings.dialect);
    m_rules->settings = &m_settings;
    m_rules->rules = rulesFor(m_settings, choice ? choice->dialect : knownDialects().front());
    m_rules->base = requestBase(m_settings, m_rules->rules);
    m_logs = prepareLogs(input, std::vector<CallRulesPtr>(input.calls().size(), m_rules));
    for (std::size_t i = 0; i < input.calls().size(); ++i) {
        for (const MessagePtr &rewrite : input.call(i).rewrites) {
            if (rewrite->kind != MessageKind::Tool || !rewrite->id)
                continue;
            const std::size_t track = input.calls()[i].track;
            const auto &messages = input.tracks()[track].messages;
            for (std::int64_t place = input.calls()[i].length; place-- > 0;) {
                const ReplayInput::Original &original = messages[static_cast<std::size_t>(place)];
                if (original.recorded->id != rewrite->id)
                    continue;
                if (original.message != original.recorded)
                    m_clips.push_back({track, place, static_cast<std::int32_t>(i), original.message});
                break;
            }
        }
    }
}

std::shared_ptr<const std::vector<RequestView::Replacement>> EvidenceSource::unclipped(std::size_t call) const
{
    std::vector<RequestView::Replacement> replacements;
    for (const Clip &clip : m_clips) {
        if (clip.track == m_input.calls()[call].track && static_cast<std::int32_t>(call) <= clip.byCall)
            replacements.push_back({clip.place, clip.before,
                messageTokens(*clip.before, m_rules->rules.counter.charsPerToken).value_or(0)});
    }
    if (replacements.empty())
        return nullptr;
    return std::make_shared<const std::vector<RequestView::Replacement>>(std::move(replacements));
}

std::optional<CallFact> EvidenceSource::fact(
    std::size_t call, const RequestBase &base, const CompactionRules &rules, std::string &why) const
{
    const ReplayInput::CallInput &recorded = m_input.calls()[call];
    const Call &stored = m_input.call(call);
    if (stored.outcome != Call::Outcome::Ok) {
        why = "the call failed, so what it decided was not saved";
        return std::nullopt;
    }
    if (stored.eventFrom == Call::EventFrom::Unknown || stored.certainty == Certainty::Uncertain) {
        why = "the recording does not tell which event was in force";
        return std::nullopt;
    }
    CallFact fact;
    fact.call = static_cast<std::int32_t>(call);
    RequestView view = effectiveView(m_logs.recordedLog(recorded.track, call), recorded.length,
        stateOf(recorded.recordedBefore, rules), rules.dialect);
    view.replacements = unclipped(call);
    if (recorded.madeEvent) {
        const auto cutoff = effectiveCutoff(*recorded.recordedEvent, recorded.recordedBefore.get());
        if (recorded.recordedEvent->malformed || !cutoff || *cutoff <= 0 || *cutoff > view.size()) {
            why = "its event is malformed";
            return std::nullopt;
        }
        fact.cutoff = *cutoff;
    }
    std::int64_t total = view.count(base);
    fact.view = view;
    if (rules.truncateArgs) {
        const ArgumentTruncation truncation = truncateArgs(view, total, rules);
        if (truncation.changed > 0) {
            fact.view = truncation.view;
            total = fact.view.count(base);
        }
    }
    fact.messages = fact.view.size();
    fact.counted = total;
    fact.reported = reportedTokens(fact.view, rules);
    fact.tokens = std::max(total, fact.reported.value_or(0));
    if (fact.event()) {
        RequestView sent = fact.view.from(fact.cutoff);
        fact.requested = sent.countUnscaled()
            + (recorded.recordedEvent->summaryMessage
                    ? messageTokens(*recorded.recordedEvent->summaryMessage, rules.counter.charsPerToken).value_or(0)
                    : 0);
    } else {
        fact.requested = fact.view.countUnscaled();
    }
    fact.clipped = std::any_of(stored.rewrites.begin(), stored.rewrites.end(),
        [](const MessagePtr &message) { return message->kind == MessageKind::Tool; });
    // Up to 0.7.7 a tail is clipped only after a refusal, and only when no trigger had fired.
    fact.refused = fact.clipped && !rules.dialect.retriesSmaller;
    return fact;
}

Evidence EvidenceSource::evidence(std::int64_t toolsTokens, std::int64_t systemTokens) const
{
    return evidence(toolsTokens, systemTokens, m_rules->rules.truncateArgs);
}

Evidence EvidenceSource::evidence(
    std::int64_t toolsTokens, std::int64_t systemTokens, const std::optional<TruncateArgsSettings> &truncation) const
{
    RequestBase base;
    CompactionRules rules = m_rules->rules;
    rules.truncateArgs = truncation;
    if (rules.dialect.countsToolsAndSystem()) {
        base.toolTokens = toolsTokens;
        base.systemTokens = systemTokens;
        base.systemMessage = systemTokens > 0;
    }
    Evidence evidence;
    evidence.facts.reserve(m_input.calls().size());
    for (std::size_t i = 0; i < m_input.calls().size(); ++i) {
        std::string why;
        if (auto found = fact(i, base, rules, why)) {
            evidence.events += found->event() ? 1 : 0;
            evidence.facts.push_back(std::move(*found));
        } else {
            evidence.silent.push_back({static_cast<std::int32_t>(i), std::move(why)});
        }
    }
    return evidence;
}

} // namespace palimpsest
