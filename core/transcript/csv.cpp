// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/writers.h"

namespace palimpsest {
namespace {

void writeCell(std::ostream &out, const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        out << text;
        return;
    }
    out << '"';
    for (const char c : text) {
        if (c == '"')
            out << '"';
        out << c;
    }
    out << '"';
}

void writeRow(std::ostream &out, const std::vector<std::string> &cells)
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0)
            out << ',';
        writeCell(out, cells[i]);
    }
    out << "\r\n";
}

Result<void> writeMessages(std::ostream &out, const Transcript &transcript, WriteProgress &progress)
{
    writeRow(
        out, {"index", "type", "name", "id", "tool_call_id", "tokens", "in_context", "time", "text", "tool_calls"});
    for (const TranscriptMessage *entry : messagesOf(transcript)) {
        const Message &message = *entry->message;
        writeRow(out,
            {entry->index < 0 ? "" : std::to_string(entry->index), message.type, message.name.value_or(""),
                message.id.value_or(""), message.toolCallId.value_or(""), std::to_string(entry->tokens),
                entry->inContext ? "true" : "false", entry->time, textOf(message), cellText(message.toolCalls)});
        if (Result<void> step = progress.step(); !step)
            return step;
    }
    return {};
}

} // namespace

Result<void> writeCsv(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    WriteProgress progress(out, job, transcript.entries.size());
    if (transcript.tables.empty())
        return writeMessages(out, transcript, progress);
    bool first = true;
    for (const TranscriptTable &table : transcript.tables) {
        if (!first)
            out << "\r\n";
        first = false;
        writeRow(out, table.columns);
        for (const auto &row : table.rows) {
            std::vector<std::string> cells;
            for (const Value &cell : row)
                cells.push_back(cellText(cell));
            writeRow(out, cells);
            if (Result<void> step = progress.step(); !step)
                return step;
        }
    }
    return {};
}

} // namespace palimpsest
