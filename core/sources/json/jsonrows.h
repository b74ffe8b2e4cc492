// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/rowsource.h"

#include <deque>
#include <string>
#include <string_view>

namespace palimpsest {

/// What was made of a JSON document. Its rows point into the document and into `texts`.
struct JsonRows {
    HeldThreads threads;
    std::deque<std::string> texts; ///< made from the document
    std::string what; ///< what it was recognised as
    std::string language = "python";
    bool hasTaskPath = true;
    std::vector<Finding> findings;

    /// Keeps a text as long as the rows.
    std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
    /// Says something of the whole source, once.
    void find(const char *rule, Finding::Severity severity, std::string message);
};

/// What a row is made of. Texts are JSON; empty ones are left out.
struct StateParts {
    std::string id;
    std::optional<std::string> parentId;
    std::string createdAt;
    std::string_view values; ///< object of channels
    std::string_view metadata;
    std::string_view type; ///< serializer's tag for `values`
};

/// A checkpoint row over the values of a state.
HeldRow stateRow(const StateParts &parts);

/// Adds the members of an update ({channel: value}, a list of these, or null) as writes of a task.
void addUpdate(HeldSpace &space, const WriteRow &task, std::string_view update, std::string_view type);
/// Adds one write of a task.
void addWrite(
    HeldSpace &space, const WriteRow &task, std::string channel, std::string_view value, std::string_view type);

/// The tag for a state's values or a list of messages: with LangChain's envelopes when a message is one.
std::string_view jsonTypeOf(std::string_view values);
/// "js" when the values bear LangGraph JS's names.
bool isJavaScript(std::string_view values);

/// A task's path as savers store it (langgraph/pregel/_algo.py task_path_str, 1.2.24); empty when it is none.
std::string taskPathText(std::string_view path);

} // namespace palimpsest
