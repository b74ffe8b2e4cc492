// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tracecommand.h"

#include "app/cli/jsonoutput.h"
#include "app/cli/openedthread.h"
#include "core/base/text.h"
#include "core/insight/trace/trace.h"
#include "core/values/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace palimpsest {
namespace {

/// The first call from `at` on that had read the text back from the path.
const std::size_t *readBackAfter(const Trace &trace, const std::string &path, std::size_t at)
{
    const auto calls = trace.readBack.find(path);
    if (calls == trace.readBack.end())
        return nullptr;
    const auto found = std::lower_bound(calls->second.begin(), calls->second.end(), at);
    return found == calls->second.end() ? nullptr : &*found;
}

class JsonTrace {
public:
    JsonTrace(JsonOutput &json, const Trace &trace, const ThreadNamespace &space)
        : m_json(json)
        , m_trace(trace)
        , m_space(space)
    {
    }

    void write(const std::string &threadId, std::string_view settingsFrom)
    {
        m_json.beginObject().key("format").text("palimpsest.trace/1").key("thread_id").text(threadId);
        m_json.key("checkpoint_ns").text(m_space.name).key("needle").text(m_trace.needle);
        m_json.key("settings_from").textOrNull(settingsFrom).key("calls").beginArray();
        for (std::size_t i = 0; i < m_trace.calls.size(); ++i)
            writeCall(i);
        m_json.endArray().newline().key("lost_at");
        if (m_trace.lostAt)
            writeLoss(*m_trace.lostAt);
        else
            m_json.null();
        m_json.newline().key("losses").beginArray();
        for (const TraceLoss &loss : m_trace.losses)
            writeLoss(loss);
        m_json.endArray().newline().key("keeps_it").beginArray();
        for (const KeepsIt &kept : m_trace.keepsIt) {
            m_json.newline().beginObject().key("from_call").number(number(kept.fromCall)).key("to_call");
            m_json.number(number(kept.toCall)).key("setting").text(kept.setting).key("from").value(kept.from);
            m_json.key("to").value(kept.to).key("smallest").boolean(kept.smallest).endObject();
        }
        m_json.endArray().newline();
        writeRecovery();
        writeSurvival();
        m_json.endObject().newline();
    }

private:
    [[nodiscard]] std::int64_t number(std::size_t call) const { return m_space.calls[call].number.value; }

    void writeCall(std::size_t i)
    {
        const Call &call = m_space.calls[i];
        const TracedCall &traced = m_trace.calls[i];
        m_json.newline().beginObject().key("call").number(call.number.value).key("task_id").text(call.taskId);
        m_json.key("checkpoint_id");
        if (call.checkpoint.isValid())
            m_json.text(m_space.checkpoints[call.checkpoint.at()].id);
        else
            m_json.null();
        m_json.key("step").number(static_cast<std::int64_t>(call.step)).key("where").beginArray();
        for (const TracePlacePtr &place : traced.where)
            writePlace(*place, i);
        m_json.endArray();
        if (traced.more > 0)
            m_json.key("more").number(traced.more);
        m_json.key("summarizer_saw");
        if (traced.summarizerSaw)
            m_json.boolean(*traced.summarizerSaw);
        else
            m_json.null();
        m_json.endObject();
    }

    void writePlace(const TracePlace &place, std::size_t call)
    {
        m_json.beginObject().key("kind").text(traceKindName(place.kind)).key("message_id");
        m_json.optionalText(place.messageId).key("path").textOrNull(place.path).key("line");
        if (place.line > 0)
            m_json.number(place.line);
        else
            m_json.null();
        m_json.key("text").textOrNull(place.text);
        if (place.block)
            m_json.key("block").number(*place.block);
        if (!place.path.empty()) {
            m_json.key("readable").boolean(place.readable).key("read_back_at");
            if (const std::size_t *back = readBackAfter(m_trace, place.path, call))
                m_json.number(number(*back));
            else
                m_json.null();
        }
        if (place.section)
            m_json.key("section")
                .number(static_cast<std::int64_t>(*place.section))
                .key("section_time")
                .text(place.sectionTime);
        if (place.kind == TraceKind::Similar) {
            writeTexts("shared", place.shared);
            writeTexts("missing", place.missing);
        }
        m_json.endObject();
    }

    void writeTexts(std::string_view key, const std::vector<std::string> &texts)
    {
        m_json.key(key).beginArray();
        for (const std::string &text : texts)
            m_json.text(text);
        m_json.endArray();
    }

    void writeLoss(const TraceLoss &loss)
    {
        m_json.beginObject().key("call").number(number(loss.call)).key("task_id").text(m_space.calls[loss.call].taskId);
        m_json.key("stage")
            .text(loss.stage)
            .key("setting")
            .text(loss.setting)
            .key("message_id")
            .optionalText(loss.messageId);
        m_json.key("blame").textOrNull(blameName(loss.blame)).key("why").text(loss.why).key("regained_at");
        if (loss.regained >= 0)
            m_json.number(number(static_cast<std::size_t>(loss.regained)));
        else
            m_json.null();
        m_json.endObject();
    }

    void writeRecovery()
    {
        m_json.key("recover").textOrNull(m_trace.recovery ? m_trace.recovery->readFile() : std::string());
        m_json.key("recover_from_log");
        if (!m_trace.recovery || m_trace.recovery->checkpointId.empty()) {
            m_json.null();
            return;
        }
        m_json.beginObject().key("checkpoint_id").text(m_trace.recovery->checkpointId).key("message_id");
        m_json.optionalText(m_trace.recovery->messageId).endObject().newline();
    }

    void writeSurvival()
    {
        m_json.key("survival").beginObject().key("summaries").beginArray();
        for (const std::size_t call : m_trace.summaries)
            m_json.number(number(call));
        m_json.endArray().key("terms").beginArray();
        for (const TermSurvival &row : m_trace.survival) {
            m_json.newline()
                .beginObject()
                .key("term")
                .text(row.term.text)
                .key("kind")
                .text(termKindName(row.term.kind));
            m_json.key("window").boolean(row.window).key("summaries").beginArray();
            for (const bool held : row.summaries)
                m_json.boolean(held);
            m_json.endArray().key("archive").boolean(row.archive).endObject();
        }
        m_json.endArray().endObject();
    }

    JsonOutput &m_json;
    const Trace &m_trace;
    const ThreadNamespace &m_space;
};

/// The answer for people.
class TextTrace {
public:
    TextTrace(std::ostream &out, const Trace &trace, const ThreadNamespace &space)
        : m_out(out)
        , m_trace(trace)
        , m_space(space)
    {
    }

    void write()
    {
        if (!m_trace.found) {
            m_out << "It is nowhere in this namespace: in no message, file or summary.\n";
            return;
        }
        for (std::size_t from = 0; from < m_trace.calls.size();) {
            std::size_t to = from + 1;
            while (to < m_trace.calls.size() && m_trace.calls[to].where == m_trace.calls[from].where)
                ++to;
            writeCalls(from, to - 1);
            from = to;
        }
        for (const TraceLoss &loss : m_trace.losses) {
            m_out << "Lost at call " << number(loss.call) << ": " << loss.stage;
            if (!loss.setting.empty())
                m_out << " (" << printable(loss.setting) << ")";
            m_out << ". " << printable(loss.why);
            if (loss.regained >= 0)
                m_out << " Seen again at call " << number(static_cast<std::size_t>(loss.regained)) << ".";
            m_out << '\n';
        }
        writeKeepsIt();
        if (const auto &recovery = m_trace.recovery) {
            if (!recovery->checkpointId.empty())
                m_out << "The raw log has it whole: checkpoint " << recovery->checkpointId << ", message "
                      << printable(recovery->messageId.value_or("without id")) << ".\n";
            if (!recovery->path.empty())
                m_out << "The agent could read it again: " << printable(recovery->readFile()) << '\n';
        }
        writeSurvival();
    }

private:
    [[nodiscard]] std::int64_t number(std::size_t call) const { return m_space.calls[call].number.value; }

    [[nodiscard]] std::string range(std::size_t from, std::size_t to) const
    {
        return from == to ? "call " + std::to_string(number(from))
                          : "calls " + std::to_string(number(from)) + "-" + std::to_string(number(to));
    }

    void writeCalls(std::size_t from, std::size_t to)
    {
        std::string lead = range(from, to);
        lead.resize(std::max<std::size_t>(16, lead.size() + 2), ' ');
        for (const TracePlacePtr &place : m_trace.calls[from].where) {
            std::string kind(traceKindName(place->kind));
            kind.resize(20, ' ');
            m_out << lead << kind;
            if (!place->path.empty())
                m_out << printable(place->path) << ':' << place->line << (place->readable ? "" : " (not readable)")
                      << "  ";
            else if (place->messageId)
                m_out << printable(*place->messageId, 40) << "  ";
            if (const std::size_t *back = place->path.empty() ? nullptr : readBackAfter(m_trace, place->path, from))
                m_out << "(read back for call " << number(*back) << ")  ";
            m_out << printable(place->text, 100);
            if (place->kind == TraceKind::Similar)
                m_out << "  [similar text, not verified meaning; shares: " << list(place->shared)
                      << "; lacks: " << list(place->missing) << "]";
            m_out << '\n';
            lead.assign(lead.size(), ' ');
        }
        if (m_trace.calls[from].more > 0)
            m_out << lead << "and " << m_trace.calls[from].more << " more messages\n";
    }

    static std::string list(const std::vector<std::string> &texts)
    {
        std::string all;
        for (const std::string &text : texts)
            all += (all.empty() ? "" : ", ") + printable(text, 40);
        return all.empty() ? "nothing" : all;
    }

    void writeKeepsIt()
    {
        if (!m_trace.keepsIt.empty())
            m_out << "Would have kept it, if the agent had acted the same:\n";
        for (const KeepsIt &kept : m_trace.keepsIt)
            m_out << "  " << range(kept.fromCall, kept.toCall) << ": " << kept.setting << ' ' << toJson(kept.from)
                  << " -> " << toJson(kept.to) << (kept.smallest ? "" : " (or less)") << '\n';
    }

    void writeSurvival()
    {
        if (m_trace.survival.empty() || m_trace.summaries.empty())
            return;
        m_out << "Key terms:              window  ";
        for (const std::size_t call : m_trace.summaries)
            m_out << "summary@" << number(call) << "  ";
        m_out << "archive\n";
        for (const TermSurvival &row : m_trace.survival) {
            std::string term = printable(row.term.text, 20);
            term.append(22 - std::min<std::size_t>(22, text::length(term)), ' ');
            m_out << "  " << term << (row.window ? "yes   " : "-     ") << "  ";
            for (std::size_t i = 0; i < row.summaries.size(); ++i) {
                std::string cell = row.summaries[i] ? "yes" : "-";
                cell.resize(8 + std::to_string(number(m_trace.summaries[i])).size() + 2, ' ');
                m_out << cell;
            }
            m_out << (row.archive ? "yes" : "-") << '\n';
        }
    }

    std::ostream &m_out;
    const Trace &m_trace;
    const ThreadNamespace &m_space;
};

} // namespace

void TraceCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    m_source.declareFiles(app);
    auto *text = app.add_option("--text", m_text, "Text to follow");
    app.add_flag("--regex", m_regex, "The text is a regular expression")->needs(text);
    app.add_flag("--fold", m_fold, "Without regard to case and width")->needs(text);
    app.add_option("--message", m_message, "Id of a message to follow")->excludes(text);
    app.add_option("--settings", m_settings, "Settings file of the run; inferred when left out");
    app.add_flag("--no-replays", m_noReplays, "Do not search for settings that would have kept it");
    app.add_flag("--json", m_json, "JSON instead of text");
}

Result<int> TraceCommand::run(Console &console)
{
    if (m_text.empty() && m_message.empty())
        return failure(Error::Code::Invalid, "trace", "nothing to follow: give --text S or --message ID");
    const Result<OpenedThread> opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    const ThreadNamespace &space = *opened->space;
    const NeedleKind kind = m_regex ? (m_fold ? NeedleKind::FoldedRegex : NeedleKind::Regex)
                                    : (m_fold ? NeedleKind::Folded : NeedleKind::Plain);
    const Result<TraceQuery> query =
        m_message.empty() ? TraceQuery::text(m_text, kind) : TraceQuery::message(space, m_message);
    if (!query)
        return tl::unexpected(query.error());
    if (!space.hasWrites)
        console.message("no calls can be told: the saver that wrote this file kept no writes");
    TraceOptions options;
    options.folders = opened->folders;
    options.replays = !m_noReplays;
    RunSettings settings;
    Result<Trace> answer = tl::unexpected(Error());
    // Settings are told from events: without any there is nothing to infer.
    if (m_settings.empty()) {
        answer = trace(opened->thread, space.name, *query, options, console.job());
        if (!answer)
            return tl::unexpected(answer.error());
    }
    if (!m_settings.empty() || (answer->found && !space.eventCheckpoints.empty())) {
        Result<RunSettings> found = runSettings(m_settings, *opened, console.job());
        if (!found)
            return tl::unexpected(found.error());
        settings = std::move(*found);
    }
    if (settings.set) {
        options.settings = &*settings.set;
        answer = trace(opened->thread, space.name, *query, options, console.job());
        if (!answer)
            return tl::unexpected(answer.error());
    }
    if (m_json) {
        JsonOutput json(console.out());
        JsonTrace(json, *answer, space).write(opened->thread->id, settings.from);
    } else {
        if (!settings.from.empty())
            console.message("settings: " + settings.from);
        TextTrace(console.out(), *answer, space).write();
    }
    return 0;
}

} // namespace palimpsest
