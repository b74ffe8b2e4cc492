// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/json/jsonrows.h"

#include <vector>

namespace palimpsest {

/// Rows of exports that hold messages and nothing of checkpoints: values of a state (`langchain_core.load.dumps`,
/// `model_dump()`), lists of messages (the same, `messages_to_dict`, OpenAI's), and JSON lines of these. Each becomes a
/// thread of one checkpoint, and a finding says what is missing.
class MessageJson {
public:
    explicit MessageJson(JsonRows &rows)
        : m_rows(rows)
    {
    }

    /// True for a message in any form that LangChain takes.
    static bool isMessage(std::string_view object);
    /// True for an object whose `messages` are a list.
    static bool isState(std::string_view object);

    /// True for a transcript that this program exported (resources/schemas/transcript-1.schema.json).
    static bool isTranscript(std::string_view object);

    /// A transcript: its messages, the last event of its log and its archives, in every namespace that it has.
    void addTranscript(std::string_view object, const std::string &threadId);
    /// Values of a state.
    void addState(std::string_view object, const std::string &threadId);
    /// A list of messages, as JSON text of an array.
    void addMessages(std::string_view array, const std::string &threadId);
    /// The same from the messages one by one.
    void addMessages(const std::vector<std::string_view> &messages, const std::string &threadId);

private:
    void addState(std::string_view object, const std::string &threadId, const std::string &ns);

    JsonRows &m_rows;
};

} // namespace palimpsest
