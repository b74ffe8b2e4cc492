// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/checkpoint.h"
#include "core/thread/reducers.h"

#include <optional>
#include <string>

/// A model's node answers tool calls whose arguments were malformed before it asks its model, and writes the whole
/// conversation back with the model's answer (langchain/agents/factory.py `_patch_invalid_tool_calls` and
/// `_build_commands`, 1.5.2).
namespace palimpsest {

/// What the made up result says.
std::string malformedCallText(const std::string &name, const std::string &id);

/// The log with an answer to each malformed call that has none; nothing when there is none such.
std::optional<MessageLog> answeredMalformedCalls(const MessageLog &log);

/// The log as the model saw it, from the write of its node: `log` and the answers, which had no ids yet. Nothing when
/// the write is none of that kind.
std::optional<MessageLog> answeredMalformedCalls(const MessageLog &log, const MessagesWrite &write);

} // namespace palimpsest
