// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/threadscommand.h"

#include "app/cli/jsonoutput.h"
#include "core/base/text.h"
#include "core/thread/threadlist.h"
#include "core/values/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace palimpsest {
namespace {

/// One KEY=VALUE of --where: metadata[KEY] is that text, or a number or truth value written so.
struct Condition {
    std::string key;
    std::string value;

    [[nodiscard]] bool holds(const ThreadRow &row) const
    {
        const Value *found = row.metadata.find(key);
        if (!found)
            return false;
        return found->isText() ? found->asText() == value : toJson(*found) == value;
    }
};

Result<std::vector<Condition>> conditions(const std::vector<std::string> &words)
{
    std::vector<Condition> all;
    for (const std::string &word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            return failure(Error::Code::Invalid, "--where", "\"" + word + "\" is not KEY=VALUE");
        all.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
    return all;
}

void writeRow(JsonOutput &json, const ThreadRow &row)
{
    json.beginObject().key("thread_id").text(row.id).key("namespaces").beginObject();
    for (const ThreadRow::Space &space : row.namespaces) {
        json.key(space.name).beginObject().key("checkpoints").number(space.checkpoints).key("events");
        json.number(space.events);
        json.endObject();
    }
    json.endObject().key("checkpoints").number(row.checkpoints).key("messages");
    json.number(row.messages);
    json.key("events");
    json.number(row.events);
    json.key("bytes");
    json.number(row.bytes);
    json.key("first").text(row.first).key("last").text(row.last).key("title").text(row.title);
    json.key("agent").optionalText(row.agent).key("model").optionalText(row.model);
    json.key("waiting").optionalText(row.waiting).key("error").optionalText(row.error);
    json.key("metadata").value(row.metadata).endObject();
}

std::string sizeText(std::int64_t bytes)
{
    static constexpr const char *units[] = {"B", "KB", "MB", "GB", "TB"};
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (size >= 1000 && unit + 1 < std::size(units)) {
        size /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 || size >= 100 ? "%.0f %s" : "%.1f %s", size, units[unit]);
    return text;
}

std::string numberText(const std::optional<std::int64_t> &number)
{
    return number ? std::to_string(*number) : "?";
}

std::string rowText(const ThreadRow &row)
{
    std::ostringstream out;
    JsonOutput json(out);
    writeRow(json, row);
    json.flush();
    return out.str();
}

/// Columns as wide as their widest cell; numbers to the right.
void writeTable(std::ostream &out, const std::vector<ThreadRow> &rows)
{
    static const std::vector<std::string> head{
        "THREAD", "NS", "CHECKPOINTS", "MESSAGES", "EVENTS", "SIZE", "LAST", "STATE", "TITLE"};
    static constexpr bool right[] = {false, true, true, true, true, true, false, false, false};
    std::vector<std::vector<std::string>> cells{head};
    for (const ThreadRow &row : rows) {
        const char *state = row.error ? "error" : row.waiting ? "waiting" : "";
        cells.push_back({printable(row.id), std::to_string(row.namespaces.size()), std::to_string(row.checkpoints),
            numberText(row.messages), numberText(row.events), row.bytes ? sizeText(*row.bytes) : "?",
            printable(row.last.substr(0, 19)), state, printable(row.title, 60)});
    }
    std::vector<std::size_t> widths(head.size(), 0);
    for (const auto &line : cells)
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], text::length(line[i]));
    for (const auto &line : cells) {
        std::string written;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string padding(widths[i] - text::length(line[i]), ' ');
            written += (i ? "  " : "") + (right[i] ? padding + line[i] : line[i] + padding);
        }
        written.erase(written.find_last_not_of(' ') + 1);
        out << written << '\n';
    }
}

} // namespace

void ThreadsCommand::declare(CLI::App &app)
{
    m_source.declareSource(app);
    app.add_option("--where", m_where, "Only threads whose metadata has this value: KEY=VALUE; may be repeated")
        ->expected(1)
        ->take_all();
    app.add_flag("--full", m_full, "Also numbers that need every blob");
    m_fleet.declare(app);
    app.add_flag("--json", m_json, "JSON instead of a table");
    app.add_flag(
        "--json-lines", m_lines, "A JSON document a line, each as soon as it is there; so with --shard and --resume");
}

Result<int> ThreadsCommand::run(Console &console)
{
    const Result<std::vector<Condition>> where = conditions(m_where);
    if (!where)
        return tl::unexpected(where.error());
    Result<std::unique_ptr<CheckpointSource>> source = m_source.open();
    if (!source)
        return tl::unexpected(source.error());
    if (Result<void> prepared = m_fleet.prepare(); !prepared)
        return tl::unexpected(prepared.error());
    const auto wanted = [&](const ThreadRow &row) {
        return std::all_of(where->begin(), where->end(), [&](const Condition &c) { return c.holds(row); });
    };
    m_lines |= m_fleet.isGiven();
    std::vector<ThreadRow> table;
    bool first = true;
    const auto write = [&](ThreadRow &&row) {
        if (!m_json && !m_lines)
            table.push_back(std::move(row));
        else
            console.out() << (m_lines || first ? "" : ",\n") << rowText(row) << (m_lines ? "\n" : "");
        first = false;
    };
    if (m_json && !m_lines)
        console.out() << '[';
    Result<void> done = (*source)->info().expensiveBlobs && !m_full ? scanRows(**source, wanted, write, console)
                                                                    : surveyRows(**source, wanted, write, console);
    if (!done)
        return tl::unexpected(done.error());
    for (const Finding &finding : (*source)->info().findings)
        console.message(finding);
    if (m_json && !m_lines)
        console.out() << "]\n";
    else if (!m_lines)
        writeTable(console.out(), table);
    return 0;
}

/// A source that tells all but the blobs by itself gives its rows page by page.
Result<void> ThreadsCommand::scanRows(CheckpointSource &source, const std::function<bool(const ThreadRow &)> &wanted,
    const std::function<void(ThreadRow &&)> &write, Console &console) const
{
    return scanThreadList(
        source, false,
        [&](std::vector<ThreadRow> &&part) {
            for (ThreadRow &row : part)
                if (m_fleet.wants(row.id) && wanted(row))
                    write(std::move(row));
            console.out() << std::flush;
            return console.out().good();
        },
        console.job());
}

/// Elsewhere the newest and oldest rows of each thread are looked at, on all cores.
Result<void> ThreadsCommand::surveyRows(CheckpointSource &source, const std::function<bool(const ThreadRow &)> &wanted,
    const std::function<void(ThreadRow &&)> &write, Console &console) const
{
    Result<std::vector<ThreadRow>> rows = source.threads(m_full, console.job());
    if (!rows)
        return tl::unexpected(rows.error());
    std::erase_if(*rows, [this](const ThreadRow &row) { return !m_fleet.wants(row.id); });
    const auto complete = [&](CheckpointSource &own, std::size_t place, const JobContext &job) -> Result<FleetAnswer> {
        if (Result<void> begun = own.beginRead(); !begun)
            return tl::unexpected(begun.error());
        completeThread(own, (*rows)[place], m_full, job);
        own.endRead();
        return FleetAnswer();
    };
    const auto take = [&](std::size_t place, const FleetAnswer &) {
        if (ThreadRow &row = (*rows)[place]; wanted(row))
            write(std::move(row));
    };
    // Not worth another opening, which may be a long document's reading.
    constexpr std::size_t few = 4;
    if (rows->size() <= few) {
        for (std::size_t place = 0; place < rows->size(); ++place) {
            const Result<FleetAnswer> answer = complete(source, place, console.job());
            if (!answer)
                return tl::unexpected(answer.error());
            take(place, *answer);
        }
        return {};
    }
    const Result<int> done =
        runFleet(rows->size(), m_fleet.jobs(), [this] { return m_source.open(); }, complete, take, console);
    return done ? Result<void>() : tl::unexpected(done.error());
}

} // namespace palimpsest
