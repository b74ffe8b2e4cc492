// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/message.h"

#include <string_view>

namespace palimpsest {

/// Which library's defaults stand for members that a stored message leaves out.
enum class MessageDefaults {
    Current, ///< langchain-core 1.x, which coerces a flat map as its reducers do
    Document, ///< the same, and a flat map in an exported document is the message it says it is
    OldPython, ///< langchain-core before 1.0: `example` of human and AI messages
    JavaScript, ///< @langchain/core: a tool message has no status but the one it was given
};

/// The defaults of messages in rows of this serializer's tag in a source of this language. Python's savers wrote "json"
/// only before langgraph-checkpoint 2.1; LangGraph JS writes nothing else.
MessageDefaults messageDefaults(std::string_view type, std::string_view language);

/// The message that a stored value stands for. JavaScript's note of the version that made a message
/// (`metadata.versions`, @langchain/core messages/base.ts, 1.4.0) is bookkeeping of its serializer and left out; other
/// metadata stays, and the artifact is what JSON.stringify leaves of it. Error Invalid when upstream would raise.
Result<MessagePtr> storedMessage(const Value &stored, MessageDefaults defaults);

} // namespace palimpsest
