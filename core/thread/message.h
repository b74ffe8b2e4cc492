// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

enum class MessageKind { Human, Ai, Tool, System, Remove, Function, Chat, Other };

/// One LangChain message, whatever it was stored as (msgpack constructor, `lc` envelope, plain dict). Immutable once shared.
/// Members are those of `model_dump()` (langchain_core/messages, 1.8); what a kind does not have stays empty.
struct Message {
    MessageKind kind = MessageKind::Other;
    std::string type; ///< "human", "ai", …; for an unknown class its own `type`
    Value content = Value(std::string()); ///< text, or a list of text and block maps
    std::optional<std::string> id;
    std::optional<std::string> name;
    Value additionalKwargs = Value(Value::Map{});
    Value responseMetadata = Value(Value::Map{});
    Value toolCalls; ///< list of {"name", "args", "id", "type"} maps in stored key order; nil unless `ai`
    Value invalidToolCalls; ///< list; nil unless `ai`
    Value usageMetadata; ///< map or nil
    std::optional<std::string> toolCallId;
    std::string status; ///< of a tool message: "success" or "error"
    Value artifact;
    Value extra = Value(Value::Map{}); ///< members this program does not know, as they came

    bool operator==(const Message &) const = default;
};

using MessagePtr = std::shared_ptr<const Message>;

/// A view of one entry of `Message::toolCalls`.
struct ToolCallView {
    std::string_view name;
    const Value *args = nullptr; ///< never null; a map when well-formed
    std::string_view id; ///< empty when null or missing
    bool hasId = false;
};

std::vector<ToolCallView> toolCalls(const Message &message);

/// What `additional_kwargs["lc_source"] == "summarization"` says.
bool isSummary(const Message &message);

/// The message's text: its string content, or its text blocks joined without separator (`BaseMessage.text`).
std::string textOf(const Message &message);

/// Reads a message from any stored form: a tagged msgpack constructor, an `lc` envelope, a `model_dump()` map, a
/// `message_to_dict` map ({"type", "data"}). Null when the value is no message at all.
MessagePtr messageFromValue(const Value &value);

/// Reads anything LangChain's `convert_to_messages` takes: messages, maps with role and content, (role, text) pairs, plain text.
/// Error Invalid when upstream would raise.
Result<MessagePtr> messageFromLike(const Value &value);

/// The message as `model_dump()` gives it: members in upstream's order, then `extra`; null and empty members left out when `brief`.
Value messageToValue(const Message &message, bool brief = false);

/// "human", "ai", … for a kind; the kind for such a word (`Other` when unknown).
std::string_view typeName(MessageKind kind);
MessageKind kindOf(std::string_view typeName);

} // namespace palimpsest
