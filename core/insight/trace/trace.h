// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/insight/trace/keyterms.h"
#include "core/insight/trace/needle.h"
#include "core/thread/thread.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Follows a text or a message through a thread, call by call: where it lives, what took it away, what brings it back.
namespace palimpsest {

struct SettingsSet;

/// Where a text can be at a call, strongest first.
enum class TraceKind {
    NotYet, ///< before its first appearance
    Verbatim, ///< in the request
    ArgumentTruncated, ///< in arguments that the request carries shortened
    StubPreview, ///< in the preview of a stub, or in a part of a message that was cut
    File, ///< in a file
    Summary, ///< in a summary, word for word
    Similar, ///< a summary has a sentence with the same names and numbers; the meaning is not verified
    Archive, ///< in what a summary replaced
    Nowhere,
};
std::string_view traceKindName(TraceKind kind);

struct TracePlace {
    TraceKind kind = TraceKind::Nowhere;
    std::optional<std::string> messageId;
    MessageIndex raw; ///< in the call's raw log; invalid for summaries and files
    std::optional<std::int64_t> block; ///< 0-based, in a content of blocks
    std::string path; ///< of a file or an archive, as the agent names it
    std::int64_t line = 0; ///< from 1; 0: none
    std::int64_t lines = 1; ///< covered
    bool readable = true; ///< read_file shows it
    std::optional<std::size_t> section; ///< of an archive, from 0
    std::string sectionTime;
    std::string text; ///< the sentence around it
    std::vector<std::string> shared; ///< names, numbers, paths, negations and words that a similar sentence shares
    std::vector<std::string> missing; ///< … names, numbers, paths and negations that it lacks
};
using TracePlacePtr = std::shared_ptr<const TracePlace>;

struct TracedCall {
    std::vector<TracePlacePtr> where; ///< never empty; the strongest first, at most 24 of a kind
    std::int64_t more = 0; ///< further messages that hold it
    std::int32_t parent = -1; ///< the call before it on its branch; -1: none
    bool eventMade = false; ///< its event is another one than its parent's
    /// Whether the input of the summary that this event holds had the text; nothing where no event was made, or the
    /// text was not among what it replaced.
    std::optional<bool> summarizerSaw;

    [[nodiscard]] bool has(TraceKind kind) const;
    /// The model sees it, word for word.
    [[nodiscard]] bool visible() const { return has(TraceKind::Verbatim) || has(TraceKind::Summary); }
};

/// Which step of a summarization lost a text.
enum class SummaryBlame {
    None, ///< it was no summarization
    Trimmed, ///< cut off by `trim_tokens_to_summarize` before the summarizer saw it
    TruncatedArgument, ///< the input had the argument shortened
    Stub, ///< the input had the stub only
    DroppedBlock, ///< a block that the input's text form leaves out
    SummaryOmits, ///< the input had it, the summary does not
    LaterSummaryLost, ///< an earlier summary had it, this one does not
};
std::string_view blameName(SummaryBlame blame);

/// A call that no longer sees what the call before it saw.
struct TraceLoss {
    std::size_t call = 0; ///< place in the namespace's calls
    std::string stage; ///< "summarization", "argument-truncation", "large-tool-result", "human-message", …
    std::string setting; ///< that took it away, with its value where that is known
    std::optional<std::string> messageId; ///< that had carried it
    SummaryBlame blame = SummaryBlame::None;
    std::string why; ///< one sentence
    std::int32_t regained = -1; ///< first later call on the branch that sees it again; -1: none
};

/// A change of one setting under which calls would have seen the text, found by replays.
struct KeepsIt {
    std::size_t fromCall = 0; ///< places in the namespace's calls, both included
    std::size_t toCall = 0;
    std::string setting; ///< "keep", "trigger", "truncate_args", "tool_token_limit_before_evict", …
    Value from; ///< null: not set
    Value to;
    bool smallest =
        true; ///< a step less (a message, a token, a character, a hundredth) does not do; false: not all tried
};

/// How to get it back.
struct TraceRecovery {
    std::string path; ///< empty: no file holds it
    std::int64_t offset = 0; ///< as read_file counts: from 0
    std::int64_t limit = 1;
    std::string checkpointId; ///< whose raw log holds it; empty: none
    std::optional<std::string> messageId;

    /// `read_file(file_path="…", offset=…, limit=…)`; empty without a file.
    [[nodiscard]] std::string readFile() const;
};

/// One key term of what is traced, held against everything it could be in.
struct TermSurvival {
    KeyTerm term;
    bool window = false; ///< the last call's request without its summary
    std::vector<bool> summaries; ///< by `Trace::summaries`
    bool archive = false;
};

struct Trace {
    std::string needle; ///< the text, or the message's id
    std::vector<TracedCall> calls; ///< as the namespace's
    std::vector<TraceLoss> losses; ///< on the branch of the last call, in call order
    std::optional<TraceLoss> lostAt; ///< the loss that still holds at the last call
    std::vector<KeepsIt> keepsIt; ///< at the calls from `lostAt` on
    std::optional<TraceRecovery> recovery;
    std::map<std::string, std::vector<std::size_t>> readBack; ///< path → calls that had read the text from it
    std::vector<std::size_t> summaries; ///< calls whose event the survival table looks at
    std::vector<TermSurvival> survival; ///< empty when the text never appears
    bool found = false; ///< it appears anywhere
};

struct TraceQuery {
    Needle needle; ///< of the text, or of the message's text
    std::optional<std::string> messageId; ///< follow this message

    /// A text.
    static Result<TraceQuery> text(std::string text, NeedleKind kind = NeedleKind::Plain);
    /// A message of the namespace. Error NotFound when it has none with this id.
    static Result<TraceQuery> message(const ThreadNamespace &space, const std::string &id);
};

struct TraceOptions {
    const SettingsSet *settings = nullptr; ///< of the run; without them no argument is taken as shortened
    std::vector<ArtifactFolder> folders;
    bool replays = true; ///< find what would have kept it
    std::function<void(const Trace &)> first; ///< called with the places, before losses and replays; may be empty
};

/// Error Cancelled when the job stops, NotFound for a namespace that the thread lacks.
Result<Trace> trace(const ThreadPtr &thread, const std::string &ns, const TraceQuery &query,
    const TraceOptions &options, const JobContext &job);

} // namespace palimpsest
