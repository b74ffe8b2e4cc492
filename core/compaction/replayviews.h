// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/preparedlogs.h"

namespace palimpsest {

/// The state that a call leaves to those after it.
struct ReplayState {
    EventPtr event;
    std::int64_t summaryTokens = 0; ///< of the event's summary message
    std::string sessionId;
    std::shared_ptr<const std::vector<RequestView::Replacement>> replacements; ///< messages written back by id
};

/// A state that holds only this event.
ReplayState stateOf(const EventPtr &event, const CompactionRules &rules);

/// What a state's event leaves of the first `length` messages.
RequestView effectiveView(const std::shared_ptr<const CountedLog> &log, std::int64_t length, const ReplayState &state,
    const Dialect &dialect);

/// The recorded request of a call, with arguments shortened as these settings would have: that is not recorded.
RequestView recordedRequestView(
    const ReplayInput &input, const CallRules &rules, const PreparedLogs &logs, std::size_t call);

} // namespace palimpsest
