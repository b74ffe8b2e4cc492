// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replayviews.h"

#include "core/compaction/stages/argumenttruncation.h"
#include "core/thread/projection.h"

namespace palimpsest {

ReplayState stateOf(const EventPtr &event, const CompactionRules &rules)
{
    ReplayState state;
    state.event = event;
    if (event && event->summaryMessage)
        state.summaryTokens = messageTokens(*event->summaryMessage, rules.counter.charsPerToken).value_or(0);
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
    const PreparedTrack &track = logs.tracks[recorded.track];
    const Dialect &dialect = rules.rules.dialect;
    RequestView view =
        effectiveView(track.recorded, recorded.length, stateOf(recorded.recordedEvent, rules.rules), dialect);
    if (rules.rules.truncateArgs) {
        RequestView before =
            effectiveView(track.recorded, recorded.length, stateOf(recorded.recordedBefore, rules.rules), dialect);
        before.ignoresUsage = rules.settings->usage == Settings::Usage::Ignore || !rules.settings->model.reportsUsage;
        view.truncatedUntil = truncateArgs(before, before.count(rules.base), rules.rules).view.truncatedUntil;
    }
    return view;
}

} // namespace palimpsest
