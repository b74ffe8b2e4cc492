// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

/// Brings in what no checkpoint holds: tools and the system prompt, from the forms in which people have them.
namespace palimpsest {

/// Tools as the counter takes them (`{"name", "description", "parameters"}`, as
/// langchain_core/messages/utils.py count_tokens_approximately makes them of a BaseTool, 1.8.3), or a number of tokens.
/// Taken from: OpenAI's `{"type": "function", "function": {…}}`, Anthropic's `input_schema`, MCP's `inputSchema` (a
/// tools/list answer, with or without its JSON-RPC envelope), a LangSmith model run (`extra.invocation_params.tools`),
/// a settings file, or a list of these. Error Invalid says what was looked for.
Result<Value> toolsFromJson(const Value &json);

/// A system message (`{"type": "system", "content": …}`), or a number of tokens. Taken from: a text, a message in
/// LangChain's or OpenAI's form, a list of messages, a request with `system` or `messages`, a LangSmith model run
/// (`inputs.messages`), a settings file. Error Invalid says what was looked for.
Result<Value> systemFromJson(const Value &json);

} // namespace palimpsest
