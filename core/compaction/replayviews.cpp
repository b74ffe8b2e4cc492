// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replayviews.h"

#include "core/compaction/stages/argumenttruncation.h"
#include "core/thread/projection.h"

namespace palimpsest {

void setEvent(ReplayState &state, const EventPtr &event)
{
    state.event = event;
    state.summaryTokens =
        event && event->summaryMessage ? messageTokens(*event->summaryMessage, state.charsPerToken).value_or(0) : 0;
}

ReplayState stateOf(const EventPtr &event, const CompactionRules &rules)
{
    ReplayState state;
    state.charsPerToken = rules.counter.charsPerToken;
    setEvent(state, event);
    return state;
}

ReplayState recounted(ReplayState state, double charsPerToken)
{
    state.charsPerToken = charsPerToken;
    setEvent(state, state.event);
    if (state.replacements) {
        auto replacements = *state.replacements;
        for (RequestView::Replacement &replacement : replacements)
            replacement.tokens = messageTokens(*replacement.message, charsPerToken).value_or(0);
        state.replacements = std::make_shared<const std::vector<RequestView::Replacement>>(std::move(replacements));
    }
    return state;
}

RequestView effectiveView(
    const std::shared_ptr<const CountedLog> &log, std::int64_t length, const ReplayState &state, const Dialect &dialect)
{
    RequestView view;
    view.log = log;
    view.end = length;
    view.replacements = state.replacements;
    if (!state.event)
        return view;
    const auto rule = dialect.dropsBoundReasoning ? BoundReasoning::ByEvent : BoundReasoning::Kept;
    const Projection projection = projectionOf(static_cast<std::size_t>(length), state.event.get(), rule);
    view.first = projection.first.value;
    view.reasoningFrom = projection.reasoningFrom.value;
    if (projection.summary) {
        view.summary = state.event->summaryMessage;
        view.summaryTokens = state.summaryTokens;
    }
    return view;
}

RequestView recordedRequestView(
    const ReplayInput &input, const CallRules &rules, const PreparedLogs &logs, std::size_t call)
{
    const ReplayInput::CallInput &recorded = input.calls()[call];
    const auto log = borrowed(logs.recordedLog(recorded.track, call).get());
    const Dialect &dialect = rules.rules.dialect;
    ReplayState state;
    state.event = recorded.recordedEvent;
    state.summaryTokens = logs.recordedSummaries[call].tokens;
    RequestView view = effectiveView(log, recorded.length, state, dialect);
    if (rules.rules.truncateArgs) {
        state.event = recorded.recordedBefore;
        state.summaryTokens = logs.recordedSummaries[call].tokensBefore;
        RequestView before = effectiveView(log, recorded.length, state, dialect);
        before.ignoresUsage = rules.settings->usage == Settings::Usage::Ignore || !rules.settings->model.reportsUsage;
        view.truncatedUntil = truncateArgs(before, before.count(rules.base), rules.rules).view.truncatedUntil;
    }
    return view;
}

EventPtr eventGivenBefore(const ReplayInput &input, std::size_t call)
{
    const ReplayInput::CallInput &at = input.calls()[call];
    const EventPtr &event = at.recordedBefore;
    const EventPtr parent = at.parent < 0 ? nullptr : input.calls()[static_cast<std::size_t>(at.parent)].recordedEvent;
    if (!event || (parent && (parent == event || *parent == *event)))
        return nullptr;
    const auto &checkpoints = input.space().checkpoints;
    const auto carries = [&](CheckpointIndex place) {
        const EventPtr &there = checkpoints[place.at()].event;
        return there && (there == event || *there == *event);
    };
    CheckpointIndex first = input.call(call).checkpoint;
    if (!first.isValid() || !carries(first))
        return nullptr;
    while (checkpoints[first.at()].parent.isValid() && carries(checkpoints[first.at()].parent))
        first = checkpoints[first.at()].parent;
    return checkpoints[first.at()].source == "update" ? event : nullptr;
}

} // namespace palimpsest
