// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/countedlog.h"
#include "core/compaction/dialect.h"
#include "core/compaction/requestview.h"
#include "core/compaction/settings.h"

#include <cstdint>
#include <optional>
#include <string>

namespace palimpsest {

/// The settings of one call with every default filled in: what the stages read.
struct CompactionRules {
    Dialect dialect;
    Trigger trigger; ///< empty: never
    ContextSize keep{ContextSize::Kind::Messages, 20};
    std::optional<TruncateArgsSettings> truncateArgs;
    std::optional<std::int64_t> trimTokensToSummarize;
    std::optional<std::int64_t> maxInputTokens; ///< null: the model has no profile
    std::int64_t outputTokens = 0; ///< reserved for the answer where the dialect keeps an input budget
    std::string provider; ///< `ls_provider`; empty: the model names none
    CounterRule counter;
    std::string summaryPrompt; ///< a Python format text with {messages}
    std::string summaryText; ///< of fixed summaries
    std::string historyPrefix = "/conversation_history";
    std::string largeResultsPrefix = "/large_tool_results";
};

/// What the factory takes when nothing is given (deepagents/middleware/summarization.py compute_summarization_defaults,
/// 0.7.7 and 0.7.32).
struct SummarizationDefaults {
    Trigger trigger;
    ContextSize keep;
    TruncateArgsSettings truncateArgs;
};
SummarizationDefaults computeSummarizationDefaults(const std::optional<std::int64_t> &maxInputTokens);

/// `{artifacts_root}/conversation_history` and its neighbours, slashes at the root's end left out.
std::string artifactPrefix(std::string_view artifactsRoot, std::string_view folder);

/// The settings as the stages take them.
CompactionRules rulesFor(const Settings &settings, const Dialect &dialect);

/// What counts beside the messages under these settings.
RequestBase requestBase(const Settings &settings, const CompactionRules &rules);

} // namespace palimpsest
