// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Archives (`conversation_history/*.md`): what a summary replaced, in sections, one an event.
namespace palimpsest {

struct ArchivedToolCall {
    std::string id; ///< as shown: a long one ends in "..."
    std::string name;
    std::string args; ///< JSON text, unescaped

    bool operator==(const ArchivedToolCall &) const = default;
};

/// One message of a section.
struct ArchivedMessage {
    std::string type; ///< "human", "ai", "tool", "system", a chat role
    std::string text; ///< unescaped; blocks other than text stay as their tags
    std::vector<ArchivedToolCall> toolCalls;
    std::size_t begin = 0; ///< byte range in the file
    std::size_t end = 0;

    bool operator==(const ArchivedMessage &) const = default;
};

struct ArchiveSection {
    std::string timestamp; ///< ISO 8601, as written
    std::vector<ArchivedMessage> messages;
    std::size_t begin = 0; ///< byte range in the file, from its heading on
    std::size_t end = 0;
    /// False: the body is plain text in which messages cannot be told apart for certain (LangGraph JS), or is damaged.
    bool exact = true;

    bool operator==(const ArchiveSection &) const = default;
};

struct Archive {
    std::string preamble; ///< what stands before the first heading
    std::vector<ArchiveSection> sections;

    bool operator==(const Archive &) const = default;
};

/// Reads an archive: headings "## Summarized at <time>" and messages in LangChain's XML form
/// (deepagents/middleware/summarization.py
/// `_offload_to_backend`, 0.7.7; langchain_core/messages/utils.py get_buffer_string, 1.8.3) or JavaScript's "Human: …"
/// lines. Anything is taken; what fits neither form stays in a section that is not `exact`.
Archive parseArchive(std::string_view text);

/// An archive section and the event that wrote it.
struct SectionLink {
    std::size_t section = 0;
    CheckpointIndex checkpoint; ///< first checkpoint that carries the event; invalid when no event fits
    MessageIndex first; ///< raw messages it holds: [first, end) of that checkpoint's log
    MessageIndex end;
    bool agrees = false; ///< number and kinds of the messages are those of the log

    bool operator==(const SectionLink &) const = default;
};

/// The raw messages that an event put behind its summary: [first, end) of its checkpoint's log.
struct EvictedRange {
    MessageIndex first;
    MessageIndex end;

    bool operator==(const EvictedRange &) const = default;
};
EvictedRange evictedRange(const ThreadNamespace &space, CheckpointIndex eventCheckpoint);

/// Ties each section of the archive at `path` to an event of the namespace, in the order in which both were made. An
/// event whose messages agree wins; a section that none agrees with takes the next event in order when the numbers of
/// both are equal.
std::vector<SectionLink> linkArchive(const Archive &archive, const ThreadNamespace &space, const std::string &path);

} // namespace palimpsest
