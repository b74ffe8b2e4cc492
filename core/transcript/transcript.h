// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/base/result.h"
#include "core/thread/branch.h"
#include "core/thread/thread.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What leaves the program: a transcript is built once and written by any of the writers (core/transcript/formats.h).
namespace palimpsest {

class Redactor;

/// One message of a transcript.
struct TranscriptMessage {
    MessagePtr message; ///< never null
    std::int64_t index = -1; ///< place in the raw log; -1 for a summary
    std::int64_t tokens = 0; ///< LangChain's approximate count of this message alone
    bool inContext = true;
    std::string time; ///< ISO 8601 of the first checkpoint that holds it; empty when unknown
    std::vector<std::size_t> results; ///< of an AI message: places of its calls' results among the entries, in order
    bool paired = false; ///< a tool result that stands with its call
};

/// One event, where it came into force.
struct TranscriptEvent {
    enum class Origin {
        Automatic, ///< stored by a model call
        Tool, ///< `compact_conversation`
        Outside, ///< by something else: `update_state`, a parent's state
    };
    int number = 0; ///< 1, 2, … on the branch
    Origin origin = Origin::Automatic;
    std::string checkpointId; ///< first checkpoint that carries it; empty for a replayed one
    std::int64_t tokensBefore = 0; ///< approximate tokens of the effective messages it was made from
    std::int64_t tokensAfter = 0; ///< … that it left
    std::int64_t messages = 0; ///< raw messages that it put behind its summary
    std::int64_t cutoff = 0; ///< raw place of the first message kept
    std::optional<std::string> archive; ///< null: none was written
    int section = 0; ///< of the archive, from 1; 0 when not known
    MessagePtr summary; ///< null when the event has none that can be read
};

using TranscriptEntry = std::variant<TranscriptMessage, TranscriptEvent>;

/// Findings, a trace, a comparison: whatever is a table. Cells are JSON values.
struct TranscriptTable {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<Value>> rows;
};

/// A file that goes along: an archive or a medium.
struct TranscriptFile {
    enum class Kind { Archive, Media };
    Kind kind = Kind::Archive;
    std::string path; ///< as the agent names it; of media only where an appended archive names them
    std::string name; ///< file name beside the transcript; of media only
    std::string mime;
    std::string bytes;
    std::string link; ///< of media beside the transcript: where it is, as the transcript says; empty: not written there
};

struct Transcript {
    std::string subject; ///< "Raw log", "Request of call 3"
    std::string title; ///< first human words
    std::string source; ///< name of the file or host, without folders
    std::string threadId;
    std::string checkpointNs;
    std::string checkpointId;
    std::string model;
    Certainty certainty = Certainty::Derived;
    std::string known; ///< how it is known, one sentence
    std::string assumes; ///< of a what-if; empty: nothing
    std::string place; ///< command line that opens the place
    std::vector<TranscriptEntry> entries;
    std::vector<TranscriptMessage> effective; ///< beside a raw log: what the model has of it
    std::vector<TranscriptTable> tables;
    std::vector<std::string> notes; ///< sentences before the tables: what a trace or a comparison comes to
    std::vector<TranscriptFile> files;
    Value settings; ///< of a what-if; nil: none
    Value metadata; ///< of the checkpoint; nil: left out
    std::vector<Transcript> parts; ///< further namespaces of the same thread, without parts of their own
};

/// What is written down.
enum class TranscriptSubject {
    Raw, ///< the log with its events
    Effective, ///< what an event leaves the model with
    Request, ///< what a call received
    Replay, ///< the log with the events of a replayed run
    Findings, ///< a table
    Comparison, ///< tables: of two runs, or of two places
    Trace, ///< tables: where a text was at every call
};

enum class TranscriptDetail {
    Full,
    High, ///< long results shortened
    Low, ///< calls without their results
    UserOnly, ///< human messages
};
enum class MediaPlacement { Inline, Beside, Omitted };
enum class ArchivePlacement { Linked, Appended };

/// An event of a replayed run.
struct ReplayedEvent {
    CallNumber call;
    EventPtr event;
};

struct TranscriptRequest {
    TranscriptSubject subject = TranscriptSubject::Raw;
    CheckpointIndex checkpoint; ///< where the branch is looked at; invalid: the newest head
    int event = 0; ///< number on the branch, for Effective; 0: the one in force
    CallNumber call; ///< for Request
    std::optional<std::int64_t> fromCall; ///< range of calls, for Raw and Replay
    std::optional<std::int64_t> toCall;
    std::optional<std::int64_t> fromTurn; ///< the same in turns: what begins with a human message
    std::optional<std::int64_t> toTurn;
    std::vector<std::string> selected; ///< ids of messages, "#12" by raw place, "summary"; empty: all
    TranscriptDetail detail = TranscriptDetail::Full;
    MediaPlacement media = MediaPlacement::Inline;
    ArchivePlacement archive = ArchivePlacement::Linked;
    std::string
        mediaFolder; ///< of MediaPlacement::Beside, relative to the transcript; empty: as files of the transcript
    // What only the caller has:
    std::string sourceLocation;
    std::vector<ArtifactFolder> folders; ///< where archives may lie beside the state
    MessageLog request; ///< for Request: what the call received, with its certainty
    Certainty certainty = Certainty::Derived;
    std::vector<ReplayedEvent> replayed; ///< for Replay
    Value settings; ///< for Replay and Request; of a comparison
    bool whatIf = false; ///< it leaves the recording: what that assumes is said
    std::string name; ///< of the subject, for Comparison and Trace: "Comparison of recorded and A"
    std::vector<TranscriptTable> tables; ///< for Findings, Comparison and Trace
    std::vector<std::string> notes;
    Redactor *redactor = nullptr; ///< not owned; has looked at everything (core/transcript/redaction.h); null: none
};

/// Puts a transcript together. Errors: NotFound (no such call, event, checkpoint or message), Invalid (a range that is
/// none).
/// Bodies are shared with the thread, so a long thread costs a small entry a message.
Result<Transcript> makeTranscript(
    const ThreadPtr &thread, const ThreadNamespace &space, const TranscriptRequest &request);

/// The medium at a path that an appended archive names; null when it does not go along.
const TranscriptFile *archivedMedium(const Transcript &transcript, std::string_view path);
/// Where a medium is found: its link, or a `data:` URL of its bytes when it has none.
std::string addressOf(const TranscriptFile &medium);

/// "Compacted · automatic · 335k → 10k tokens · 41 messages → archive section 2".
std::string eventLine(const TranscriptEvent &event);
/// "335k", "9,120": a number of tokens as people read it.
std::string shortCount(std::int64_t number);
std::string_view originName(TranscriptEvent::Origin origin);

} // namespace palimpsest
