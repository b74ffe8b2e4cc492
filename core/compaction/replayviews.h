// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/preparedlogs.h"

namespace palimpsest {

/// The state that a call leaves to those after it.
struct ReplayState {
    EventPtr event;
    double charsPerToken = 4.0; ///< by which the counts here are made
    std::int64_t summaryTokens = 0; ///< of the event's summary message
    std::string sessionId;
    std::shared_ptr<const std::vector<RequestView::Replacement>> replacements; ///< messages written back by id
};

/// Puts an event in force.
void setEvent(ReplayState &state, const EventPtr &event);
/// A state that holds only this event.
ReplayState stateOf(const EventPtr &event, const CompactionRules &rules);
/// The same state counted in another way.
ReplayState recounted(ReplayState state, double charsPerToken);

/// A pointer that keeps nothing alive: copies of it touch no counter that other threads share.
template <class T> std::shared_ptr<const T> borrowed(const T *object)
{
    return std::shared_ptr<const T>(std::shared_ptr<const T>(), object);
}

/// What a state's event leaves of the first `length` messages.
RequestView effectiveView(const std::shared_ptr<const CountedLog> &log, std::int64_t length, const ReplayState &state,
    const Dialect &dialect);

/// The recorded request of a call, with arguments shortened as these settings would have: that is not recorded. Not to
/// be kept longer than `logs`.
RequestView recordedRequestView(
    const ReplayInput &input, const CallRules &rules, const PreparedLogs &logs, std::size_t call);

/// An event that an update of the state from outside put in force before the call, after the call before it: an input
/// of every run, like messages. Null: none.
EventPtr eventGivenBefore(const ReplayInput &input, std::size_t call);

} // namespace palimpsest
