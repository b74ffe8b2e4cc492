// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exportcommand.h"

#include "app/cli/cli.h"
#include "app/cli/jsonoutput.h"
#include "app/cli/openedthread.h"
#include "app/cli/settingsfile.h"
#include "app/exporter.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/replay.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/lint/lint.h"
#include "core/serde/json.h"
#include "core/transcript/bundle.h"
#include "core/transcript/redaction.h"

#include <CLI/CLI.hpp>

#include <array>
#include <format>

namespace palimpsest {
namespace {

template <class T> struct Word {
    std::string_view word;
    T value;
};

constexpr std::array subjects{Word{"raw", TranscriptSubject::Raw}, Word{"effective", TranscriptSubject::Effective},
    Word{"request", TranscriptSubject::Request}, Word{"replay", TranscriptSubject::Replay},
    Word{"findings", TranscriptSubject::Findings}};
constexpr std::array details{Word{"full", TranscriptDetail::Full}, Word{"high", TranscriptDetail::High},
    Word{"low", TranscriptDetail::Low}, Word{"user-only", TranscriptDetail::UserOnly}};
constexpr std::array placements{Word{"inline", MediaPlacement::Inline}, Word{"beside", MediaPlacement::Beside},
    Word{"none", MediaPlacement::Omitted}};
constexpr std::array archives{Word{"linked", ArchivePlacement::Linked}, Word{"appended", ArchivePlacement::Appended}};

template <class Words>
auto meant(const Words &words, const std::string &word, const char *option)
    -> Result<std::remove_cvref_t<decltype(words[0].value)>>
{
    std::string known;
    for (const auto &each : words) {
        if (each.word == word)
            return each.value;
        known.append(known.empty() ? "" : ", ").append(each.word);
    }
    return failure(Error::Code::Invalid, option, std::format("\"{}\" is unknown; it is one of {}", word, known));
}

} // namespace

void ExportCommand::declare(CLI::App &app)
{
    std::string formats;
    for (const FormatInfo &info : transcriptFormats())
        formats.append(formats.empty() ? "" : ", ").append(info.name);
    m_source.declare(app);
    app.add_option("-f,--format", m_format, formats)->required();
    app.add_option("-o,--output", m_output, "File to write; - for standard output");
    app.add_option("--what", m_what, "raw (the default), effective, request, replay or findings");
    app.add_option("--event", m_event, "The effective messages after this event");
    app.add_option("--call", m_call, "The request of this call");
    app.add_option("--checkpoint", m_checkpoint, "The branch that ends at this checkpoint; else the newest");
    app.add_option("--settings", m_settings, "Settings file, for replay and request");
    app.add_option("--from", m_from, "First call of a range");
    app.add_option("--to", m_to, "Last call of a range");
    app.add_option("--detail", m_detail, "full, high (long results shortened), low (calls only) or user-only");
    app.add_option("--media", m_media, "inline, beside (a folder) or none");
    app.add_option("--archive", m_archive, "linked or appended");
    app.add_flag("--redact", m_redact, "Replace keys, tokens, addresses and paths under home folders");
    app.add_option("--redact-pattern", m_patterns, "Also replace what NAME=REGEX finds");
    app.add_flag("--scrub", m_scrub, "Bundle only: filler in place of all text; decisions stay the same");
    app.add_flag("--preview", m_preview, "Write nothing; list what redaction would replace");
}

Result<void> ExportCommand::addSubject(TranscriptRequest &request, const OpenedThread &opened, Console &console) const
{
    const ThreadNamespace &space = *opened.space;
    std::optional<SettingsSet> settings;
    if (!m_settings.empty()) {
        Result<SettingsSet> read = readSettingsFile(m_settings);
        if (!read)
            return tl::unexpected(read.error());
        settings = std::move(*read);
        request.settings = settingsToJson(settingsFor(*settings, space.name, 1));
    }
    switch (request.subject) {
    case TranscriptSubject::Request: {
        if (!m_call)
            return failure(Error::Code::Invalid, "--call", "say which call's request is meant");
        request.call = CallNumber(*m_call);
        if (*m_call < 1 || *m_call > static_cast<std::int64_t>(space.calls.size()))
            return {}; // the transcript says so
        RecordedRequests requests(opened.thread, space, settings);
        requests.setBlobs(blobsOf(opened));
        RecordedRequest recorded = requests.at(space.calls[static_cast<std::size_t>(*m_call - 1)]);
        request.request = std::move(recorded.messages);
        request.certainty = recorded.certainty;
        return {};
    }
    case TranscriptSubject::Replay: {
        if (!settings)
            return failure(Error::Code::Invalid, "--settings", "a replay needs a settings file");
        Replayer replayer(ReplayInput::make(
            opened.thread, space.name, threadArtifacts(opened.thread, space.name, foldersOf(opened.source->info()))));
        const auto replay = replayer.run(*settings, {}, console.job());
        if (!replay)
            return tl::unexpected(replay.error());
        for (const ReplayedCall &call : replay->calls)
            if (call.event)
                request.replayed.push_back(
                    {replay->input->call(static_cast<std::size_t>(call.index)).number, call.event});
        return {};
    }
    case TranscriptSubject::Findings: {
        LintOptions options;
        options.settings = settings ? &*settings : nullptr;
        Result<std::vector<Finding>> found = lint(*opened.thread, options, console.job());
        if (!found)
            return tl::unexpected(found.error());
        request.findings = std::move(*found);
        return {};
    }
    case TranscriptSubject::Raw:
    case TranscriptSubject::Effective:
    case TranscriptSubject::Tables:
        break;
    }
    return {};
}

Result<TranscriptRequest> ExportCommand::request(const OpenedThread &opened, Console &console) const
{
    TranscriptRequest request;
    const std::string what = !m_what.empty() ? m_what : m_call ? "request" : m_event ? "effective" : "raw";
    const auto subject = meant(subjects, what, "--what");
    const auto detail = meant(details, m_detail, "--detail");
    const auto media = meant(placements, m_media, "--media");
    const auto archive = meant(archives, m_archive, "--archive");
    for (const Error *error : {subject ? nullptr : &subject.error(), detail ? nullptr : &detail.error(),
             media ? nullptr : &media.error(), archive ? nullptr : &archive.error()})
        if (error)
            return tl::unexpected(*error);
    request.subject = *subject;
    request.detail = *detail;
    request.media = *media;
    request.archive = *archive;
    request.event = static_cast<int>(m_event.value_or(0));
    request.fromCall = m_from;
    request.toCall = m_to;
    request.sourceLocation = opened.source->info().location;
    request.folders = foldersOf(opened.source->info());
    if (request.media == MediaPlacement::Beside) {
        if (m_output == "-")
            return failure(Error::Code::Invalid, "--media", "media beside the transcript need a file: give --output");
        request.mediaFolder = mediaFolderFor(m_output);
    }
    if (!m_checkpoint.empty()) {
        const Result<CheckpointIndex> found = findCheckpoint(*opened.space, m_checkpoint);
        if (!found)
            return tl::unexpected(found.error());
        request.checkpoint = *found;
    }
    if (Result<void> added = addSubject(request, opened, console); !added)
        return tl::unexpected(added.error());
    return request;
}

Result<std::optional<Redactor>> ExportCommand::redactor() const
{
    std::vector<RedactionRule> rules;
    for (const std::string &pattern : m_patterns) {
        const std::size_t equals = pattern.find('=');
        if (equals == std::string::npos || equals == 0)
            return failure(Error::Code::Invalid, "--redact-pattern", "must be NAME=REGEX");
        rules.push_back({pattern.substr(0, equals), pattern.substr(equals + 1)});
    }
    if (m_redact || m_preview)
        for (RedactionRule &rule : standardRedactions())
            rules.push_back(std::move(rule));
    if (rules.empty())
        return std::optional<Redactor>();
    Result<Redactor> made = Redactor::make(rules);
    if (!made)
        return tl::unexpected(made.error());
    return std::optional<Redactor>(std::move(*made));
}

Result<int> ExportCommand::preview(const Redactor &redactor, Console &console) const
{
    JsonOutput json(console.out());
    json.beginObject().key("format").text("palimpsest.redactions/1").key("hits").beginArray();
    for (const RedactionHit &hit : redactor.hits())
        json.newline()
            .beginObject()
            .key("rule")
            .text(hit.rule)
            .key("original")
            .text(hit.original)
            .key("replacement")
            .text(hit.replacement)
            .key("count")
            .number(hit.count)
            .endObject();
    json.endArray().endObject().newline();
    return exitstatus::done;
}

Result<void> ExportCommand::bundle(const OpenedThread &opened, Console &console) const
{
    BundleOptions options;
    options.scrub = m_scrub;
    if (!m_settings.empty()) {
        const Result<std::string> text = readFile(m_settings);
        if (!text)
            return tl::unexpected(text.error());
        Result<Value> settings = parseJson(*text);
        if (!settings)
            return tl::unexpected(settings.error());
        options.settings = std::move(*settings);
    }
    options.folders = foldersOf(opened.source->info());
    return writeBundle(*opened.source, *opened.thread, m_output, options, console.job());
}

Result<int> ExportCommand::run(Console &console)
{
    const FormatInfo *format = findFormat(m_format);
    if (!format)
        return failure(
            Error::Code::Invalid, "--format", std::format("\"{}\" is unknown; see palimpsest export --help", m_format));
    if (m_output.empty() && !m_preview)
        return failure(Error::Code::Invalid, "--output", "say which file to write; - is standard output");
    const bool toStream = m_output == "-";
    if (toStream && format->format == TranscriptFormat::Pdf)
        return failure(Error::Code::Invalid, "--output", "a PDF needs a file");
    const bool isBundle = format->format == TranscriptFormat::Bundle;
    if (isBundle && (toStream || m_preview || m_redact || !m_patterns.empty()))
        return failure(Error::Code::Invalid, "--format",
            "a bundle is a file of stored rows: it can be scrubbed (--scrub), not redacted or previewed");
    if (m_scrub && !isBundle)
        return failure(Error::Code::Invalid, "--scrub", "only a bundle can be scrubbed; use --redact for transcripts");
    Result<std::optional<Redactor>> redactor = this->redactor();
    if (!redactor)
        return tl::unexpected(redactor.error());
    const Result<OpenedThread> opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    if (isBundle) {
        const Result<void> done = bundle(*opened, console);
        return done ? Result<int>(exitstatus::done) : tl::unexpected(done.error());
    }
    const Result<TranscriptRequest> request = this->request(*opened, console);
    if (!request)
        return tl::unexpected(request.error());
    Result<Transcript> transcript = makeTranscript(opened->thread, *opened->space, *request);
    if (!transcript)
        return tl::unexpected(transcript.error());
    if (*redactor)
        (*redactor)->apply(*transcript);
    if (m_preview)
        return preview(**redactor, console);
    const Result<void> done = toStream ? exportTranscript(console.out(), *transcript, format->format, console.job())
                                       : exportTranscript(*transcript, format->format, m_output, console.job());
    if (!done)
        return tl::unexpected(done.error());
    return exitstatus::done;
}

} // namespace palimpsest
