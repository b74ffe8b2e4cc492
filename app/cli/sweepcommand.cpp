// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweepcommand.h"

#include "app/cli/cli.h"
#include "app/cli/jsonoutput.h"
#include "app/cli/settingsfile.h"
#include "app/cli/sourceargument.h"
#include "app/cli/sweepjournal.h"
#include "core/compaction/threadartifacts.h"
#include "core/serde/json.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

struct NamedFigure {
    const char *name;
    std::int64_t RunFigures::*figure;
};
constexpr std::array<NamedFigure, 7> figureNames{{
    {"events", &RunFigures::events},
    {"calls", &RunFigures::calls},
    {"tokens_sent", &RunFigures::tokensSent},
    {"summary_tokens", &RunFigures::summaryTokens},
    {"peak_tokens", &RunFigures::peakTokens},
    {"tokens_kept_at_end", &RunFigures::tokensKeptAtEnd},
    {"summaries", &RunFigures::summaries},
}};

void writeFigures(JsonOutput &json, const RunFigures &figures, const std::vector<std::string> &needles)
{
    for (const NamedFigure &one : figureNames)
        json.key(one.name).number(figures.*(one.figure));
    json.key("cost");
    json.number(figures.cost);
    json.key("needles").beginObject();
    for (std::size_t i = 0; i < needles.size(); ++i)
        json.key(needles[i]).boolean(i < figures.needles.size() && figures.needles[i]);
    json.endObject();
}

void writeSpread(JsonOutput &json, const SweepCell &cell, const std::vector<std::string> &labels)
{
    json.key("spread").beginObject();
    const auto write = [&](const char *name, const std::function<double(const RunFigures &)> &figure) {
        const Spread spread = cell.spread(figure);
        json.key(name).beginObject().key("median").number(spread.median).key("p90").number(spread.p90);
        json.key("worst").number(spread.worst).key("worst_thread").text(labels[spread.worstThread]).endObject();
    };
    for (const NamedFigure &one : figureNames)
        write(one.name, [&](const RunFigures &figures) { return static_cast<double>(figures.*(one.figure)); });
    write("cost", [](const RunFigures &figures) { return figures.cost.value_or(0); });
    json.endObject();
}

void writeRow(JsonOutput &json, const SweepResult &result, const SweepCell &cell)
{
    json.newline().beginObject().key("values").beginArray();
    for (const Value &value : cell.values)
        json.value(value);
    json.endArray();
    writeFigures(json, cell.total(), result.grid.needles);
    json.key("unworkable").textOrNull(cell.unworkable()).key("error").textOrNull(cell.error());
    json.key("pareto").boolean(cell.onFront);
    if (cell.threads.size() > 1) {
        writeSpread(json, cell, result.labels);
        json.key("threads").beginArray();
        for (std::size_t i = 0; i < cell.threads.size(); ++i) {
            json.beginObject().key("thread").text(result.labels[i]);
            writeFigures(json, cell.threads[i].figures, result.grid.needles);
            json.key("unworkable").textOrNull(cell.threads[i].unworkable);
            json.key("error").textOrNull(cell.threads[i].error).endObject();
        }
        json.endArray();
    }
    json.endObject();
}

std::string csvField(const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string decimal(double number)
{
    std::string text;
    writeJsonFloat(text, number);
    return text;
}

void writeCsv(std::ostream &out, const SweepResult &result)
{
    for (const SweepAxis &axis : result.grid.axes)
        out << csvField(axis.key) << ',';
    for (const NamedFigure &one : figureNames)
        out << one.name << ',';
    out << "cost,";
    for (const std::string &needle : result.grid.needles)
        out << csvField("needle: " + needle) << ',';
    out << "pareto,unworkable,error\r\n";
    for (const SweepCell &cell : result.cells) {
        const RunFigures total = cell.total();
        for (const Value &value : cell.values)
            out << csvField(value.isText() ? value.asText() : toJson(value)) << ',';
        for (const NamedFigure &one : figureNames)
            out << total.*(one.figure) << ',';
        out << (total.cost ? decimal(*total.cost) : std::string()) << ',';
        for (const bool kept : total.needles)
            out << (kept ? "true," : "false,");
        out << (cell.onFront ? "true," : "false,") << csvField(cell.unworkable()) << ',' << csvField(cell.error())
            << "\r\n";
    }
}

} // namespace

void SweepCommand::declare(CLI::App &app)
{
    app.add_option("SOURCE", m_sources, "Databases, files, folders or URIs")->required();
    app.add_option("--grid", m_grid, "Grid file: base settings, axes and needles")->required();
    app.add_option("--thread", m_thread, "Only this thread of each source");
    app.add_option("--ns", m_ns, "Namespace instead of the root");
    m_files.declareFiles(app);
    app.add_option("--resume", m_resume, "File that keeps what is done; an interrupted sweep goes on from it");
    app.add_option("--summaries", m_summaries, "Where summaries come from: recorded, extractive or fixed");
    app.add_option("--jobs", m_jobs, "Threads of this machine to use; 0: one a core");
    app.add_flag("--csv", m_csv, "Comma separated values");
    app.add_flag("--json", m_json, "One JSON document");
}

Result<SweepGrid> SweepCommand::readGrid() const
{
    const Result<std::string> bytes = readFile(m_grid);
    if (!bytes)
        return tl::unexpected(bytes.error());
    const Result<Value> json = parseJson(*bytes);
    if (!json)
        return failure(json.error().code, m_grid + ": " + json.error().where, json.error().what);
    Result<SweepGrid> grid = sweepGridFromJson(*json);
    if (!grid)
        return failure(grid.error().code, m_grid + ": " + grid.error().where, grid.error().what);
    return grid;
}

Result<void> SweepCommand::addThreads(
    const std::string &location, std::vector<SweepInput> &inputs, Console &console) const
{
    const SourceArgument argument = SourceArgument::of(location, m_thread, m_ns);
    auto source = argument.open();
    if (!source)
        return tl::unexpected(source.error());
    const Result<std::vector<ArtifactFolder>> folders = m_files.folders(**source, console.job());
    if (!folders)
        return tl::unexpected(folders.error());
    std::vector<std::string> ids;
    if (!m_thread.empty()) {
        auto id = argument.threadId(**source, console.job());
        if (!id)
            return tl::unexpected(id.error());
        ids.push_back(std::move(*id));
    } else {
        const auto rows = (*source)->threads(console.job());
        if (!rows)
            return tl::unexpected(rows.error());
        for (const ThreadRow &row : *rows)
            ids.push_back(row.id);
    }
    for (const std::string &id : ids) {
        const auto thread = loadThread(**source, id, {}, console.job());
        if (!thread)
            return tl::unexpected(thread.error());
        const ThreadNamespace *space = (*thread)->find(m_ns);
        if (!space || space->calls.empty()) {
            console.message(location + ": thread " + id + " holds no model call in this namespace and is left out");
            continue;
        }
        const ArtifactReader artifacts = threadArtifacts(*thread, m_ns, *folders);
        inputs.push_back({location + ": " + id, ReplayInput::make(*thread, m_ns, artifacts)});
    }
    return {};
}

void SweepCommand::print(Console &console, const SweepResult &result) const
{
    std::ostream &out = console.out();
    if (m_csv) {
        writeCsv(out, result);
        return;
    }
    if (m_json) {
        JsonOutput json(out);
        json.beginObject().key("format").text("palimpsest.sweep/1");
        json.key("assumes").text("the agent would have acted the same").key("axes").beginArray();
        for (const SweepAxis &axis : result.grid.axes)
            json.text(axis.key);
        json.endArray().key("threads").beginArray();
        for (const std::string &label : result.labels)
            json.text(label);
        json.endArray().newline().key("rows").beginArray();
        for (const SweepCell &cell : result.cells)
            writeRow(json, result, cell);
        json.endArray().endObject().newline();
        json.flush();
        return;
    }
    for (const SweepCell &cell : result.cells) {
        const RunFigures total = cell.total();
        out << (cell.onFront ? "* " : "  ");
        for (std::size_t i = 0; i < cell.values.size(); ++i)
            out << (i > 0 ? ", " : "") << result.grid.axes[i].key << ' ' << toJson(cell.values[i]);
        out << ": " << total.events << " events, " << total.tokensSent << " tokens sent, peak " << total.peakTokens;
        if (total.cost)
            out << ", cost " << decimal(*total.cost);
        if (!total.needles.empty())
            out << ", " << total.needles.size() - static_cast<std::size_t>(total.needlesLost()) << " of "
                << total.needles.size() << " needles kept";
        if (!cell.error().empty())
            out << " (" << cell.error() << ')';
        else if (!cell.unworkable().empty())
            out << " (" << cell.unworkable() << ')';
        out << '\n';
    }
    out << "* no other setting is better in price, events or needles without being worse in another\n";
}

Result<int> SweepCommand::run(Console &console)
{
    const auto summaries = summarySourceNamed(m_summaries, false);
    if (!summaries)
        return tl::unexpected(summaries.error());
    const auto grid = readGrid();
    if (!grid)
        return tl::unexpected(grid.error());
    std::vector<SweepInput> inputs;
    for (const std::string &location : m_sources) {
        if (const auto added = addThreads(location, inputs, console); !added)
            return tl::unexpected(added.error());
    }
    if (inputs.empty())
        return failure(Error::Code::NotFound, "sweep", "no thread of the sources holds a model call to replay");
    SweepOptions options;
    options.summaries = *summaries;
    options.workers = m_jobs;
    std::optional<SweepJournal> journal;
    if (!m_resume.empty()) {
        auto opened = SweepJournal::open(m_resume, *grid, inputs);
        if (!opened)
            return tl::unexpected(opened.error());
        journal.emplace(std::move(*opened));
        options.known = journal->known();
        options.finished = [&](std::size_t place, const SweepCell &cell) { journal->add(place, cell); };
    }
    const auto result = sweep(*grid, inputs, options, console.job());
    if (!result)
        return tl::unexpected(result.error());
    const auto fails = [](const SweepCell &cell) { return !cell.error().empty(); };
    if (std::all_of(result->cells.begin(), result->cells.end(), fails))
        return failure(Error::Code::Invalid, m_grid + ": every cell fails", result->cells.front().error());
    print(console, *result);
    return exitstatus::done;
}

} // namespace palimpsest
