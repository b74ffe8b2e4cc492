// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/checkpoint.h"

#include <cstdint>

namespace palimpsest {

/// Names of the channels that hold the event and the archive's session, in Python and in JavaScript.
inline constexpr std::string_view eventChannel = "_summarization_event";
inline constexpr std::string_view eventChannelJs = "_summarizationEvent";
inline constexpr std::string_view sessionChannel = "_summarization_session_id";
inline constexpr std::string_view sessionChannelJs = "_summarizationSessionId";

/// Reads a stored `_summarization_event` with Python's or JavaScript's member names. Null when there is none (nil).
/// Whatever else is stored gives an event: `malformed` when a member is missing or of the wrong kind, `raw` always as
/// stored; never fails.
EventPtr parseEvent(const Value &stored);

/// The event with Python's member names, without the summary message's body: {"cutoff_index", "file_path"[,
/// "created_at_index"]}. Members that a malformed event lacks are left out.
Value eventToValue(const SummarizationEvent &event);

/// The event's cutoff when it is a whole number (Python's bool counts), clamped to int64; nothing when it is missing or
/// of another kind.
std::optional<std::int64_t> cutoffOf(const SummarizationEvent &event);

/// Translates a cutoff in an effective list into one in the raw log: prior cutoff + effective cutoff - 1, since the
/// summary is no message of the log (deepagents/middleware/summarization.py `_compute_state_cutoff`, 0.7.7 and 0.7.32).
/// A prior event without a whole cutoff is passed over. Error Malformed when the event is no map (upstream raises).
Result<std::int64_t> stateCutoff(const SummarizationEvent *prior, std::int64_t effectiveCutoff);

} // namespace palimpsest
