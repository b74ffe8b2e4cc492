// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/exportorder.h"

#include "core/compaction/recordedrequest.h"
#include "core/compaction/replay.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/compare/comparison.h"
#include "core/insight/diff/diff.h"
#include "core/insight/infer/infer.h"
#include "core/insight/lint/lint.h"
#include "core/insight/trace/trace.h"
#include "core/transcript/tables.h"

#include <format>
#include <memory>

namespace palimpsest {
namespace {

class Preparation {
public:
    /// A redactor has looked at the thread's messages.
    Preparation(const ExportMaterial &material, const ExportOrder &order, const ThreadNamespace &space,
        Redactor *redactor, const JobContext &job)
        : m_material(material)
        , m_order(order)
        , m_space(space)
        , m_redactor(redactor)
        , m_job(job)
    {
    }

    Result<TranscriptRequest> request()
    {
        m_request.subject = m_order.subject;
        m_request.checkpoint = m_order.checkpoint;
        m_request.event = m_order.event;
        m_request.call = m_order.call;
        m_request.fromCall = m_order.fromCall;
        m_request.toCall = m_order.toCall;
        m_request.fromTurn = m_order.fromTurn;
        m_request.toTurn = m_order.toTurn;
        m_request.selected = m_order.selected;
        m_request.detail = m_order.detail;
        m_request.media = m_order.media;
        m_request.archive = m_order.archive;
        m_request.sourceLocation = m_material.location;
        m_request.folders = m_material.folders;
        if (Result<void> added = add(); !added)
            return tl::unexpected(added.error());
        return std::move(m_request);
    }

private:
    Result<void> add()
    {
        switch (m_order.subject) {
        case TranscriptSubject::Raw:
        case TranscriptSubject::Effective:
            return {};
        case TranscriptSubject::Request:
            addRequest();
            return {};
        case TranscriptSubject::Replay:
            return addReplay();
        case TranscriptSubject::Findings:
            return addFindings();
        case TranscriptSubject::Comparison:
            return m_order.sides ? addDiff() : m_order.other ? addThreadComparison() : addComparison();
        case TranscriptSubject::Trace:
            return addTrace();
        }
        return {};
    }

    void addRequest()
    {
        const std::int64_t number = m_order.call.value;
        if (number < 1 || number > static_cast<std::int64_t>(m_space.calls.size()))
            return; // the transcript says so
        std::optional<SettingsSet> settings;
        if (!m_order.settings.empty())
            settings = m_order.settings.front();
        if (settings)
            m_request.settings = settingsToJson(settingsFor(*settings, m_space.name, number));
        RecordedRequests requests(m_material.thread, m_space, settings);
        requests.setBlobs(threadBlobs(*m_material.thread, m_space, m_material.folders));
        RecordedRequest recorded = requests.at(m_space.calls[static_cast<std::size_t>(number - 1)]);
        m_request.request = std::move(recorded.messages);
        m_request.certainty = recorded.certainty;
    }

    [[nodiscard]] ReplayInputPtr replayInput() const
    {
        return ReplayInput::make(
            m_material.thread, m_space.name, threadArtifacts(m_material.thread, m_space.name, m_material.folders));
    }

    Result<void> addReplay()
    {
        if (m_order.settings.empty())
            return failure(Error::Code::Invalid, "replay", "say under which settings it is to run");
        const SettingsSet &settings = m_order.settings.front();
        m_request.settings = settingsToJson(settingsFor(settings, m_space.name, 1));
        const auto replay = Replayer(replayInput()).run(settings, {}, m_job);
        if (!replay)
            return tl::unexpected(replay.error());
        for (const ReplayedCall &call : replay->calls)
            if (call.event)
                m_request.replayed.push_back(
                    {replay->input->call(static_cast<std::size_t>(call.index)).number, call.event});
        return {};
    }

    Result<void> addFindings()
    {
        LintOptions options;
        options.folders = m_material.folders;
        options.settings = m_order.settings.empty() ? nullptr : &m_order.settings.front();
        const Result<std::vector<Finding>> found = lint(*m_material.thread, options, m_job);
        if (!found)
            return tl::unexpected(found.error());
        m_request.name = "Findings";
        m_request.tables.push_back(findingsTable(*found, m_material.location, m_material.thread->id));
        return {};
    }

    Result<void> addComparison()
    {
        if (m_order.settings.empty())
            return failure(Error::Code::Invalid, "comparison", "say which settings are compared, or which two places");
        const auto shared = [&](std::size_t i) {
            return i < m_order.settings.size() ? std::make_shared<const SettingsSet>(m_order.settings[i]) : nullptr;
        };
        const auto a = shared(0);
        const auto b = shared(1);
        const Result<ComparisonPtr> made = makeComparison(replayInput(), a, b, m_job);
        if (!made)
            return tl::unexpected(made.error());
        m_request.name = b ? "Comparison of A and B" : "Comparison of the recording and A";
        const auto document = [&](const SettingsSet &set) { return settingsToJson(settingsFor(set, m_space.name, 1)); };
        m_request.settings = Value::map({{"A", document(*a)}});
        if (b)
            m_request.settings = m_request.settings.with("B", document(*b));
        m_request.certainty = Certainty::DerivedAssumingSettings;
        m_request.whatIf = (*made)->leavesRecording;
        m_request.notes = comparisonNotes(**made);
        m_request.tables = comparisonTables(**made, place());
        return {};
    }

    Result<void> addThreadComparison()
    {
        if (!m_material.other)
            return failure(Error::Code::NotFound, m_order.other->location, "the other thread was not read");
        if (m_order.settings.size() > 1)
            return failure(
                Error::Code::Invalid, "comparison", "two recorded threads are counted under one settings file");
        Result<std::optional<SettingsSet>> settings = settingsOfRun();
        if (!settings)
            return tl::unexpected(settings.error());
        if (!*settings) {
            Result<SettingsSet> plain =
                settingsFromJson(Value::map({{"dialect", Value(recordedDialect(*m_material.thread))}}));
            if (!plain)
                return tl::unexpected(plain.error());
            *settings = std::move(*plain);
        }
        const ExportMaterial &other = *m_material.other;
        const ThreadNamespace *space = other.thread->find(other.ns);
        const auto input =
            ReplayInput::make(other.thread, other.ns, threadArtifacts(other.thread, other.ns, other.folders));
        const Result<ComparisonPtr> made = makeThreadComparison(
            replayInput(), input, otherName(other), std::make_shared<const SettingsSet>(**settings), m_job);
        if (!made)
            return tl::unexpected(made.error());
        TablePlace otherPlace{other.location, other.thread->id, *space, {}};
        m_request.name = std::format("Comparison of {} and {}", m_material.thread->id, otherName(other));
        m_request.certainty = Certainty::DerivedAssumingSettings;
        m_request.settings = settingsToJson(settingsFor(**settings, m_space.name, 1));
        m_request.notes = comparisonNotes(**made);
        m_request.tables = comparisonTables(**made, place(), &otherPlace);
        return {};
    }

    Result<void> addDiff()
    {
        Result<DiffSide> a = diffSide(m_material.thread, m_space.name, m_order.sides->first);
        if (!a)
            return tl::unexpected(a.error());
        Result<DiffSide> b = diffSide(m_material.thread, m_space.name, m_order.sides->second);
        if (!b)
            return tl::unexpected(b.error());
        // Before they are held against each other: marks would part an original that differs in the middle.
        redact(a->messages);
        redact(b->messages);
        Diff diff = compare(*a, *b);
        if (m_redactor)
            for (FileDiff &file : diff.files)
                file.text.clear();
        m_request.name = std::format("Comparison of {} and {}", a->name, b->name);
        m_request.notes = diffNotes(*a, *b, diff);
        m_request.tables = diffTables(*a, *b, diff);
        return {};
    }

    /// What explains the recorded events, where none are given.
    Result<std::optional<SettingsSet>> settingsOfRun() const
    {
        if (!m_order.settings.empty())
            return std::optional(m_order.settings.front());
        return inferredSettings(m_material.thread, m_space.name, m_material.folders, m_job);
    }

    Result<void> addTrace()
    {
        if (m_order.needle.empty() && m_order.needleMessage.empty())
            return failure(Error::Code::Invalid, "trace", "say which text or message is to be followed");
        const Result<TraceQuery> query = m_order.needleMessage.empty()
            ? TraceQuery::text(m_order.needle, m_order.needleKind)
            : TraceQuery::message(m_space, m_order.needleMessage);
        if (!query)
            return tl::unexpected(query.error());
        const Result<std::optional<SettingsSet>> settings = settingsOfRun();
        if (!settings)
            return tl::unexpected(settings.error());
        TraceOptions options;
        options.folders = m_material.folders;
        options.settings = *settings ? &**settings : nullptr;
        const Result<Trace> traced = trace(m_material.thread, m_space.name, *query, options, m_job);
        if (!traced)
            return tl::unexpected(traced.error());
        m_request.name = m_order.needleMessage.empty() ? std::format("Trace of “{}”", traced->needle)
                                                       : std::format("Trace of message {}", m_order.needleMessage);
        if (*settings) {
            m_request.settings = settingsToJson(settingsFor(**settings, m_space.name, 1));
            m_request.certainty = m_order.settings.empty() ? Certainty::Inferred : Certainty::DerivedAssumingSettings;
            m_request.whatIf = !traced->keepsIt.empty();
        }
        m_request.notes = traceNotes(*traced, place());
        m_request.tables = traceTables(*traced, place());
        return {};
    }

    [[nodiscard]] TablePlace place() const
    {
        TablePlace place{m_material.location, m_material.thread->id, m_space, {}};
        if (m_redactor)
            place.shown = [this](const MessagePtr &message) { return m_redactor->message(message); };
        return place;
    }

    void redact(MessageLog &log) const
    {
        if (!m_redactor)
            return;
        MessageLog redacted;
        for (const MessagePtr &message : log)
            redacted = std::move(redacted).push_back(m_redactor->message(message));
        log = std::move(redacted);
    }

    const ExportMaterial &m_material;
    const ExportOrder &m_order;
    const ThreadNamespace &m_space;
    Redactor *m_redactor;
    const JobContext &m_job;
    TranscriptRequest m_request;
};

Result<void> checkWholeThread(const ExportOrder &order)
{
    const auto fails = [](const char *why) { return failure(Error::Code::Invalid, "all namespaces", why); };
    if (order.subject != TranscriptSubject::Raw && order.subject != TranscriptSubject::Effective)
        return fails("only raw logs and effective messages can be written for all namespaces at once");
    if (order.event > 0 || order.fromCall || order.toCall || order.fromTurn || order.toTurn || !order.selected.empty())
        return fails("events, ranges and selections belong to one namespace");
    if (order.format == TranscriptFormat::JsonLines || order.format == TranscriptFormat::LangChain
        || order.format == TranscriptFormat::Csv)
        return fails("this format is one list of messages; export the namespaces one by one, or as another format");
    return {};
}

Result<Transcript> makeTranscripts(
    const ExportMaterial &material, const ThreadNamespace &space, const TranscriptRequest &request, bool wholeThread)
{
    Result<Transcript> transcript = makeTranscript(material.thread, space, request);
    if (!transcript || !wholeThread)
        return transcript;
    TranscriptRequest other = request;
    other.checkpoint = {};
    for (const ThreadNamespace &each : material.thread->namespaces) {
        if (&each == &space || each.checkpoints.empty())
            continue;
        Result<Transcript> part = makeTranscript(material.thread, each, other);
        if (!part)
            return part;
        transcript->parts.push_back(std::move(*part));
    }
    return transcript;
}

/// The same without anything left out or cut: that is a place to learn originals from all the same.
TranscriptRequest inFull(TranscriptRequest request, const ExportMaterial &material)
{
    request.detail = TranscriptDetail::Full;
    request.media = MediaPlacement::Inline;
    request.archive = ArchivePlacement::Appended;
    request.sourceLocation = material.location;
    request.folders = material.folders;
    return request;
}

Result<void> lookAt(Redactor &redactor, const ExportMaterial &material, const ThreadNamespace &space,
    const TranscriptRequest &request, bool wholeThread, const JobContext &job)
{
    const Result<Transcript> transcript = makeTranscripts(material, space, request, wholeThread);
    if (!transcript)
        return tl::unexpected(transcript.error());
    if (job.stopped())
        return failure(Error::Code::Cancelled, {}, "stopped");
    redactor.look(*transcript);
    return {};
}

} // namespace

std::string otherName(const ExportMaterial &other)
{
    return other.thread->id + " of " + other.location.substr(other.location.find_last_of("/\\") + 1);
}

Result<PreparedExport> prepareExport(
    const ExportMaterial &material, const ExportOrder &order, const std::string &mediaFolder, const JobContext &job)
{
    const ThreadNamespace *space = material.thread ? material.thread->find(material.ns) : nullptr;
    if (!space)
        return failure(Error::Code::NotFound, material.ns, "is no namespace of this thread");
    if (order.wholeThread)
        if (Result<void> fits = checkWholeThread(order); !fits)
            return tl::unexpected(fits.error());
    std::optional<Redactor> redactor;
    if (!order.redaction.empty()) {
        Result<Redactor> made = Redactor::make(order.redaction);
        if (!made)
            return tl::unexpected(made.error());
        redactor = std::move(*made);
    }
    if (redactor) {
        TranscriptRequest log;
        log.checkpoint = order.checkpoint;
        log = inFull(std::move(log), material);
        if (Result<void> looked = lookAt(*redactor, material, *space, log, order.wholeThread, job); !looked)
            return tl::unexpected(looked.error());
    }
    if (redactor && order.other && material.other)
        if (Result<void> looked = lookAt(*redactor, *material.other, *material.other->thread->find(material.other->ns),
                inFull({}, *material.other), false, job);
            !looked)
            return tl::unexpected(looked.error());
    Redactor *const own = redactor ? &*redactor : nullptr;
    Result<TranscriptRequest> request = Preparation(material, order, *space, own, job).request();
    if (!request)
        return tl::unexpected(request.error());
    if (redactor) {
        const TranscriptRequest all = inFull(*request, material);
        if (Result<void> looked = lookAt(*redactor, material, *space, all, order.wholeThread, job); !looked)
            return tl::unexpected(looked.error());
        request->redactor = own;
    }
    request->mediaFolder = mediaFolder;
    Result<Transcript> transcript = makeTranscripts(material, *space, *request, order.wholeThread);
    if (!transcript)
        return tl::unexpected(transcript.error());
    PreparedExport prepared{std::move(*transcript), {}};
    if (redactor)
        for (const RedactionHit &hit : redactor->hits())
            if (hit.count > 0)
                prepared.hits.push_back(hit);
    return prepared;
}

} // namespace palimpsest
