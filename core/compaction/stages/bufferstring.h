// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/thread/message.h"

#include <string>
#include <vector>

namespace palimpsest {

/// The messages as LangChain's XML (langchain_core/messages/utils.py `get_buffer_string(format="xml")`, 1.8.3). The
/// exception is upstream's ValueError for a kind it does not take.
Attempt<std::string> bufferStringXml(const std::vector<MessagePtr> &messages);

/// Code points of one message's XML; 0 for a kind that has none.
std::int64_t xmlLength(const Message &message);
/// Whether a summary's prompt shows the message's own XML: not where inline media may be replaced before, and not for a
/// kind that has none.
bool promptShowsOwnXml(const Message &message);

} // namespace palimpsest
