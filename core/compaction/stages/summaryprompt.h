// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/rules.h"

#include "core/artifacts/backend.h"

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// DEFAULT_SUMMARY_PROMPT (langchain/agents/middleware/summarization.py, 1.5.2).
const std::string &defaultSummaryPrompt();
/// DEEPAGENTS_DEFAULT_SUMMARY_PROMPT (deepagents/middleware/summarization.py, 0.7.7 and 0.7.32).
const std::string &deepAgentsSummaryPrompt();

/// `prompt.format(messages=…).rstrip()` over the messages' XML (`_format_summary_prompt`). The exception is Python's.
Attempt<std::string> formatSummaryPrompt(const std::string &prompt, const std::vector<MessagePtr> &messages);

/// The smaller prompt after the summarizer's overflow: the middle cut out of the XML, half its tokens and 40 % of the
/// window at most
/// (`_overflow_retry_prompt`). Nothing when no character fits.
Attempt<std::optional<std::string>> overflowRetryPrompt(
    const CompactionRules &rules, const std::vector<MessagePtr> &messages);

/// Python's str.rstrip() and str.strip().
std::string_view rightStripped(std::string_view text);
std::string_view stripped(std::string_view text);

/// The system message with a fragment appended, as `append_to_system_message` does (deepagents/middleware/_utils.py);
/// null makes a new one.
MessagePtr withSystemText(const MessagePtr &system, const std::string &fragment);

} // namespace palimpsest
