// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <cstdint>
#include <vector>

/// Threads made in memory, for tests and benchmarks.
namespace palimpsest::threadbuilder {

MessagePtr human(std::string text, std::string id);
MessagePtr ai(std::string text, std::string id, std::vector<std::pair<std::string, Value>> calls = {},
    std::int64_t reported = -1);
MessagePtr tool(std::string text, std::string id, std::string callId, std::string name);

struct Shape {
    std::int64_t turns = 3;
    std::int64_t callsPerTurn = 5;
    std::int64_t textSize = 80; ///< characters of an answer; results have four times as many
    std::int64_t writes = 0; ///< every so many calls one writes a file of 3,000 characters; 0: none
    bool reports = false; ///< answers report their usage
};

/// A conversation in which every answer calls tools, and the last one of a turn does not. The same seed gives the same.
std::vector<MessagePtr> conversation(const Shape &shape, std::uint64_t seed);

/// A thread whose log is `messages`: a call for each AI message, one checkpoint for each call and one at the end.
/// `events` are those that the calls made, by number of the call from 0.
ThreadPtr thread(const std::vector<MessagePtr> &messages, const std::vector<EventPtr> &events = {});

} // namespace palimpsest::threadbuilder
