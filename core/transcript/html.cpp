// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/links.h"
#include "core/base/text.h"
#include "core/transcript/htmlparts.h"
#include "core/transcript/writers.h"
#include "core/values/json.h"
#include "core/values/prettyjson.h"

#include <algorithm>

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

    void open()
    {
        const std::string title = titleOf(m_transcript);
        // Nothing may be fetched, whatever a message holds.
        m_out
            << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data: 'self' file:; "
               "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
               "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"generator\" "
               "content=\"Palimpsest\">\n<title>"
            << html::escaped(title) << "</title>\n<style>" << html::style() << "</style></head>\n<body>\n";
    }

    /// `part`: of a further namespace.
    void head(bool part)
    {
        const Transcript &t = m_transcript;
        const std::string_view level = part ? "h2" : "h1";
        m_out << "<header><p class=\"subject\">" << (part ? "Subagent · " : "") << html::escaped(t.subject) << "</p><"
              << level << ">" << html::escaped(titleOf(t)) << "</" << level << ">\n<dl>";
        fact("Thread", t.threadId);
        fact("Namespace", t.checkpointNs);
        fact("Checkpoint", t.checkpointId);
        fact("Model", t.model);
        fact("How this is known", t.known);
        if (!t.assumes.empty())
            fact("What-if", "Assumes " + t.assumes + ".");
        if (!t.place.empty())
            m_out << "<dt>Open</dt><dd><code>" << html::escaped(t.place) << "</code></dd>";
        m_out << "</dl></header>\n";
        if (!part)
            m_out << html::controls();
        if (!t.settings.isNil()) {
            m_out << "<details class=\"settings\"><summary>Settings</summary>";
            code(prettyJson(t.settings), "JSON");
            m_out << "</details>\n";
        }
        if (t.notes.empty())
            return;
        m_out << "<ul class=\"notes\">";
        for (const std::string &note : t.notes)
            m_out << "<li>" << html::escaped(note) << "</li>";
        m_out << "</ul>\n";
    }

    void message(const TranscriptMessage &entry)
    {
        const Message &message = *entry.message;
        card(entry, true);
        content(message, false);
        std::vector<bool> shown(entry.results.size());
        for (const ToolCallView &call : toolCalls(message)) {
            openCall(call);
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
        m_out << "<section class=\"table\"><h2>" << html::escaped(table.title) << "</h2>";
        if (table.rows.empty()) {
            m_out << "<p>None.</p></section>\n";
            return;
        }
        m_out << "<div><table><thead><tr>";
        for (const std::string &column : table.columns)
            m_out << "<th>" << html::escaped(column) << "</th>";
        m_out << "</tr></thead><tbody>\n";
        for (const auto &row : table.rows) {
            m_out << "<tr>";
            for (std::size_t column = 0; column < row.size(); ++column)
                cell(row[column], column < table.columns.size() ? table.columns[column] : std::string());
            m_out << "</tr>\n";
        }
        m_out << "</tbody></table></div></section>\n";
    }

    void archives()
    {
        for (const TranscriptFile &file : m_transcript.files) {
            if (file.kind != TranscriptFile::Kind::Archive)
                continue;
            m_out << "<section><h2>Archive <code>" << html::escaped(file.path) << "</code></h2><pre>"
                  << html::escaped(file.bytes) << "</pre>";
            for (const std::string &path : mediaPaths(file.bytes))
                if (const TranscriptFile *medium = archivedMedium(m_transcript, path))
                    archived(*medium);
            m_out << "</section>\n";
        }
    }

    void archived(const TranscriptFile &medium)
    {
        const std::string address = html::escaped(addressOf(medium));
        m_out << "<figure>";
        if (medium.mime.starts_with("image/"))
            m_out << "<img alt=\"" << html::escaped(medium.mime) << "\" src=\"" << address << "\"><figcaption>"
                  << html::escaped(medium.path) << "</figcaption>";
        else
            m_out << "<a download href=\"" << address << "\">" << html::escaped(medium.path) << "</a>";
        m_out << "</figure>";
    }

    Result<void> columns(WriteProgress &progress)
    {
        const Transcript &t = m_transcript;
        const bool beside = !t.effective.empty();
        strip();
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
            m_out << "<div class=\"effective\"><h2>Effective messages</h2>\n";
            for (const TranscriptMessage &one : t.effective) {
                effective(one);
                if (Result<void> step = progress.step(); !step)
                    return step;
            }
            m_out << "</div>\n";
        }
        m_out << "</main>\n";
        return {};
    }

private:
    static const std::string &titleOf(const Transcript &t) { return t.title.empty() ? t.threadId : t.title; }

    void cell(const Value &value, const std::string &column)
    {
        const std::string text = html::escaped(cellText(value));
        // Ids and commands are for copying, not for reading: a glance of them, the whole under the pointer.
        const bool isId = column == "open" || column.ends_with("_id");
        const bool isText = column == "text" || column == "why" || column == "message";
        m_out << "<td";
        if (value.isInt() || value.isFloat())
            m_out << " class=\"number\"";
        else if (isId && !text.empty())
            m_out << " class=\"id\" title=\"" << text << '"';
        else if (isText || column == "path")
            m_out << (isText ? " class=\"words\"" : " class=\"path\"");
        m_out << '>' << text << "</td>";
    }

    void fact(std::string_view name, const std::string &value)
    {
        if (!value.empty())
            m_out << "<dt>" << name << "</dt><dd>" << html::escaped(value) << "</dd>";
    }

    /// A bar a message, as long as its tokens; many are put together.
    void strip()
    {
        constexpr std::size_t mostBars = 400;
        const std::vector<TranscriptEntry> &entries = m_transcript.entries;
        if (entries.size() < 2)
            return;
        const std::size_t together = entries.size() / mostBars + 1;
        m_out << "<div class=\"strip\" aria-hidden=\"true\">";
        for (std::size_t from = 0; from < entries.size();) {
            if (std::holds_alternative<TranscriptEvent>(entries[from])) {
                m_out << "<i></i>";
                ++from;
                continue;
            }
            const TranscriptMessage *largest = nullptr;
            std::int64_t tokens = 0;
            std::size_t to = from;
            for (; to < entries.size() && to < from + together; ++to) {
                const auto *one = std::get_if<TranscriptMessage>(&entries[to]);
                if (!one)
                    break;
                tokens += one->tokens;
                if (!largest || one->tokens > largest->tokens)
                    largest = one;
            }
            m_out << "<a class=\"" << kindOf(*largest->message) << (largest->inContext ? "" : " out")
                  << "\" style=\"flex-grow:" << std::max<std::int64_t>(1, tokens) << '"';
            if (const std::int64_t at = std::get<TranscriptMessage>(entries[from]).index; at >= 0)
                m_out << " href=\"#" << anchor(at) << '"';
            m_out << "></a>";
            from = to;
        }
        m_out << "</div>\n";
    }

    /// Of a raw place, unique in a page of several namespaces.
    [[nodiscard]] std::string anchor(std::int64_t index) const
    {
        return "m" + std::to_string(index)
            + (m_transcript.checkpointNs.empty() ? "" : "-" + html::escaped(m_transcript.checkpointNs));
    }

    static std::string_view kindOf(const Message &message)
    {
        return isSummary(message) ? std::string_view("summary") : typeName(message.kind);
    }

    /// `raw`: the card is where links to the place lead.
    void card(const TranscriptMessage &entry, bool raw)
    {
        const Message &message = *entry.message;
        m_out << "<article class=\"" << kindOf(message) << (entry.inContext ? "" : " out") << '"';
        if (raw && entry.index >= 0)
            m_out << " id=\"" << anchor(entry.index) << '"';
        m_out << "><h3>" << html::escaped(speaker(message)) << "<small>";
        if (entry.index >= 0)
            m_out << "<a href=\"#" << anchor(entry.index) << "\">#" << entry.index << "</a> · ";
        m_out << shortCount(entry.tokens) << (entry.tokens == 1 ? " token" : " tokens");
        if (!entry.time.empty()) {
            std::string time = entry.time.substr(0, 19);
            std::ranges::replace(time, 'T', ' ');
            m_out << " · " << html::escaped(time);
        }
        m_out << "</small>";
        if (!entry.inContext)
            m_out << "<small><em>out of context</em></small>";
        m_out << "</h3>";
    }

    void effective(const TranscriptMessage &one)
    {
        const Message &message = *one.message;
        card(one, false);
        if (message.kind == MessageKind::Tool)
            m_out << "<details><summary>Result</summary>";
        content(message, message.kind == MessageKind::Tool);
        if (message.kind == MessageKind::Tool)
            m_out << "</details>";
        for (const ToolCallView &call : toolCalls(message)) {
            openCall(call);
            m_out << "</details>";
        }
        m_out << "</article>\n";
    }

    /// The call with a glance at its arguments; <details> stays open.
    void openCall(const ToolCallView &call)
    {
        constexpr std::size_t glance = 90; // code points
        const std::string arguments = toJson(*call.args);
        const std::string_view head = text::head(arguments, glance);
        m_out << "<details class=\"call\"><summary>" << html::escaped(call.name) << " <span>" << html::escaped(head)
              << (head.size() < arguments.size() ? "…" : "") << "</span></summary>";
        if (head.size() < arguments.size())
            code(arguments, "JSON");
    }

    /// Long texts are folded: a page is to be read over.
    void folded(const std::string &text)
    {
        constexpr std::size_t longText = 3000; // code points
        constexpr std::size_t glance = 300;
        const bool fold = text.size() > longText && text::length(text) > longText;
        if (fold)
            m_out << "<details class=\"long\"><summary>" << html::escaped(text::head(text, glance)) << "… ("
                  << shortCount(static_cast<std::int64_t>(text::length(text))) << " characters)</summary>";
        m_out << "<div class=\"text\">" << html::escaped(text) << "</div>" << (fold ? "</details>" : "");
    }

    void content(const Message &message, bool asCode)
    {
        using Kind = ContentPiece::Kind;
        for (const ContentPiece &piece : contentPieces(message)) {
            switch (piece.kind) {
            case Kind::Text:
                if (asCode)
                    m_out << "<pre>" << html::escaped(piece.text) << "</pre>";
                else
                    folded(piece.text);
                break;
            case Kind::Reasoning:
                m_out << "<blockquote>" << html::escaped(piece.text) << "</blockquote>";
                break;
            case Kind::Image:
                m_out << "<img alt=\"" << html::escaped(piece.mime) << "\" src=\"" << html::escaped(piece.text)
                      << "\">";
                break;
            case Kind::File:
                m_out << "<p class=\"reference\"><a download href=\"" << html::escaped(piece.text) << "\">"
                      << html::escaped(piece.mime) << "</a></p>";
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

Result<void> writeOne(
    std::ostream &out, const Transcript &transcript, bool part, const WriteOptions &options, WriteProgress &progress)
{
    Writer writer(out, transcript, options);
    if (!part)
        writer.open();
    writer.head(part);
    if (!transcript.entries.empty())
        if (Result<void> done = writer.columns(progress); !done)
            return done;
    for (const TranscriptTable &table : transcript.tables)
        writer.table(table);
    writer.archives();
    return progress.step();
}

} // namespace

Result<void> writeHtml(
    std::ostream &out, const Transcript &transcript, const WriteOptions &options, const JobContext &job)
{
    std::size_t total = entryCount(transcript) + transcript.effective.size();
    for (const Transcript &part : transcript.parts)
        total += part.effective.size();
    WriteProgress progress(out, job, total);
    Result<void> done = writeOne(out, transcript, false, options, progress);
    for (const Transcript &part : transcript.parts)
        if (done)
            done = writeOne(out, part, true, options, progress);
    if (!done)
        return done;
    out << "<script>" << html::script() << "</script>\n</body></html>\n";
    return progress.step();
}

} // namespace palimpsest
