// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/stages/media.h"
#include "core/thread/message.h"

#include <optional>
#include <string>

/// What archives and summary prompts make of content blocks: both are LangChain's XML.
namespace palimpsest {

enum class LostBlock {
    No, ///< text, or something that the XML has a form for
    Media, ///< bytes inside the message
    Reasoning, ///< thinking in a provider's own form
    ServerTool, ///< a provider's tool call or result
    Other, ///< a block type that the XML leaves out
};

/// Whether `get_buffer_string(format="xml")` leaves the block out (langchain_core/messages/utils.py
/// `_format_content_block_xml`, 1.8.3).
LostBlock lostBlock(const Value &block);

/// The bytes that a block carries inline, in LangChain's, OpenAI's or Anthropic's form.
std::optional<DecodedDataUrl> inlineBytes(const Value &block);

std::string_view lostBlockName(LostBlock kind);

} // namespace palimpsest
