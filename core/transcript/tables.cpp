// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/tables.h"

#include "core/base/text.h"
#include "core/insight/compare/comparison.h"
#include "core/insight/diff/diff.h"
#include "core/insight/trace/trace.h"
#include "core/thread/placecommand.h"
#include "core/values/json.h"
#include "core/values/severity.h"

#include <algorithm>
#include <format>

namespace palimpsest {
namespace {

constexpr std::size_t longestText = 400; // code points of a message in a cell

Value optionalValue(const auto &value)
{
    return value ? Value(*value) : Value();
}

Value textOrNil(std::string_view text)
{
    return text.empty() ? Value() : Value(text);
}

Value number(std::size_t count)
{
    return Value(static_cast<std::int64_t>(count));
}

std::string openCall(const TablePlace &place, CallNumber call)
{
    return placeCommand({place.source, place.threadId, place.space.name, {}, call.value, {}});
}

Value excerpt(const std::string &text)
{
    const std::string_view head = text::head(text, longestText);
    return Value(head.size() < text.size() ? std::string(head) + "…" : text);
}

Value list(const std::vector<std::string> &texts)
{
    Value::List out;
    for (const std::string &text : texts)
        out.emplace_back(text);
    return Value(std::move(out));
}

TranscriptTable figuresTable(const Comparison &comparison)
{
    TranscriptTable table{"Figures", {"figure"}, {}};
    for (std::size_t column = 0; column < Comparison::columnCount; ++column)
        if (comparison.columns[column])
            table.columns.emplace_back(comparison.shortNames[column]);
    table.columns.emplace_back("meaning");
    for (const ComparedFigure &figure : comparedFigures(comparison)) {
        std::vector<Value> row{Value(figure.name)};
        for (std::size_t column = 0; column < Comparison::columnCount; ++column) {
            if (!comparison.columns[column])
                continue;
            const std::optional<double> value = figure.values[column];
            row.push_back(!value          ? Value()
                    : figure.decimals > 0 ? Value(*value)
                                          : Value(static_cast<std::int64_t>(*value)));
        }
        row.emplace_back(figure.meaning);
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The number of a call, by its place in a run; nil when the run has none there.
Value numberOf(std::int32_t call, const TablePlace &place)
{
    return call < 0 ? Value() : Value(place.space.calls[static_cast<std::size_t>(call)].number.value);
}

/// What names the calls of a row: one number where both runs are of one thread, else one of each.
std::vector<Value> callCells(const CallDifference &call, const TablePlace &place, const TablePlace *other)
{
    if (other)
        return {numberOf(call.callA, place), numberOf(call.callB, *other)};
    return {numberOf(call.callA >= 0 ? call.callA : call.callB, place)};
}

std::vector<std::string> callColumns(const TablePlace *other)
{
    return other ? std::vector<std::string>{"call", "other_call"} : std::vector<std::string>{"call"};
}

template <class Added> void append(std::vector<Added> &row, std::vector<Added> more)
{
    row.insert(row.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

TranscriptTable callsTable(const Comparison &comparison, const TablePlace &place, const TablePlace *other)
{
    TranscriptTable table{"Calls that differ", callColumns(other), {}};
    append(table.columns,
        {std::format("only {}", comparison.shortNames[comparison.left]),
            std::format("only {}", comparison.shortNames[comparison.right]), "changed", "why", "open"});
    for (const CallDifference &call : comparison.calls) {
        if (!call.differs)
            continue;
        const bool elsewhere = other && call.callA < 0;
        const TablePlace &there = elsewhere ? *other : place;
        const Value number = numberOf(elsewhere || call.callA < 0 ? call.callB : call.callA, there);
        std::vector<Value> row = callCells(call, place, other);
        append(row,
            {Value(call.onlyA), Value(call.onlyB), Value(call.changed), Value(call.why),
                Value(openCall(there, CallNumber(number.asInt())))});
        table.rows.push_back(std::move(row));
    }
    return table;
}

TranscriptTable requestsTable(const Comparison &comparison, const TablePlace &place, const TablePlace *other)
{
    TranscriptTable table{"Messages that differ", callColumns(other), {}};
    append(table.columns, {"in", "place", "other_place", "type", "message_id", "text"});
    for (const CallDifference &call : comparison.calls) {
        if (!call.differs)
            continue;
        const std::vector<MessagePtr> left = requestAt(comparison, comparison.left, call.callA);
        const std::vector<MessagePtr> right = requestAt(comparison, comparison.right, call.callB);
        for (const RequestLine &line : diffRequests(left, right)) {
            if (line.kind == RequestLine::Kind::Same)
                continue;
            const bool onlyLeft = line.kind == RequestLine::Kind::OnlyA;
            const MessagePtr &stored =
                onlyLeft ? left[static_cast<std::size_t>(line.a)] : right[static_cast<std::size_t>(line.b)];
            const MessagePtr shown = place.shown ? place.shown(stored) : stored;
            const Message &message = *shown;
            const std::string in = line.kind == RequestLine::Kind::Changed
                ? std::string("both, changed")
                : std::format("only {}", comparison.shortNames[onlyLeft ? comparison.left : comparison.right]);
            const std::int64_t here = onlyLeft ? line.a : line.b;
            const std::int64_t there = onlyLeft ? -1 : line.a;
            std::vector<Value> row = callCells(call, place, other);
            append(row,
                {Value(in), Value(here), there >= 0 ? Value(there) : Value(), Value(message.type),
                    optionalValue(message.id), excerpt(textOf(message))});
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

/// "the [-old-]{+new+} text", common stretches shortened.
std::string marked(const std::vector<TextPiece> &pieces)
{
    constexpr std::size_t around = 60;
    std::string out;
    for (const TextPiece &piece : pieces) {
        if (piece.kind == DiffRun::Kind::Added)
            out += "{+" + piece.text + "+}";
        else if (piece.kind != DiffRun::Kind::Same)
            out += "[-" + piece.text + "-]";
        else if (text::length(piece.text) <= 2 * around)
            out += piece.text;
        else
            out.append(text::head(piece.text, around)).append(" … ").append(text::tail(piece.text, around));
    }
    return out;
}

/// Calls with the same places one after another, as numbers.
std::string calls(const TablePlace &place, std::size_t from, std::size_t to)
{
    const std::int64_t first = place.space.calls[from].number.value;
    const std::int64_t last = place.space.calls[to].number.value;
    return first == last ? std::format("call {}", first) : std::format("calls {} to {}", first, last);
}

/// A kind as a sentence says it.
std::string_view kindWords(TraceKind kind)
{
    switch (kind) {
    case TraceKind::NotYet:
        return "not there yet";
    case TraceKind::Verbatim:
        return "in the request, word for word";
    case TraceKind::ArgumentTruncated:
        return "in arguments that the request carries shortened";
    case TraceKind::StubPreview:
        return "in the preview of a stub";
    case TraceKind::File:
        return "only in a file";
    case TraceKind::Summary:
        return "in a summary, word for word";
    case TraceKind::Similar:
        return "a summary has something similar; its meaning is not verified";
    case TraceKind::Archive:
        return "only in the archive";
    case TraceKind::Nowhere:
        return "nowhere";
    }
    return {};
}

TranscriptTable placesTable(const Trace &trace, const TablePlace &place)
{
    TranscriptTable table{"Where it was",
        {"call", "task_id", "checkpoint_id", "where", "message_id", "path", "line", "section", "readable", "text",
            "summarizer_saw", "open"},
        {}};
    for (std::size_t i = 0; i < trace.calls.size(); ++i) {
        const Call &call = place.space.calls[i];
        for (const TracePlacePtr &found : trace.calls[i].where)
            table.rows.push_back({Value(call.number.value), textOrNil(call.taskId),
                call.checkpoint.isValid() ? Value(place.space.checkpoints[call.checkpoint.at()].id) : Value(),
                Value(traceKindName(found->kind)), optionalValue(found->messageId), textOrNil(found->path),
                found->line > 0 ? Value(found->line) : Value(), found->section ? number(*found->section + 1) : Value(),
                found->path.empty() ? Value() : Value(found->readable), textOrNil(found->text),
                optionalValue(trace.calls[i].summarizerSaw), Value(openCall(place, call.number))});
    }
    return table;
}

TranscriptTable lossesTable(const Trace &trace, const TablePlace &place)
{
    TranscriptTable table{
        "What took it away", {"call", "stage", "setting", "message_id", "blame", "why", "seen_again_at", "open"}, {}};
    for (const TraceLoss &loss : trace.losses) {
        const CallNumber at = place.space.calls[loss.call].number;
        table.rows.push_back({Value(at.value), Value(loss.stage), textOrNil(loss.setting),
            optionalValue(loss.messageId), textOrNil(blameName(loss.blame)), Value(loss.why),
            loss.regained >= 0 ? Value(place.space.calls[static_cast<std::size_t>(loss.regained)].number.value)
                               : Value(),
            Value(openCall(place, at))});
    }
    return table;
}

TranscriptTable keepsTable(const Trace &trace, const TablePlace &place)
{
    TranscriptTable table{"What would have kept it", {"from_call", "to_call", "setting", "from", "to", "smallest"}, {}};
    for (const KeepsIt &kept : trace.keepsIt)
        table.rows.push_back(
            {Value(place.space.calls[kept.fromCall].number.value), Value(place.space.calls[kept.toCall].number.value),
                Value(kept.setting), kept.from, kept.to, Value(kept.smallest)});
    return table;
}

TranscriptTable termsTable(const Trace &trace, const TablePlace &place)
{
    TranscriptTable table{"Its terms", {"term", "kind", "window"}, {}};
    for (const std::size_t call : trace.summaries)
        table.columns.push_back(std::format("summary of call {}", place.space.calls[call].number.value));
    table.columns.emplace_back("archive");
    for (const TermSurvival &term : trace.survival) {
        std::vector<Value> row{Value(term.term.text), Value(termKindName(term.term.kind)), Value(term.window)};
        for (const bool held : term.summaries)
            row.emplace_back(held);
        row.emplace_back(term.archive);
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

TranscriptTable findingsTable(
    const std::vector<Finding> &findings, const std::string &source, const std::string &threadId)
{
    TranscriptTable table{"Findings",
        {"severity", "rule", "message", "checkpoint_ns", "checkpoint_id", "message_id", "block", "path", "open"}, {}};
    for (const Finding &finding : findings)
        table.rows.push_back({Value(severityName(finding.severity)), Value(finding.rule), Value(finding.message),
            Value(finding.checkpointNs), Value(finding.checkpointId), optionalValue(finding.messageId),
            optionalValue(finding.block), optionalValue(finding.path),
            Value(placeCommand({source, threadId, finding.checkpointNs, finding.checkpointId, std::nullopt,
                finding.messageId.value_or("")}))});
    return table;
}

std::vector<TranscriptTable> comparisonTables(
    const Comparison &comparison, const TablePlace &place, const TablePlace *other)
{
    return {figuresTable(comparison), callsTable(comparison, place, other), requestsTable(comparison, place, other)};
}

std::vector<std::string> comparisonNotes(const Comparison &comparison)
{
    std::vector<std::string> notes;
    const auto differing = std::ranges::count(comparison.calls, true, &CallDifference::differs);
    notes.push_back(std::format("{} of {} calls differ between {} and {}.", differing, comparison.calls.size(),
        comparison.names[comparison.left], comparison.names[comparison.right]));
    for (const std::string &rule : comparison.rules)
        notes.push_back("Between the two dialects: " + rule);
    return notes;
}

std::vector<TranscriptTable> diffTables(const DiffSide &a, const DiffSide &b, const Diff &diff)
{
    TranscriptTable messages{
        "Messages that differ", {"change", a.name, b.name, "type", "message_id", "members", "text", "tool_calls"}, {}};
    for (const MessageDiff &message : diff.messages) {
        if (message.change == DiffChange::Same)
            continue;
        const Message &any = message.after ? *message.after : *message.before;
        const bool changed = message.change == DiffChange::Changed;
        messages.rows.push_back({Value(changeName(message.change)), message.a >= 0 ? Value(message.a) : Value(),
            message.b >= 0 ? Value(message.b) : Value(), Value(any.type), optionalValue(any.id),
            changed ? list(message.members) : Value(), changed ? Value(marked(message.text)) : excerpt(textOf(any)),
            changed ? textOrNil(marked(message.arguments)) : Value()});
    }
    std::vector<TranscriptTable> tables{std::move(messages)};
    if (!diff.channels.empty()) {
        TranscriptTable channels{"Channels that differ", {"name", "change", a.name, b.name}, {}};
        for (const ChannelDiff &channel : diff.channels)
            channels.rows.push_back(
                {Value(channel.name), Value(changeName(channel.change)), channel.before, channel.after});
        tables.push_back(std::move(channels));
    }
    if (!diff.files.empty()) {
        TranscriptTable files{
            "Files that differ", {"path", "change", a.name + ", bytes", b.name + ", bytes", "text"}, {}};
        for (const FileDiff &file : diff.files)
            files.rows.push_back({Value(file.path), Value(changeName(file.change)), Value(file.before),
                Value(file.after), textOrNil(marked(file.text))});
        tables.push_back(std::move(files));
    }
    return tables;
}

std::vector<std::string> diffNotes(const DiffSide &a, const DiffSide &b, const Diff &diff)
{
    return {std::format("{}: {} messages; {}: {} messages.", a.name, a.messages.size(), b.name, b.messages.size()),
        diff.isEmpty()
            ? std::string("Nothing differs.")
            : std::format("{} messages are the same, {} changed, {} added, {} removed, {} moved.",
                  diff.count(DiffChange::Same), diff.count(DiffChange::Changed), diff.count(DiffChange::Added),
                  diff.count(DiffChange::Removed), diff.count(DiffChange::Moved))};
}

std::vector<TranscriptTable> traceTables(const Trace &trace, const TablePlace &place)
{
    std::vector<TranscriptTable> tables{placesTable(trace, place), lossesTable(trace, place)};
    if (!trace.keepsIt.empty())
        tables.push_back(keepsTable(trace, place));
    if (!trace.survival.empty())
        tables.push_back(termsTable(trace, place));
    return tables;
}

std::vector<std::string> traceNotes(const Trace &trace, const TablePlace &place)
{
    if (!trace.found)
        return {"It is nowhere in this namespace: in no message, file or summary."};
    std::vector<std::string> notes;
    for (std::size_t from = 0; from < trace.calls.size();) {
        std::size_t to = from;
        const TraceKind kind = trace.calls[from].where.front()->kind;
        while (to + 1 < trace.calls.size() && trace.calls[to + 1].where.front()->kind == kind)
            ++to;
        notes.push_back(std::format("{}: {}.", calls(place, from, to), kindWords(kind)));
        from = to + 1;
    }
    if (trace.lostAt)
        notes.push_back(std::format("Lost at call {}: {}{}. {}", place.space.calls[trace.lostAt->call].number.value,
            trace.lostAt->stage, trace.lostAt->setting.empty() ? "" : " (" + trace.lostAt->setting + ")",
            trace.lostAt->why));
    // Of the call that lost it; the table has those behind it.
    for (const KeepsIt &kept : trace.keepsIt)
        if (trace.lostAt && kept.fromCall == trace.lostAt->call)
            notes.push_back(
                std::format("Would have kept it at {}, if the agent had acted the same: {} {} instead of {}.",
                    calls(place, kept.fromCall, kept.toCall), kept.setting, toJson(kept.to), toJson(kept.from)));
    if (const auto &recovery = trace.recovery) {
        if (!recovery->checkpointId.empty())
            notes.push_back(std::format("The raw log has it whole: checkpoint {}, message {}.", recovery->checkpointId,
                recovery->messageId.value_or("without id")));
        if (!recovery->path.empty())
            notes.push_back("The agent could read it again: " + recovery->readFile());
    }
    return notes;
}

} // namespace palimpsest
