// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/htmlparts.h"
#include "core/transcript/writers.h"
#include "core/values/json.h"

#include <format>

namespace palimpsest {
namespace {

constexpr std::size_t longestHighlighted = 64 * 1024; // bytes of one piece of code

class Writer {
public:
    Writer(std::ostream &out, const Transcript &transcript, const WriteOptions &options)
        : m_out(out)
        , m_transcript(transcript)
        , m_options(options)
    {
    }

    void head()
    {
        const Transcript &t = m_transcript;
        const std::string title = t.title.empty() ? t.threadId : t.title;
        // Nothing may be fetched, whatever a message holds.
        m_out
            << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data: 'self' file:; "
               "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
               "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"generator\" "
               "content=\"Palimpsest\">\n<title>"
            << html::escaped(title) << "</title>\n<style>" << html::style() << "</style></head>\n<body>\n<header><h1>"
            << html::escaped(title) << "</h1>\n<p class=\"subject\">" << html::escaped(t.subject) << "</p>\n<dl>";
        fact("Thread", t.threadId);
        fact("Namespace", t.checkpointNs);
        fact("Checkpoint", t.checkpointId);
        fact("Model", t.model);
        fact("How this is known", t.known);
        if (!t.assumes.empty())
            fact("What-if", "Assumes " + t.assumes + ".");
        fact("Open", t.place);
        m_out << "</dl>\n" << html::controls() << "</header>\n";
        if (!t.settings.isNil()) {
            m_out << "<details class=\"settings\"><summary>Settings</summary>";
            code(toJson(t.settings), "JSON");
            m_out << "</details>\n";
        }
    }

    void message(const TranscriptMessage &entry)
    {
        const Message &message = *entry.message;
        open(entry);
        content(message, false);
        std::vector<bool> shown(entry.results.size());
        for (const ToolCallView &call : toolCalls(message)) {
            m_out << "<details class=\"call\"><summary>" << html::escaped(call.name) << "</summary>";
            code(toJson(*call.args), "JSON");
            for (std::size_t i = 0; i < entry.results.size(); ++i) {
                const auto &result = std::get<TranscriptMessage>(m_transcript.entries[entry.results[i]]);
                if (shown[i] || result.message->toolCallId != std::string(call.id))
                    continue;
                shown[i] = true;
                m_out << "<div class=\"result" << (result.message->status == "error" ? " error" : "")
                      << (result.inContext ? "" : " out") << "\">";
                content(*result.message, true);
                m_out << "</div>";
            }
            m_out << "</details>";
        }
        for (const Value &invalid : message.invalidToolCalls.asList()) {
            m_out << "<p class=\"error\">Invalid tool call</p>";
            code(toJson(invalid), "JSON");
        }
        m_out << "</article>\n";
    }

    void event(const TranscriptEvent &event)
    {
        m_out << "<section class=\"event\"><p>" << html::escaped(eventLine(event));
        if (event.archive)
            m_out << " <code>" << html::escaped(*event.archive) << "</code>";
        m_out << "</p>";
        if (event.summary) {
            m_out << "<details><summary>Summary</summary>";
            content(*event.summary, false);
            m_out << "</details>";
        }
        m_out << "</section>\n";
    }

    void table(const TranscriptTable &table)
    {
        m_out << "<section class=\"table\"><h2>" << html::escaped(table.title) << "</h2><table><thead><tr>";
        for (const std::string &column : table.columns)
            m_out << "<th>" << html::escaped(column) << "</th>";
        m_out << "</tr></thead><tbody>\n";
        for (const auto &row : table.rows) {
            m_out << "<tr>";
            for (const Value &cell : row)
                m_out << "<td>" << html::escaped(cellText(cell)) << "</td>";
            m_out << "</tr>\n";
        }
        m_out << "</tbody></table></section>\n";
    }

    void archives()
    {
        for (const TranscriptFile &file : m_transcript.files) {
            if (file.kind != TranscriptFile::Kind::Archive)
                continue;
            m_out << "<section><h2>Archive <code>" << html::escaped(file.path) << "</code></h2><pre>"
                  << html::escaped(file.bytes) << "</pre></section>\n";
        }
    }

    Result<void> columns(WriteProgress &progress)
    {
        const Transcript &t = m_transcript;
        const bool beside = !t.effective.empty();
        m_out << "<main" << (beside ? " class=\"columns\"" : "") << ">\n<div>";
        if (beside)
            m_out << "<h2>" << html::escaped(t.subject) << "</h2>\n";
        for (const TranscriptEntry &entry : t.entries) {
            if (const auto *here = std::get_if<TranscriptEvent>(&entry))
                event(*here);
            else if (const auto &one = std::get<TranscriptMessage>(entry); !one.paired)
                message(one);
            if (Result<void> step = progress.step(); !step)
                return step;
        }
        m_out << "</div>\n";
        if (beside) {
            m_out << "<div><h2>Effective messages</h2>\n";
            for (const TranscriptMessage &one : t.effective) {
                open(one);
                content(*one.message, one.message->kind == MessageKind::Tool);
                for (const ToolCallView &call : toolCalls(*one.message))
                    m_out << "<p class=\"call\">" << html::escaped(call.name) << "</p>";
                m_out << "</article>\n";
                if (Result<void> step = progress.step(); !step)
                    return step;
            }
            m_out << "</div>\n";
        }
        m_out << "</main>\n";
        return {};
    }

    void foot() { m_out << "<script>" << html::script() << "</script>\n</body></html>\n"; }

private:
    void fact(std::string_view name, const std::string &value)
    {
        if (!value.empty())
            m_out << "<dt>" << name << "</dt><dd>" << html::escaped(value) << "</dd>";
    }

    void open(const TranscriptMessage &entry)
    {
        const Message &message = *entry.message;
        const std::string_view kind = isSummary(message) ? "summary" : typeName(message.kind);
        m_out << "<article class=\"" << kind << (entry.inContext ? "" : " out") << "\"><h3>"
              << html::escaped(speaker(message)) << "<small>";
        if (entry.index >= 0)
            m_out << '#' << entry.index << " · ";
        m_out << shortCount(entry.tokens) << " tokens";
        if (!entry.time.empty())
            m_out << " · " << html::escaped(entry.time.substr(0, 19));
        if (!entry.inContext)
            m_out << " · out of context";
        m_out << "</small></h3>";
    }

    void content(const Message &message, bool asCode)
    {
        using Kind = ContentPiece::Kind;
        for (const ContentPiece &piece : contentPieces(message)) {
            switch (piece.kind) {
            case Kind::Text:
                m_out << (asCode ? "<pre>" : "<div class=\"text\">") << html::escaped(piece.text)
                      << (asCode ? "</pre>" : "</div>");
                break;
            case Kind::Reasoning:
                m_out << "<blockquote>" << html::escaped(piece.text) << "</blockquote>";
                break;
            case Kind::Image:
                m_out << "<img alt=\"" << html::escaped(piece.mime) << "\" src=\"" << html::escaped(piece.text)
                      << "\">";
                break;
            case Kind::Reference:
                // A file beside the transcript is shown; what is elsewhere stays text.
                if (piece.text.find("://") == std::string::npos && !piece.text.starts_with('/')
                    && piece.mime.starts_with("image/"))
                    m_out << "<img alt=\"\" src=\"" << html::escaped(piece.text) << "\">";
                else
                    m_out << "<p class=\"reference\">" << html::escaped(piece.text) << "</p>";
                break;
            case Kind::Other:
                code(piece.text, "JSON");
                break;
            }
        }
    }

    void code(const std::string &text, std::string_view syntax)
    {
        m_out << "<pre class=\"code\">";
        if (m_options.highlight && text.size() <= longestHighlighted)
            m_out << m_options.highlight(text, syntax);
        else
            m_out << html::escaped(text);
        m_out << "</pre>";
    }

    std::ostream &m_out;
    const Transcript &m_transcript;
    const WriteOptions &m_options;
};

} // namespace

Result<void> writeHtml(
    std::ostream &out, const Transcript &transcript, const WriteOptions &options, const JobContext &job)
{
    WriteProgress progress(out, job, transcript.entries.size() + transcript.effective.size());
    Writer writer(out, transcript, options);
    writer.head();
    if (!transcript.entries.empty())
        if (Result<void> done = writer.columns(progress); !done)
            return done;
    for (const TranscriptTable &table : transcript.tables)
        writer.table(table);
    writer.archives();
    writer.foot();
    return progress.step();
}

} // namespace palimpsest
