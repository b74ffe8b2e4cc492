// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/formats.h"

#include "core/compaction/stages/media.h"
#include "core/transcript/writers.h"
#include "core/values/json.h"

#include <array>

namespace palimpsest {
namespace {

constexpr std::array formats{
    FormatInfo{TranscriptFormat::Markdown, "markdown", "md", "Markdown"},
    FormatInfo{TranscriptFormat::Html, "html", "html", "HTML, self-contained"},
    FormatInfo{TranscriptFormat::Pdf, "pdf", "pdf", "PDF"},
    FormatInfo{TranscriptFormat::Json, "json", "json", "JSON"},
    FormatInfo{TranscriptFormat::JsonLines, "jsonl", "jsonl", "JSON lines of messages"},
    FormatInfo{TranscriptFormat::OpenAi, "openai", "openai.jsonl", "OpenAI chat JSONL"},
    FormatInfo{TranscriptFormat::LangChain, "langchain", "langchain.json", "LangChain messages_to_dict"},
    FormatInfo{TranscriptFormat::Csv, "csv", "csv", "Table (CSV)"},
    FormatInfo{TranscriptFormat::Bundle, "bundle", "palimpsest", "Bundle"},
};

bool isImage(std::string_view mime)
{
    return mime.starts_with("image/");
}

ContentPiece pieceOf(const Value &block)
{
    using Kind = ContentPiece::Kind;
    if (block.isText())
        return {Kind::Text, block.asText(), {}};
    const std::string &type = block["type"].asText();
    if (type == "text" && block["text"].isText())
        return {Kind::Text, block["text"].asText(), {}};
    for (const char *key : {"reasoning", "thinking"})
        if (block[key].isText())
            return {Kind::Reasoning, block[key].asText(), {}};
    if (const std::optional<std::string> url = extractDataUrl(block)) {
        const std::string mime = url->substr(5, url->find_first_of(";,") - 5);
        return {isImage(mime) ? Kind::Image : Kind::File, *url, mime};
    }
    const std::string &nested = block["image_url"]["url"].asText();
    const std::string &address = !nested.empty() ? nested
        : block["image_url"].isText()            ? block["image_url"].asText()
                                                 : block["url"].asText();
    if (!address.empty()) {
        // References as Deep Agents writes them name the kind only.
        const std::string &mime = block["mime_type"].asText();
        const bool isPicture = type == "image" || type == "image_url";
        return {Kind::Reference, address, mime.empty() && isPicture ? "image/*" : mime};
    }
    return {Kind::Other, toJson(block), {}};
}

} // namespace

std::span<const FormatInfo> transcriptFormats()
{
    return formats;
}

const FormatInfo *findFormat(std::string_view name)
{
    if (name == "messages_to_dict")
        name = "langchain";
    for (const FormatInfo &info : formats)
        if (info.name == name || info.extension == name)
            return &info;
    return nullptr;
}

Result<void> writeTranscript(std::ostream &out, const Transcript &transcript, TranscriptFormat format,
    const WriteOptions &options, const JobContext &job)
{
    switch (format) {
    case TranscriptFormat::Markdown:
        return writeMarkdown(out, transcript, job);
    case TranscriptFormat::Html:
        return writeHtml(out, transcript, options, job);
    case TranscriptFormat::Json:
        return writeTranscriptJson(out, transcript, job);
    case TranscriptFormat::JsonLines:
        return writeJsonLines(out, transcript, job);
    case TranscriptFormat::OpenAi:
        return writeOpenAi(out, transcript, job);
    case TranscriptFormat::LangChain:
        return writeLangChain(out, transcript, job);
    case TranscriptFormat::Csv:
        return writeCsv(out, transcript, job);
    case TranscriptFormat::Pdf:
    case TranscriptFormat::Bundle:
        break;
    }
    return failure(Error::Code::Unsupported, {}, "this format is not a text");
}

Result<void> WriteProgress::step()
{
    if (m_job.stopped())
        return failure(Error::Code::Cancelled, {}, "stopped");
    if (!m_out.good())
        return failure(Error::Code::Io, {}, "the file cannot be written in full; is the disk full?");
    const std::size_t before = m_done++ * 100 / (m_total + 1);
    if (const std::size_t now = m_done * 100 / (m_total + 1); now != before)
        m_job.report(static_cast<double>(now) / 100, "Writing");
    return {};
}

Result<void> needsMessages(const Transcript &transcript)
{
    if (transcript.tables.empty())
        return {};
    return failure(Error::Code::Unsupported, transcript.subject,
        "this is a table, and the format has messages only; choose csv, json, markdown, html or pdf");
}

std::size_t entryCount(const Transcript &transcript)
{
    std::size_t count = transcript.entries.size();
    for (const Transcript &part : transcript.parts)
        count += part.entries.size();
    return count;
}

std::vector<const TranscriptMessage *> messagesOf(const Transcript &transcript)
{
    std::vector<const TranscriptMessage *> out;
    for (const TranscriptEntry &entry : transcript.entries)
        if (const auto *message = std::get_if<TranscriptMessage>(&entry))
            out.push_back(message);
    return out;
}

std::string speaker(const Message &message)
{
    if (isSummary(message))
        return "Summary";
    switch (message.kind) {
    case MessageKind::Human:
        return "User";
    case MessageKind::Ai:
        return "Assistant";
    case MessageKind::Tool:
        return message.name ? "Tool · " + *message.name : "Tool";
    case MessageKind::System:
        return "System";
    case MessageKind::Remove:
    case MessageKind::Function:
    case MessageKind::Chat:
    case MessageKind::Other:
        break;
    }
    return message.type.empty() ? "Message" : message.type;
}

std::string cellText(const Value &cell)
{
    return cell.isNil() ? std::string() : cell.isText() ? cell.asText() : toJson(cell);
}

std::vector<ContentPiece> contentPieces(const Message &message)
{
    std::vector<ContentPiece> out;
    if (message.content.isText()) {
        if (!message.content.asText().empty())
            out.push_back({ContentPiece::Kind::Text, message.content.asText(), {}});
        return out;
    }
    for (const Value &block : message.content.asList()) {
        // These repeat what `tool_calls` says.
        const std::string &type = block["type"].asText();
        if (type == "tool_use" || type == "tool_call")
            continue;
        out.push_back(pieceOf(block));
    }
    return out;
}

} // namespace palimpsest
