// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exportcommand.h"

#include "app/cli/cli.h"
#include "app/cli/jsonoutput.h"
#include "app/cli/openedthread.h"
#include "app/cli/settingsfile.h"
#include "app/exporter.h"
#include "core/serde/json.h"

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
    Word{"comparison", TranscriptSubject::Comparison}, Word{"findings", TranscriptSubject::Findings},
    Word{"trace", TranscriptSubject::Trace}};
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
    m_source.declareFiles(app);
    app.add_option("-f,--format", m_format, formats)->required();
    app.add_option("-o,--output", m_output, "File to write; - for standard output");
    app.add_option("--what", m_what, "raw (the default), effective, request, replay, comparison, findings or trace");
    app.add_option("--event", m_event, "The effective messages after this event");
    app.add_option("--call", m_call, "The request of this call");
    auto *checkpoint =
        app.add_option("--checkpoint", m_checkpoint, "The branch that ends at this checkpoint; else the newest");
    app.add_option("--branch", m_branch, "The branch of this number; 1 is the newest")->excludes(checkpoint);
    app.add_flag("--all-namespaces", m_all, "The whole thread: subagents' namespaces behind this one");
    app.add_option("--from", m_from, "First call of a range");
    app.add_option("--to", m_to, "Last call of a range");
    app.add_option("--from-turn", m_fromTurn, "First turn of a range; a turn begins with a human message");
    app.add_option("--to-turn", m_toTurn, "Last turn of a range");
    app.add_option("--select", m_selected, "Only messages of these ids, or #N by their places in the raw log")
        ->allow_extra_args(false);
    app.add_option("--settings", m_settings,
           "Settings file, for replay, request and trace; for comparison one (A) or two (A and B)")
        ->allow_extra_args(false);
    app.add_option("--sides", m_sides, "For comparison: two places in the words of diff, such as call:3 call:7")
        ->expected(2);
    auto *other = app.add_option(
        "--other", m_other, "For comparison: the source of another recorded thread; --settings then counts both");
    app.add_option("--other-thread", m_otherThread, "Its id; without it the source must hold one thread")->needs(other);
    auto *text = app.add_option("--text", m_text, "For trace: the text to follow");
    app.add_flag("--regex", m_regex, "The text is a regular expression")->needs(text);
    app.add_flag("--fold", m_fold, "Without regard to case and width")->needs(text);
    app.add_option("--message", m_message, "For trace: id of the message to follow")->excludes(text);
    app.add_option("--detail", m_detail, "full, high (long results shortened), low (calls only) or user-only");
    app.add_option("--media", m_media, "inline, beside (a folder) or none");
    app.add_option("--archive", m_archive, "linked or appended");
    app.add_flag("--redact", m_redact, "Replace keys, tokens, addresses, base64 and paths under home folders");
    app.add_option("--redact-pattern", m_patterns, "Also replace what NAME=REGEX finds")->allow_extra_args(false);
    app.add_flag("--scrub", m_scrub, "Bundle only: filler in place of all text; decisions stay the same");
    app.add_flag("--preview", m_preview, "Write nothing; list what redaction would replace");
}

Result<void> ExportCommand::readWords(ExportOrder &order) const
{
    const std::string what = !m_what.empty()   ? m_what
        : m_call                               ? "request"
        : m_event                              ? "effective"
        : !m_sides.empty() || !m_other.empty() ? "comparison"
                                               : "raw";
    const auto subject = meant(subjects, what, "--what");
    const auto detail = meant(details, m_detail, "--detail");
    const auto media = meant(placements, m_media, "--media");
    const auto archive = meant(archives, m_archive, "--archive");
    for (const Error *error : {subject ? nullptr : &subject.error(), detail ? nullptr : &detail.error(),
             media ? nullptr : &media.error(), archive ? nullptr : &archive.error()})
        if (error)
            return tl::unexpected(*error);
    order.subject = *subject;
    order.detail = *detail;
    order.media = *media;
    order.archive = *archive;
    if (order.subject == TranscriptSubject::Request && !m_call)
        return failure(Error::Code::Invalid, "--call", "say which call's request is meant");
    if (!m_other.empty() && (order.subject != TranscriptSubject::Comparison || !m_sides.empty()))
        return failure(Error::Code::Invalid, "--other", "another thread belongs to a comparison, without --sides");
    if (order.media == MediaPlacement::Beside && m_output == "-")
        return failure(Error::Code::Invalid, "--media", "media beside the transcript need a file: give --output");
    return {};
}

Result<void> ExportCommand::readRedaction(ExportOrder &order) const
{
    for (const std::string &pattern : m_patterns) {
        const std::size_t equals = pattern.find('=');
        if (equals == std::string::npos || equals == 0)
            return failure(Error::Code::Invalid, "--redact-pattern", "must be NAME=REGEX");
        order.redaction.own.push_back({pattern.substr(0, equals), pattern.substr(equals + 1)});
    }
    order.redaction.standard = m_redact || (m_preview && m_patterns.empty());
    return {};
}

Result<void> ExportCommand::readSettings(ExportOrder &order) const
{
    const std::size_t most = order.subject == TranscriptSubject::Comparison ? 2 : 1;
    if (m_settings.size() > most)
        return failure(Error::Code::Invalid, "--settings", "only a comparison takes two settings files");
    if (order.format == TranscriptFormat::Bundle) {
        if (m_settings.empty())
            return {};
        const Result<std::string> text = readFile(m_settings.front());
        if (!text)
            return tl::unexpected(text.error());
        Result<Value> document = parseJson(*text);
        if (!document)
            return failure(
                document.error().code, m_settings.front() + ": " + document.error().where, document.error().what);
        order.settingsDocument = std::move(*document);
        return {};
    }
    for (const std::string &file : m_settings) {
        Result<SettingsSet> read = readSettingsFile(file);
        if (!read)
            return tl::unexpected(read.error());
        order.settings.push_back(std::move(*read));
    }
    return {};
}

Result<void> ExportCommand::readScope(ExportOrder &order, const ThreadNamespace &space) const
{
    order.wholeThread = m_all;
    order.event = static_cast<int>(m_event.value_or(0));
    order.call = CallNumber(m_call.value_or(0));
    order.fromCall = m_from;
    order.toCall = m_to;
    order.fromTurn = m_fromTurn;
    order.toTurn = m_toTurn;
    order.selected = m_selected;
    if (!m_sides.empty())
        order.sides = {m_sides.front(), m_sides.back()};
    if (!m_other.empty())
        order.other = OtherThread{m_other, m_otherThread};
    order.needle = m_text;
    order.needleKind = m_regex ? (m_fold ? NeedleKind::FoldedRegex : NeedleKind::Regex)
                               : (m_fold ? NeedleKind::Folded : NeedleKind::Plain);
    order.needleMessage = m_message;
    if (!m_checkpoint.empty()) {
        const Result<CheckpointIndex> found = findCheckpoint(space, m_checkpoint);
        if (!found)
            return tl::unexpected(found.error());
        order.checkpoint = *found;
    }
    if (m_branch) {
        const auto heads = static_cast<std::int64_t>(space.heads.size());
        if (*m_branch < 1 || *m_branch > heads)
            return failure(Error::Code::NotFound, std::format("branch {}", *m_branch),
                std::format("there is no such branch; this namespace has {}", heads));
        order.checkpoint = space.heads[static_cast<std::size_t>(heads - *m_branch)];
    }
    return {};
}

Result<ExportOrder> ExportCommand::order() const
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
    ExportOrder order;
    order.format = format->format;
    order.scrub = m_scrub;
    if (Result<void> read = readWords(order); !read)
        return tl::unexpected(read.error());
    if (Result<void> read = readRedaction(order); !read)
        return tl::unexpected(read.error());
    if (Result<void> read = readSettings(order); !read)
        return tl::unexpected(read.error());
    return order;
}

Result<int> ExportCommand::preview(const ExportOrder &order, const ExportMaterial &material, Console &console) const
{
    const Result<PreparedExport> prepared = prepareExport(material, order, {}, console.job());
    if (!prepared)
        return tl::unexpected(prepared.error());
    JsonOutput json(console.out());
    json.beginObject().key("format").text("palimpsest.redactions/1").key("hits").beginArray();
    for (const RedactionHit &hit : prepared->hits)
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

Result<int> ExportCommand::run(Console &console)
{
    Result<ExportOrder> order = this->order();
    if (!order)
        return tl::unexpected(order.error());
    const Result<OpenedThread> opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    if (Result<void> read = readScope(*order, *opened->space); !read)
        return tl::unexpected(read.error());
    const Result<ExportMaterial> material = withOtherThread(
        {opened->thread, opened->space->name, opened->source->info().location, opened->folders}, *order, console.job());
    if (!material)
        return tl::unexpected(material.error());
    if (m_preview)
        return preview(*order, *material, console);
    const Result<void> done = m_output == "-"
        ? runExport(*order, *material, console.out(), console.job())
        : runExport(*order, *material, opened->source.get(), m_output, console.job());
    if (!done)
        return tl::unexpected(done.error());
    return exitstatus::done;
}

} // namespace palimpsest
