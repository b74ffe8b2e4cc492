// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/pipeline.h"

namespace palimpsest {

/// `_is_eligible_for_compaction`: half of the trigger is reached, tokens by what the last answer reports
/// (deepagents/middleware/summarization.py SummarizationToolMiddleware, 0.7.7 and 0.7.32).
bool isEligibleForCompaction(const RequestView &effective, const CompactionRules &rules);

struct CompactToolResult {
    enum class Answer {
        Nothing, ///< too early, or nothing before the cutoff
        Compacted,
        Failed, ///< the summary failed
    };
    Answer answer = Answer::Nothing;
    std::string text; ///< what the tool answers
    std::string toolCallId; ///< of the answer; empty where upstream had none
    EventPtr event; ///< when compacted
    std::string sessionId; ///< when compacted
    std::int64_t summarized = 0; ///< messages that the summary stands for
    std::optional<std::int64_t> cutoffIndex;
    std::vector<std::string> summaryPrompts;
    std::int64_t promptTokens = 0; ///< counted, of all of them
    std::string summaryText;
    std::vector<std::string> warnings;

    /// The tool message as upstream writes it.
    [[nodiscard]] MessagePtr message() const;
};

/// `_run_compact`: never raises. Inline media stay where they are.
CompactToolResult runCompactTool(const PipelineCall &call, const CompactionRules &rules, PipelineServices &services);

} // namespace palimpsest
