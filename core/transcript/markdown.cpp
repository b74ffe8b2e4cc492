// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/links.h"
#include "core/transcript/writers.h"
#include "core/values/json.h"
#include "core/values/prettyjson.h"

#include <algorithm>
#include <format>

namespace palimpsest {
namespace {

/// A fence longer than any run of backticks inside.
std::string fenceFor(std::string_view code)
{
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : code) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(std::max<std::size_t>(3, longest + 1), '`');
}

void writeCode(std::ostream &out, std::string_view code, std::string_view syntax)
{
    const std::string fence = fenceFor(code);
    out << fence << syntax << '\n' << code << (code.ends_with('\n') ? "" : "\n") << fence << "\n\n";
}

/// Text that begins no HTML and no heading by accident: users write both into messages.
std::string escapedLine(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '|')
            out += "\\|";
        else if (c == '\n' || c == '\r')
            out += ' ';
        else
            out += c;
    }
    return out;
}

/// Bytes of the run of this character at `at`.
std::size_t runAt(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end < text.size() && text[end] == text[at])
        ++end;
    return end - at;
}

/// One line outside of fences: tags show as they were written, but for code.
void writeProse(std::ostream &out, std::string_view line)
{
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '<') {
            out << "&lt;";
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        if (line[at] == '`') {
            const std::size_t run = runAt(line, at);
            const std::size_t close = line.find(std::string(run, '`'), at + run);
            end = close == std::string_view::npos ? at + run : close + run;
        }
        out << line.substr(at, end - at);
        at = end;
    }
}

/// What somebody said, as Markdown that stays within its message: no tag of it closes a <details>, no heading of it
/// stands beside those of the transcript.
void writeText(std::ostream &out, std::string_view text)
{
    std::string fence; // that is open
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string_view line = text.substr(from, end - from);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const std::string_view body = line.substr(indent);
        const bool mark = indent < 4 && (body.starts_with("```") || body.starts_with("~~~"));
        const std::size_t run = mark ? runAt(body, 0) : 0;
        const bool closes = mark && !fence.empty() && body[0] == fence[0] && run >= fence.size()
            && body.find_first_not_of(" \r", run) == std::string_view::npos;
        if (!fence.empty() || mark) {
            out << line;
            if (closes)
                fence.clear();
            else if (fence.empty())
                fence = std::string(body.substr(0, run));
        } else {
            if (indent < 4 && body.starts_with('#') && runAt(body, 0) < 6
                && body.substr(runAt(body, 0)).starts_with(' '))
                out << std::string(6 - runAt(body, 0) < 3 ? 6 - runAt(body, 0) : 3, '#');
            writeProse(out, line);
        }
        out << '\n';
        from = end + 1;
    }
    if (!fence.empty())
        out << fence << '\n'; // one that was never closed must not swallow what follows
    out << '\n';
}

class Writer {
public:
    Writer(std::ostream &out, const Transcript &transcript)
        : m_out(out)
        , m_transcript(transcript)
    {
    }

    /// `part`: of a further namespace.
    void head(bool part)
    {
        const Transcript &t = m_transcript;
        m_out << (part ? "---\n\n# Subagent: " : "# ") << escapedLine(t.title.empty() ? t.threadId : t.title) << "\n\n";
        m_out << "- **" << escapedLine(t.subject) << "**\n";
        m_out << "- Thread: `" << t.threadId << '`';
        if (!t.checkpointNs.empty())
            m_out << ", namespace `" << t.checkpointNs << '`';
        if (!t.checkpointId.empty())
            m_out << ", checkpoint `" << t.checkpointId << '`';
        m_out << '\n';
        if (!t.model.empty())
            m_out << "- Model: " << escapedLine(t.model) << '\n';
        m_out << "- How this is known: " << t.known << '\n';
        if (!t.assumes.empty())
            m_out << "- What-if: assumes " << t.assumes << ".\n";
        m_out << "- Open: `" << t.place << "`\n\n";
        if (!t.settings.isNil()) {
            m_out << "Settings:\n\n";
            writeCode(m_out, prettyJson(t.settings), "json");
        }
        for (const std::string &note : t.notes)
            m_out << "- " << escapedLine(note) << '\n';
        if (!t.notes.empty())
            m_out << '\n';
    }

    void message(const TranscriptMessage &entry)
    {
        const Message &message = *entry.message;
        m_out << "### " << escapedLine(speaker(message));
        if (!entry.inContext)
            m_out << " · out of context";
        m_out << "\n\n";
        content(message);
        std::vector<bool> shown(entry.results.size());
        for (const ToolCallView &call : toolCalls(message)) {
            m_out << "<details><summary>" << escapedLine(call.name) << "</summary>\n\n";
            writeCode(m_out, toJson(*call.args), "json");
            for (std::size_t i = 0; i < entry.results.size(); ++i) {
                const auto &result = std::get<TranscriptMessage>(m_transcript.entries[entry.results[i]]);
                if (shown[i] || result.message->toolCallId != std::string(call.id))
                    continue;
                shown[i] = true;
                m_out << (result.message->status == "error" ? "Result (error):\n\n" : "Result:\n\n");
                content(*result.message, true);
            }
            m_out << "</details>\n\n";
        }
        for (const Value &invalid : message.invalidToolCalls.asList()) {
            m_out << "Invalid tool call:\n\n";
            writeCode(m_out, toJson(invalid), "json");
        }
    }

    void event(const TranscriptEvent &event)
    {
        m_out << "---\n\n**" << eventLine(event) << "**";
        if (event.archive)
            m_out << " · `" << *event.archive << '`';
        m_out << "\n\n";
        if (event.summary) {
            m_out << "<details><summary>Summary</summary>\n\n";
            content(*event.summary);
            m_out << "</details>\n\n";
        }
        m_out << "---\n\n";
    }

    void table(const TranscriptTable &table)
    {
        m_out << "## " << table.title << "\n\n";
        if (table.rows.empty()) {
            m_out << "None.\n\n";
            return;
        }
        m_out << '|';
        for (const std::string &column : table.columns)
            m_out << ' ' << escapedLine(column) << " |";
        m_out << "\n|";
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            m_out << "---|";
        m_out << '\n';
        for (const auto &row : table.rows) {
            m_out << '|';
            for (const Value &cell : row)
                m_out << ' ' << escapedLine(cellText(cell)) << " |";
            m_out << '\n';
        }
        m_out << '\n';
    }

    void archives()
    {
        for (const TranscriptFile &file : m_transcript.files) {
            if (file.kind != TranscriptFile::Kind::Archive)
                continue;
            m_out << "## Archive `" << file.path << "`\n\n";
            writeCode(m_out, file.bytes, "xml");
            for (const std::string &path : mediaPaths(file.bytes))
                if (const TranscriptFile *medium = archivedMedium(m_transcript, path))
                    m_out << (medium->mime.starts_with("image/") ? "!" : "") << '[' << medium->path << "](<"
                          << addressOf(*medium) << ">)\n\n";
        }
    }

private:
    void content(const Message &message, bool asCode = false)
    {
        using Kind = ContentPiece::Kind;
        for (const ContentPiece &piece : contentPieces(message)) {
            switch (piece.kind) {
            case Kind::Text:
                if (asCode)
                    writeCode(m_out, piece.text, "");
                else
                    writeText(m_out, piece.text);
                break;
            case Kind::Reasoning:
                m_out << "> " << escapedLine(piece.text) << "\n\n";
                break;
            case Kind::Image:
                m_out << "![" << piece.mime << "](" << piece.text << ")\n\n";
                break;
            case Kind::File:
            case Kind::Reference:
                // A link that is followed only when somebody clicks it: nothing is fetched by looking.
                m_out << "[" << (piece.mime.empty() ? "medium" : piece.mime) << "](<" << piece.text << ">)\n\n";
                break;
            case Kind::Other:
                writeCode(m_out, piece.text, "json");
                break;
            }
        }
    }

    std::ostream &m_out;
    const Transcript &m_transcript;
};

Result<void> writeOne(std::ostream &out, const Transcript &transcript, bool part, WriteProgress &progress)
{
    Writer writer(out, transcript);
    writer.head(part);
    for (const TranscriptEntry &entry : transcript.entries) {
        if (const auto *event = std::get_if<TranscriptEvent>(&entry))
            writer.event(*event);
        else if (const auto &message = std::get<TranscriptMessage>(entry); !message.paired)
            writer.message(message);
        if (Result<void> step = progress.step(); !step)
            return step;
    }
    for (const TranscriptTable &table : transcript.tables)
        writer.table(table);
    writer.archives();
    return progress.step();
}

} // namespace

Result<void> writeMarkdown(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    WriteProgress progress(out, job, entryCount(transcript));
    Result<void> done = writeOne(out, transcript, false, progress);
    for (const Transcript &part : transcript.parts)
        if (done)
            done = writeOne(out, part, true, progress);
    return done;
}

} // namespace palimpsest
