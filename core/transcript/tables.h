// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/transcript/transcript.h"

#include <functional>

/// What is no list of messages, as tables: findings, comparisons, traces.
namespace palimpsest {

struct Comparison;
struct Diff;
struct DiffSide;
struct Trace;

/// Where the rows of a table lead to.
struct TablePlace {
    std::string source; ///< location
    std::string threadId;
    const ThreadNamespace &space;
    /// How a message is shown: redacted; empty: as it is.
    std::function<MessagePtr(const MessagePtr &)> shown;
};

/// Each row ends with the command line that opens its place.
TranscriptTable findingsTable(
    const std::vector<Finding> &findings, const std::string &source, const std::string &threadId);

/// Figures of the runs side by side, the calls that differ and why, and the messages that only one of two requests has.
/// `other` is the second thread's place where two are compared: its calls have numbers of their own.
std::vector<TranscriptTable> comparisonTables(
    const Comparison &comparison, const TablePlace &place, const TablePlace *other = nullptr);
/// What the run leaves of the recording and which rules the two dialects do differently, in sentences.
std::vector<std::string> comparisonNotes(const Comparison &comparison);

/// Messages, channels and files that differ between two places; changed texts as [-old-]{+new+}.
std::vector<TranscriptTable> diffTables(const DiffSide &a, const DiffSide &b, const Diff &diff);
std::vector<std::string> diffNotes(const DiffSide &a, const DiffSide &b, const Diff &diff);

/// Where the text was at every call, what took it away, what would have kept it, which of its terms survived.
std::vector<TranscriptTable> traceTables(const Trace &trace, const TablePlace &place);
/// What became of the text, and how to get it back, in sentences.
std::vector<std::string> traceNotes(const Trace &trace, const TablePlace &place);

} // namespace palimpsest
