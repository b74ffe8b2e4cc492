// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/thread/message.h"

#include <string>

namespace palimpsest {

/// Stands for the random id that LangChain gives a block ("lc_" and a UUID).
inline constexpr std::string_view defaultFreshBlockId = "lc_00000000-0000-4000-8000-0000000000ff";

/// `message.content_blocks` (langchain_core/messages/base.py and ai.py, 1.8.3): the content as standard blocks, shapes
/// of LangChain v0, OpenAI, Anthropic, Google and Bedrock converted, the rest wrapped as "non_standard". An AI message
/// also gets its tool calls and reasoning; the translators that apply to an AI message of a known provider are not
/// followed, its blocks are read as those of any other message. A block that upstream makes up an id for gets
/// `freshBlockId`.
Attempt<Value::List> contentBlocks(const Message &message, std::string_view freshBlockId = defaultFreshBlockId);

/// `_extract_text_from_message` (deepagents/middleware/_message_eviction.py, 0.7.7): the text blocks joined by
/// newlines.
Attempt<std::string> extractText(const Message &message);

/// The message's replacement content once its text has moved to a file: `replacement` alone, or as a text block before
/// the blocks that are no text (`_build_evicted_content`, deepagents/middleware/_message_eviction.py, 0.7.7).
Attempt<Value> evictedContent(const Message &message, const std::string &replacement);

} // namespace palimpsest
