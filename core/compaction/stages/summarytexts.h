// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

/// Prompt texts that upstream sends, word for word: data of the rules, not words of this program.
namespace palimpsest::texts {

/// langchain/agents/middleware/summarization.py DEFAULT_SUMMARY_PROMPT, 1.5.2, up to its `<messages>` marker.
extern const std::string_view summaryPromptHead;
/// The same from the marker on.
extern const std::string_view summaryPromptTail;
/// deepagents/middleware/summarization.py _MEDIA_REFERENCE_SUMMARY_PROMPT, 0.7.7 and 0.7.32.
extern const std::string_view mediaReferencePrompt;

} // namespace palimpsest::texts
