// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/rules.h"

#include <vector>

namespace palimpsest {

/// What of the messages the summarizer gets (`_trim_messages_for_summary`,
/// langchain/agents/middleware/summarization.py, 1.5.2, through `trim_messages` with strategy "last",
/// langchain_core/messages/utils.py, 1.8.3). No budget: all of them; a list that cannot be counted: the last 15.
std::vector<MessagePtr> trimMessagesForSummary(const std::vector<MessagePtr> &messages, const CompactionRules &rules);

} // namespace palimpsest
