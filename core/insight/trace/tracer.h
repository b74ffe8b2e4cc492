// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/dialect.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/requestview.h"
#include "core/compaction/rules.h"
#include "core/insight/trace/filesearch.h"
#include "core/insight/trace/trace.h"
#include "core/thread/projection.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// What a message has of the text.
struct BodyHit {
    bool found = false;
    bool inText = false; ///< in its content
    bool inArguments = false;
    bool inPreview = false; ///< it is a stub, and its preview shows it
    std::optional<std::int64_t> block;
    std::string sentence;
};

/// Finds the places of a text at every call. Each distinct body is searched once; calls whose logs continue one another
/// share what is known of them.
class Tracer {
public:
    Tracer(ThreadPtr thread, const ThreadNamespace &space, const TraceQuery &query, const TraceOptions &options);

    /// Fills `trace.calls`. Error Cancelled.
    Result<void> run(Trace &trace, const JobContext &job);

    // What losses are told by.
    [[nodiscard]] const ThreadNamespace &space() const { return m_space; }
    [[nodiscard]] const TraceQuery &query() const { return m_query; }
    [[nodiscard]] const TraceOptions &options() const { return m_options; }
    [[nodiscard]] const BodyHit &match(const MessagePtr &message);
    /// The message as the call's request carries it.
    [[nodiscard]] MessagePtr shown(std::size_t call, MessageIndex raw);
    /// Places of the call's raw log that hold the text, in order.
    [[nodiscard]] std::vector<MessageIndex> hits(std::size_t call) const;
    [[nodiscard]] Projection projection(std::size_t call) const;
    /// Settings and rules in force at a call; null without settings.
    [[nodiscard]] const Settings *settingsAt(std::size_t call) const;
    [[nodiscard]] CompactionRules rulesAt(std::size_t call) const;
    [[nodiscard]] FileSearch &files() { return m_files; }
    [[nodiscard]] bool shortens(const MessagePtr &message, const TruncateArgsSettings &rule);
    /// Raw place before which the call's request carries shortened arguments.
    [[nodiscard]] std::int64_t truncatedUntil(std::size_t call);

private:
    /// Calls whose logs continue one another.
    struct Line {
        MessageLog log; ///< of its last call
        std::vector<std::size_t> hits;
        std::vector<std::size_t> summaries; ///< messages of the log that are summaries (LangChain's rewriting)
        std::shared_ptr<const CountedLog> counted;
        const Settings *countedFor = nullptr;
    };
    void findLines(std::vector<TracedCall> &calls);
    void findParents(std::vector<TracedCall> &calls) const;
    void place(std::size_t call, Trace &trace);
    void placeMessages(std::size_t call, TracedCall &traced);
    void placeSummaries(std::size_t call, TracedCall &traced);
    void placeFiles(std::size_t call, TracedCall &traced);
    [[nodiscard]] BodyHit search(const Message &message) const;
    [[nodiscard]] BodyHit compare(const Message &message) const;
    [[nodiscard]] TracePlacePtr messagePlace(TraceKind kind, const MessagePtr &shown, MessageIndex raw);
    [[nodiscard]] TracePlacePtr similar(const MessagePtr &summary);
    MessagePtr stub(const MessagePtr &message);
    [[nodiscard]] Dialect dialectAt(std::size_t call) const;
    void findReadBacks(Trace &trace);

    ThreadPtr m_thread;
    const ThreadNamespace &m_space;
    const TraceQuery &m_query;
    const TraceOptions &m_options;
    FileSearch m_files;
    RecordedRequests m_requests; ///< renders stubs as the middleware did
    MessagePtr m_original; ///< of a message query: its first body
    std::vector<KeyTerm> m_terms;
    bool m_termsKnown = false;
    std::vector<Line> m_lines;
    std::vector<std::size_t> m_lineOf; ///< by call
    std::unordered_map<const Message *, BodyHit> m_bodies;
    std::unordered_map<const Message *, MessagePtr> m_stubs;
    std::unordered_map<const Message *, MessagePtr> m_shortened;
    std::unordered_map<const Message *, MessagePtr> m_unbound;
    std::unordered_map<const Message *, TracePlacePtr> m_places; ///< by the message as shown
    std::unordered_map<const Message *, TracePlacePtr> m_similar;
    std::unordered_map<const FileHit *, TracePlacePtr> m_filePlaces;
    std::vector<std::int64_t> m_truncated; ///< by call; -1: not asked yet
    std::vector<MessagePtr> m_kept; ///< keeps the addresses above taken
};

} // namespace palimpsest
