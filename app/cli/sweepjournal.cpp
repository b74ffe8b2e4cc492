// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweepjournal.h"

#include "core/serde/json.h"
#include "core/values/json.h"

#include <filesystem>

namespace palimpsest {
namespace {

constexpr std::string_view format = "palimpsest.sweep-journal/1";

Value headOf(const SweepGrid &grid, const std::vector<SweepInput> &inputs)
{
    Value::List labels;
    for (const SweepInput &input : inputs)
        labels.emplace_back(input.label);
    return Value::map(
        {{"format", Value(format)}, {"grid", sweepGridToJson(grid)}, {"threads", Value(std::move(labels))}});
}

Value rowToValue(const SweepRow &row)
{
    const RunFigures &figures = row.figures;
    Value::List needles;
    for (const bool kept : figures.needles)
        needles.emplace_back(kept);
    return Value::map({{"events", Value(figures.events)}, {"calls", Value(figures.calls)},
        {"tokens_sent", Value(figures.tokensSent)}, {"summary_tokens", Value(figures.summaryTokens)},
        {"peak_tokens", Value(figures.peakTokens)}, {"tokens_kept_at_end", Value(figures.tokensKeptAtEnd)},
        {"summaries", Value(figures.summaries)}, {"cost", figures.cost ? Value(*figures.cost) : Value()},
        {"needles", Value(std::move(needles))}, {"unworkable", Value(row.unworkable)}, {"error", Value(row.error)}});
}

SweepRow rowFromValue(const Value &value)
{
    SweepRow row;
    RunFigures &figures = row.figures;
    figures.events = value["events"].asInt();
    figures.calls = value["calls"].asInt();
    figures.tokensSent = value["tokens_sent"].asInt();
    figures.summaryTokens = value["summary_tokens"].asInt();
    figures.peakTokens = value["peak_tokens"].asInt();
    figures.tokensKeptAtEnd = value["tokens_kept_at_end"].asInt();
    figures.summaries = value["summaries"].asInt();
    if (!value["cost"].isNil())
        figures.cost = value["cost"].asDouble();
    for (const Value &kept : value["needles"].asList())
        figures.needles.push_back(kept.asBool());
    row.unworkable = value["unworkable"].asText();
    row.error = value["error"].asText();
    return row;
}

} // namespace

Result<SweepJournal> SweepJournal::open(
    const std::string &path, const SweepGrid &grid, const std::vector<SweepInput> &inputs)
{
    SweepJournal journal;
    journal.m_known.resize(grid.size());
    const Value head = headOf(grid, inputs);
    std::error_code error;
    const bool fresh = !std::filesystem::exists(path, error) || std::filesystem::file_size(path, error) == 0;
    if (!fresh) {
        std::ifstream file(path);
        std::string line;
        const Result<Value> first = std::getline(file, line) ? parseJson(line) : Result<Value>(Value());
        if (!first || !(*first == head))
            return failure(Error::Code::Invalid, path,
                "is no journal of this grid over these threads; name another file, or remove it to begin anew");
        while (std::getline(file, line)) {
            // The last line of an interrupted run may be cut: its cell is simply done again.
            const Result<Value> cell = parseJson(line);
            if (!cell || !cell->isMap() || !(*cell)["cell"].isInt())
                continue;
            const auto place = static_cast<std::size_t>((*cell)["cell"].asInt());
            if (place >= journal.m_known.size() || (*cell)["threads"].asList().size() != inputs.size())
                continue;
            SweepCell known;
            known.values = grid.values(place);
            for (const Value &row : (*cell)["threads"].asList())
                known.threads.push_back(rowFromValue(row));
            journal.m_known[place] = std::move(known);
        }
    }
    journal.m_file.open(path, std::ios::app);
    if (!journal.m_file)
        return failure(Error::Code::Io, path, "cannot be written; name a file in a folder that can be");
    if (fresh)
        journal.m_file << toJson(head) << '\n' << std::flush;
    else
        journal.m_file << '\n'; // ends a line that was cut
    return journal;
}

void SweepJournal::add(std::size_t place, const SweepCell &cell)
{
    Value::List rows;
    for (const SweepRow &row : cell.threads)
        rows.push_back(rowToValue(row));
    m_file << toJson(
        Value::map({{"cell", Value(static_cast<std::int64_t>(place))}, {"threads", Value(std::move(rows))}}))
           << '\n'
           << std::flush;
}

} // namespace palimpsest
