// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/whatif.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/replayviews.h"
#include "core/compaction/settingswords.h"
#include "core/compaction/stages/cutoff.h"
#include "core/compaction/stages/inputbudget.h"
#include "core/thread/projection.h"

#include <immer/flex_vector_transient.hpp>

#include <algorithm>
#include <cmath>
#include <format>
#include <unordered_map>

namespace palimpsest {
namespace {

const PipelineAttempt *requestAttempt(const ReplayedCall &call)
{
    if (const PipelineAttempt *accepted = call.accepted())
        return accepted;
    return call.result.attempts().empty() ? nullptr : &call.result.attempts().back();
}

/// How many of a log's messages before each place are not what the recording's requests carried.
class ChangedMessages {
public:
    explicit ChangedMessages(const ReplayInput &input)
        : m_input(input)
    {
    }

    [[nodiscard]] bool any(const RequestView &view, std::size_t track)
    {
        const std::vector<std::int32_t> &sums = sumsOf(view, track);
        const auto last = static_cast<std::int64_t>(sums.size()) - 1;
        return sums[static_cast<std::size_t>(std::clamp<std::int64_t>(view.end, 0, last))]
            != sums[static_cast<std::size_t>(std::clamp<std::int64_t>(view.first, 0, last))];
    }

private:
    const std::vector<std::int32_t> &sumsOf(const RequestView &view, std::size_t track)
    {
        std::vector<std::int32_t> &sums = m_sums[view.log.get()];
        if (!sums.empty())
            return sums;
        const auto &messages = m_input.tracks()[track].messages;
        const std::size_t count = std::min(messages.size(), static_cast<std::size_t>(view.log->size()));
        sums.resize(count + 1);
        for (std::size_t i = 0; i < count; ++i) {
            const MessagePtr &here = view.log->message(static_cast<std::int64_t>(i));
            const MessagePtr &there = messages[i].recorded;
            // A long human message's recorded form is whole in the state and a stub in requests: its path tells.
            const bool same = here == there || !here || !there || messages[i].missing || here->content == there->content
                || (!messages[i].recordedPath.empty() && here->kind == MessageKind::Human
                    && here != messages[i].message);
            sums[i + 1] = sums[i] + (same ? 0 : 1);
        }
        return sums;
    }

    const ReplayInput &m_input;
    std::unordered_map<const CountedLog *, std::vector<std::int32_t>> m_sums;
};

bool differsFromRecording(const ReplayedCall &call, const ReplayInput &input, ChangedMessages &changed)
{
    const auto index = static_cast<std::size_t>(call.index);
    const ReplayInput::CallInput &recorded = input.calls()[index];
    const EventPtr made = recorded.madeEvent ? recorded.recordedEvent : nullptr;
    if (!made != !call.event || (made && made->cutoffIndex != call.event->cutoffIndex))
        return true;
    const bool answered = input.call(index).outcome == Call::Outcome::Ok;
    const PipelineAttempt *attempt = call.accepted();
    if (!attempt)
        return answered;
    const Projection projection = projectionOf(static_cast<std::size_t>(recorded.length), recorded.recordedEvent.get());
    const RequestView &request = attempt->request;
    if (projection.summary != (request.summary != nullptr))
        return true;
    return request.first != projection.first.value || request.end != recorded.length
        || changed.any(request, recorded.track);
}

/// A size with what it was held against.
struct Held {
    double value = 0;
    double limit = 0;
    bool known = true;
    std::string words;
};

Held hold(const ContextSize &size, const CallDecision &call, const CompactionRules &rules)
{
    Held held;
    held.limit = size.value;
    held.value = static_cast<double>(call.counted);
    switch (size.kind) {
    case ContextSize::Kind::Messages:
        held.value = static_cast<double>(call.messages);
        held.known = call.messages >= 0;
        break;
    case ContextSize::Kind::Fraction:
        held.known = rules.maxInputTokens.has_value();
        if (held.known)
            held.limit = static_cast<double>(fractionThreshold(*rules.maxInputTokens, size.value));
        break;
    case ContextSize::Kind::Tokens:
        break;
    }
    const std::string_view unit = size.kind == ContextSize::Kind::Messages ? "messages" : "tokens";
    held.words = held.known ? std::format("{} {:.0f} of {:.0f}", unit, held.value, held.limit)
                            : std::format("{} of {:.0f}", unit, held.limit);
    return held;
}

void fillThresholds(CallDecision &decision, const CompactionRules &rules)
{
    std::string nearest;
    double least = 1e300;
    for (const TriggerClause &clause : rules.trigger) {
        if (!decision.thresholds.empty())
            decision.thresholds += " or ";
        for (std::size_t i = 0; i < clause.size(); ++i) {
            const Held held = hold(clause[i], decision, rules);
            decision.thresholds += (i ? " and " : "") + held.words;
            const double share = held.known && held.limit > 0 ? (held.limit - held.value) / held.limit : 1e299;
            if (share < least && held.value < held.limit) {
                least = share;
                const bool messages = clause[i].kind == ContextSize::Kind::Messages;
                nearest = std::format("{:.0f} {} below", held.limit - held.value, messages ? "messages" : "tokens");
            }
        }
    }
    if (rules.trigger.empty())
        decision.thresholds = "never";
    if (!decision.summarized)
        decision.why = rules.trigger.empty() ? "no trigger is set" : nearest;
}

/// The effective messages on which the call decided, arguments shortened.
std::optional<RequestView> viewBefore(const WhatIf &run, std::size_t index, const CompactionRules &rules)
{
    const ReplayedCall &call = run.replay.calls[index];
    const PipelineAttempt *attempt = requestAttempt(call);
    if (!attempt)
        return std::nullopt;
    const ReplayInput::CallInput &input = run.replay.input->calls()[index];
    ReplayState state =
        stateOf(input.parent < 0 ? nullptr : eventAt(run, static_cast<std::size_t>(input.parent)), rules);
    for (const ReplayedCompaction &compaction : call.compactions)
        if (compaction.result.event)
            state = stateOf(compaction.result.event, rules);
    if (const EventPtr given = eventGivenBefore(*run.replay.input, index))
        state = stateOf(given, rules);
    RequestView view = effectiveView(attempt->request.log, input.length, state, rules.dialect);
    view.ignoresUsage = attempt->request.ignoresUsage;
    view.reportedByPlace = attempt->request.reportedByPlace;
    return view;
}

std::int64_t clippedAway(const RequestView &view)
{
    if (!view.replacements)
        return 0;
    std::int64_t saved = 0;
    for (const RequestView::Replacement &replacement : *view.replacements)
        if (replacement.place >= view.first && replacement.place < view.end)
            saved += view.log->tokens(replacement.place, replacement.place + 1) - replacement.tokens;
    return saved;
}

void fillSavings(CallDecision &decision, const WhatIf &run, std::size_t index, const CompactionRules &rules)
{
    const ReplayedCall &call = run.replay.calls[index];
    const ReplayInput &input = *run.replay.input;
    const ReplayInput::CallInput &at = input.calls()[index];
    auto before = viewBefore(run, index, rules);
    if (!before)
        return;
    decision.messages = before->size();
    const std::int64_t whole = before->countUnscaled(call.base);
    if (call.result.truncated)
        before->truncatedUntil =
            std::max<std::int64_t>(0, before->placeOf(std::min(call.result.truncateCutoff, before->size())));
    const std::int64_t shortened = before->countUnscaled(call.base);
    decision.savedByTruncation = whole - shortened;
    if (call.result.summarize) {
        decision.wantedCutoff = wantedCutoff(*before, rules);
        if (const PipelineAttempt *attempt = requestAttempt(call)) {
            decision.savedByClip = clippedAway(attempt->request);
            if (attempt->request.summary != before->summary)
                decision.savedBySummary = shortened - attempt->tokens - decision.savedByClip;
        }
    }
    const std::int64_t known =
        at.parent < 0 ? 0 : std::min(input.calls()[static_cast<std::size_t>(at.parent)].length, at.length);
    const auto &messages = input.tracks()[at.track].messages;
    for (std::int64_t place = known; place < at.length; ++place) {
        const MessagePtr &original = messages[static_cast<std::size_t>(place)].message;
        if (original && before->log->message(place) != original)
            decision.savedByOffloading += messageTokens(*original, rules.counter.charsPerToken).value_or(0)
                - before->log->tokens(place, place + 1);
    }
}

void fillOutcome(CallDecision &decision, const ReplayedCall &call)
{
    const PipelineResult &result = call.result;
    if (result.details().error) {
        decision.decision = "failed";
        decision.why = result.details().error->raised.type + ": " + result.details().error->raised.message;
    } else if (!result.summarize) {
        decision.decision = "no";
    } else if (!result.details().event && !result.details().triedEvent) {
        decision.decision = "would";
        decision.why = result.details().clause + ", but keep leaves nothing to summarize";
    } else {
        decision.decision = "summarized";
        decision.why = result.details().clause;
    }
    for (const ReplayedCompaction &compaction : call.compactions)
        if (compaction.result.event)
            decision.decision += ", after the compact tool";
}

} // namespace

Result<WhatIfPtr> makeWhatIf(Replayer &replayer, const std::shared_ptr<const SettingsSet> &settings,
    const JobContext &job, const std::shared_ptr<const GivenSummaries> &given)
{
    ReplayOptions options;
    options.texts = false;
    if (given && !given->empty())
        options.inFront = [&given](std::shared_ptr<Summarizer> source) {
            return std::make_shared<GivenSummarizer>(given, std::move(source));
        };
    auto replay = replayer.run(*settings, options, job);
    if (!replay)
        return tl::unexpected(replay.error());
    auto run = std::make_shared<WhatIf>();
    run->settings = settings;
    run->replay = std::move(*replay);
    const ReplayInput &input = *run->replay.input;
    const std::size_t count = run->replay.calls.size();
    run->differs.resize(count);
    run->series.tokens.resize(count, -1);
    run->series.messages.resize(count, -1);
    run->series.label = "what-if: " + settingsWords(settingsFor(*settings, input.space().name, 1));
    ChangedMessages changed(input);
    for (std::size_t i = 0; i < count; ++i) {
        const ReplayedCall &call = run->replay.calls[i];
        if (const PipelineAttempt *attempt = requestAttempt(call)) {
            run->series.tokens[i] = attempt->tokens;
            run->series.messages[i] = attempt->request.size();
        }
        if (call.event) {
            run->series.events.push_back(static_cast<double>(i));
            ++run->events;
        }
        run->recordedEvents += input.calls()[i].madeEvent ? 1 : 0;
        run->differs[i] = differsFromRecording(call, input, changed);
        run->differing += run->differs[i] ? 1 : 0;
    }
    return run;
}

CallDecision decisionOf(const WhatIf &run, std::size_t index)
{
    const ReplayedCall &call = run.replay.calls[index];
    const ReplayInput &input = *run.replay.input;
    const ReplayInput::CallInput &recorded = input.calls()[index];
    CallDecision decision;
    decision.call = input.call(index).number;
    decision.counted = call.result.counted;
    decision.reported = call.result.reported;
    decision.tools = call.base.toolTokens;
    decision.system = call.base.systemTokens;
    decision.summarized = call.result.summarize;
    decision.cutoff = call.result.details().cutoffIndex;
    decision.stateCutoff = call.result.details().stateCutoffIndex;
    decision.attempts = call.result.attempts().size();
    decision.differs = run.differs[index];
    if (const PipelineAttempt *accepted = call.accepted())
        decision.sent = accepted->tokens;

    const Settings &settings = settingsFor(*run.settings, input.space().name, static_cast<std::int64_t>(index) + 1);
    if (const auto choice = dialectFor(settings.dialect)) {
        const CompactionRules rules = rulesFor(settings, choice->dialect);
        decision.budget = inputBudget(rules);
        fillSavings(decision, run, index, rules);
        fillThresholds(decision, rules);
    }
    fillOutcome(decision, call);
    if (recorded.madeEvent && recorded.recordedEvent)
        decision.recorded = std::format("event, cutoff {}", recorded.recordedEvent->cutoffIndex);
    else
        decision.recorded = input.call(index).outcome == Call::Outcome::Error ? "failed" : "no event";
    return decision;
}

MessageLog requestOf(const WhatIf &run, std::size_t index)
{
    const PipelineAttempt *attempt = requestAttempt(run.replay.calls[index]);
    if (!attempt)
        return {};
    auto log = MessageLog().transient();
    const std::int64_t size = attempt->request.size();
    for (std::int64_t i = 0; i < size; ++i)
        log.push_back(attempt->request.at(i));
    return log.persistent();
}

EventPtr eventAt(const WhatIf &run, std::size_t index)
{
    const auto &inputs = run.replay.input->calls();
    for (auto at = static_cast<std::int32_t>(index); at >= 0; at = inputs[static_cast<std::size_t>(at)].parent) {
        const ReplayedCall &call = run.replay.calls[static_cast<std::size_t>(at)];
        if (call.event)
            return call.event;
        if (EventPtr given = eventGivenBefore(*run.replay.input, static_cast<std::size_t>(at)))
            return given;
        for (auto compaction = call.compactions.rbegin(); compaction != call.compactions.rend(); ++compaction)
            if (compaction->result.event)
                return compaction->result.event;
    }
    return nullptr;
}

FateMap fatesOf(const WhatIf &run, std::size_t index)
{
    const EventPtr event = eventAt(run, index);
    std::vector<FateMap::Cut> cuts;
    if (event)
        cuts.push_back({0, event->cutoffIndex, {}});
    return {std::move(cuts), run.replay.input->calls()[index].length, event != nullptr};
}

void showWhatIf(Scene &scene, const WhatIf &run)
{
    const ReplayInput &input = *run.replay.input;
    if (!scene.call || !scene.space || &input.space() != scene.space)
        return;
    const auto index = static_cast<std::size_t>(scene.call->number.value - 1);
    if (index >= run.replay.calls.size())
        return;
    scene.whatIf = true;
    scene.event = eventAt(run, index);
    scene.inForce = 0;
    scene.effective = requestOf(run, index);
    scene.certainty = run.replay.calls[index].certainty;
    scene.fates = fatesOf(run, index);
}

} // namespace palimpsest
