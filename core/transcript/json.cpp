// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/json.h"
#include "core/base/base64.h"
#include "core/transcript/writers.h"

#include <utility>

namespace palimpsest {
namespace {

Value textOrNil(const std::string &text)
{
    return text.empty() ? Value() : Value(text);
}

/// The message without what is empty, except for its content: readers expect that member.
Value messageValue(const Message &message)
{
    return messageToValue(message, true).with("content", message.content);
}

/// `place`: of its body in "messages".
Value entryValue(const TranscriptMessage &entry, std::int64_t place)
{
    return Value::map({{"kind", Value("message")}, {"index", entry.index < 0 ? Value() : Value(entry.index)},
        {"tokens", Value(entry.tokens)}, {"in_context", Value(entry.inContext)}, {"time", textOrNil(entry.time)},
        {"place", Value(place)}});
}

Value eventValue(const TranscriptEvent &event)
{
    return Value::map({{"kind", Value("event")}, {"number", Value(event.number)},
        {"origin", Value(originName(event.origin))}, {"line", Value(eventLine(event))},
        {"checkpoint_id", textOrNil(event.checkpointId)}, {"tokens_before", Value(event.tokensBefore)},
        {"tokens_after", Value(event.tokensAfter)}, {"messages", Value(event.messages)},
        {"cutoff_index", Value(event.cutoff)}, {"file_path", event.archive ? Value(*event.archive) : Value()},
        {"section", event.section > 0 ? Value(event.section) : Value()},
        {"summary_message", event.summary ? messageValue(*event.summary) : Value()}});
}

Value tableValue(const TranscriptTable &table)
{
    Value::List columns;
    for (const std::string &column : table.columns)
        columns.emplace_back(column);
    Value::List rows;
    for (const auto &row : table.rows)
        rows.emplace_back(Value::List(row.begin(), row.end()));
    return Value::map(
        {{"title", Value(table.title)}, {"columns", Value(std::move(columns))}, {"rows", Value(std::move(rows))}});
}

Value fileValue(const TranscriptFile &file)
{
    const bool archive = file.kind == TranscriptFile::Kind::Archive;
    return Value::map(
        {{"kind", Value(archive ? "archive" : "media")}, {"path", textOrNil(file.path)}, {"name", Value(file.name)},
            {"mime_type", textOrNil(file.mime)}, {"encoding", Value(archive ? "utf-8" : "base64")},
            {"content", Value(archive ? file.bytes : base64::encode(file.bytes))}});
}

/// Writes the members of an array, one a line.
class Array {
public:
    Array(std::ostream &out, std::string_view name)
        : m_out(out)
    {
        m_out << ",\n\"" << name << "\": [";
    }
    void add(const Value &value)
    {
        m_out << (m_first ? "\n" : ",\n") << toJson(value);
        m_first = false;
    }
    void end() { m_out << ']'; }

private:
    std::ostream &m_out;
    bool m_first = true;
};

Value langChainValue(const Message &message)
{
    Value data = messageToValue(message);
    if (message.kind == MessageKind::Tool && message.status.empty())
        data = data.with("status", Value("success")); // the model's own default; an empty one would not load
    return Value::map({{"type", Value(message.type)}, {"data", std::move(data)}});
}

/// One namespace as an object that is not closed yet. `format` stands in the outer one only.
Result<void> writeOpen(std::ostream &out, const Transcript &t, bool part, WriteProgress &progress)
{
    Value::List notes;
    for (const std::string &note : t.notes)
        notes.emplace_back(note);
    Value::Map head;
    if (!part)
        head.emplace_back(Value("format"), Value("palimpsest.transcript/1"));
    for (auto &[key, value] : std::initializer_list<std::pair<const char *, Value>>{{"subject", Value(t.subject)},
             {"title", textOrNil(t.title)}, {"source", Value(t.source)}, {"thread_id", Value(t.threadId)},
             {"checkpoint_ns", Value(t.checkpointNs)}, {"checkpoint_id", textOrNil(t.checkpointId)},
             {"model", textOrNil(t.model)}, {"certainty", Value(certaintyName(t.certainty))}, {"known", Value(t.known)},
             {"assumes", textOrNil(t.assumes)}, {"open", Value(t.place)}, {"settings", t.settings},
             {"metadata", t.metadata}, {"notes", Value(std::move(notes))}})
        head.emplace_back(Value(key), value);
    std::string opened = toJson(Value(std::move(head)));
    opened.pop_back();
    out << opened;
    // For whoever reads messages only: the same bodies, in order, without the events between them.
    Array messages(out, "messages");
    for (const TranscriptMessage *message : messagesOf(t)) {
        messages.add(messageValue(*message->message));
        if (Result<void> step = progress.step(); !step)
            return step;
    }
    messages.end();
    Array entries(out, "entries");
    std::int64_t place = 0;
    for (const TranscriptEntry &entry : t.entries) {
        if (const auto *event = std::get_if<TranscriptEvent>(&entry))
            entries.add(eventValue(*event));
        else
            entries.add(entryValue(std::get<TranscriptMessage>(entry), place++));
    }
    entries.end();
    Array effective(out, "effective");
    for (const TranscriptMessage &message : t.effective)
        effective.add(messageValue(*message.message));
    effective.end();
    Array tables(out, "tables");
    for (const TranscriptTable &table : t.tables)
        tables.add(tableValue(table));
    tables.end();
    Array files(out, "files");
    for (const TranscriptFile &file : t.files)
        files.add(fileValue(file));
    files.end();
    return progress.step();
}

} // namespace

Result<void> writeTranscriptJson(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    WriteProgress progress(out, job, entryCount(transcript));
    if (Result<void> done = writeOpen(out, transcript, false, progress); !done)
        return done;
    out << ",\n\"namespaces\": [";
    bool first = true;
    for (const Transcript &part : transcript.parts) {
        out << (std::exchange(first, false) ? "\n" : ",\n");
        if (Result<void> done = writeOpen(out, part, true, progress); !done)
            return done;
        out << '}';
    }
    out << "]}\n";
    return progress.step();
}

Result<void> writeJsonLines(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    if (Result<void> fits = needsMessages(transcript); !fits)
        return fits;
    WriteProgress progress(out, job, transcript.entries.size());
    for (const TranscriptMessage *message : messagesOf(transcript)) {
        out << toJson(messageValue(*message->message)) << '\n';
        if (Result<void> step = progress.step(); !step)
            return step;
    }
    return progress.step();
}

Result<void> writeLangChain(std::ostream &out, const Transcript &transcript, const JobContext &job)
{
    if (Result<void> fits = needsMessages(transcript); !fits)
        return fits;
    WriteProgress progress(out, job, transcript.entries.size());
    out << '[';
    bool first = true;
    for (const TranscriptMessage *message : messagesOf(transcript)) {
        out << (first ? "\n" : ",\n") << toJson(langChainValue(*message->message));
        first = false;
        if (Result<void> step = progress.step(); !step)
            return step;
    }
    out << "]\n";
    return progress.step();
}

} // namespace palimpsest
