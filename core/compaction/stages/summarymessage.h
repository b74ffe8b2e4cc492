// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"

#include <optional>
#include <string>

namespace palimpsest {

/// The human message that stands for the summarized ones (deepagents/middleware/summarization.py
/// `_build_new_messages_with_path`; without a path also langchain/agents/middleware/summarization.py
/// `_build_new_messages`, 1.5.2). An empty path is a path.
MessagePtr summaryMessage(const std::string &summary, const std::optional<std::string> &filePath);

/// `_is_summary_message`: only human messages can be one.
bool isSummaryMessage(const Message &message);

/// The summary that a summary message carries, without the words around it; the whole text when it has none of the
/// known forms.
std::string summaryTextOf(const Message &message);

} // namespace palimpsest
