// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/transcript/formats.h"

/// The writers behind `writeTranscript`, one file each.
namespace palimpsest {

/// Where a writer stands: stops on request, reports, and fails with the stream.
class WriteProgress {
public:
    WriteProgress(std::ostream &out, const JobContext &job, std::size_t total)
        : m_out(out)
        , m_job(job)
        , m_total(total)
    {
    }
    /// After each entry. Error Cancelled or Io.
    Result<void> step();

private:
    std::ostream &m_out;
    const JobContext &m_job;
    std::size_t m_total = 0;
    std::size_t m_done = 0;
};

Result<void> writeMarkdown(std::ostream &out, const Transcript &transcript, const JobContext &job);
Result<void> writeHtml(
    std::ostream &out, const Transcript &transcript, const WriteOptions &options, const JobContext &job);
/// Schema: resources/schemas/transcript-1.schema.json.
Result<void> writeTranscriptJson(std::ostream &out, const Transcript &transcript, const JobContext &job);
/// A message a line, as `model_dump()` has it.
Result<void> writeJsonLines(std::ostream &out, const Transcript &transcript, const JobContext &job);
/// `messages_to_dict` (langchain_core/messages/base.py, 1.8.3): a list of {"type", "data"}.
Result<void> writeLangChain(std::ostream &out, const Transcript &transcript, const JobContext &job);
/// One line {"messages": […]} of OpenAI's chat format for each namespace.
Result<void> writeOpenAi(std::ostream &out, const Transcript &transcript, const JobContext &job);
/// The tables, or the messages as one (RFC 4180, CRLF).
Result<void> writeCsv(std::ostream &out, const Transcript &transcript, const JobContext &job);

/// Error Unsupported for a transcript of tables: the format has messages only.
Result<void> needsMessages(const Transcript &transcript);
/// Entries of a transcript and of its parts.
std::size_t entryCount(const Transcript &transcript);
/// The messages in the order of the transcript.
std::vector<const TranscriptMessage *> messagesOf(const Transcript &transcript);
/// "User", "Assistant", "Tool · name", "System", "Summary".
std::string speaker(const Message &message);
/// A table's cell as text: JSON unless it is text; nothing for nil.
std::string cellText(const Value &cell);

/// What of a message's content is to be read: texts, and one piece for every other block.
struct ContentPiece {
    enum class Kind { Text, Reasoning, Image, File, Reference, Other };
    Kind kind = Kind::Text;
    std::string text; ///< the text; of Image and File a `data:` URL; of Reference an address; else the block's JSON
    std::string mime;
};
std::vector<ContentPiece> contentPieces(const Message &message);

} // namespace palimpsest
