// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/growthcommand.h"

#include "app/cli/jsonoutput.h"
#include "core/insight/growth/growth.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace palimpsest {
namespace {

void writeBytes(JsonOutput &json, std::string_view key, const std::map<std::string, std::int64_t> &bytes)
{
    json.key(key).beginObject();
    for (const auto &[name, size] : bytes)
        json.key(name).number(size);
    json.endObject();
}

void writeWeights(JsonOutput &json, std::string_view key, const std::vector<Weight> &weights, bool ofThreads)
{
    json.key(key).beginArray();
    for (const Weight &weight : weights) {
        json.newline().beginObject();
        if (ofThreads)
            json.key("thread_id").text(weight.name);
        else
            json.key("thread_id").text(weight.thread).key("checkpoint_ns").text(weight.name);
        json.key("bytes").number(weight.bytes).key("checkpoints").number(weight.checkpoints).endObject();
    }
    json.endArray();
}

void writePlan(JsonOutput &json, const std::optional<RetentionAdvice> &plan)
{
    json.newline().key("plan");
    if (!plan) {
        json.null();
        return;
    }
    json.beginObject().key("checkpoints").number(plan->checkpoints).key("writes").number(plan->writes);
    json.key("freed_bytes").number(plan->freed).key("breaks").beginArray();
    for (const BrokenChannel &broken : plan->broken) {
        json.newline().beginObject().key("thread_id").text(broken.thread).key("checkpoint_ns").text(broken.ns);
        json.key("channel").text(broken.channel).key("checkpoints").number(broken.checkpoints);
        json.key("first_checkpoint_id")
            .text(broken.firstKept)
            .key("nearest_snapshot")
            .textOrNull(broken.nearestSnapshot);
        json.key("keep_at_least").number(broken.keepAtLeast).endObject();
    }
    json.endArray().endObject();
}

void writeCurve(JsonOutput &json, const Growth &growth)
{
    json.newline().key("curve").beginArray();
    for (const CurvePoint &point : growth.curve) {
        json.newline().beginObject().key("checkpoints").number(point.checkpoint).key("bytes").number(point.bytes);
        if (growth.naiveBytes) {
            json.key("naive").number(point.naive);
            for (const auto &[frequency, bytes] : point.delta)
                json.key("delta_" + std::to_string(frequency)).number(bytes);
        }
        json.endObject();
    }
    json.endArray();
}

void writeGrowth(JsonOutput &json, const Growth &growth)
{
    json.beginObject().key("format").text("palimpsest.growth/1").key("thread_id").textOrNull(growth.thread);
    json.key("checkpoints").number(growth.checkpointCount).newline();
    json.key("bytes").beginObject().key("total").number(growth.total).key("payload").number(growth.payload).newline();
    writeBytes(json, "by_channel", growth.byChannel);
    json.newline();
    writeBytes(json, "unchanged", growth.unchanged);
    json.newline();
    writeWeights(json, "by_thread", growth.threads, true);
    writeWeights(json, "by_namespace", growth.namespaces, false);
    json.key("largest_checkpoints").beginArray();
    for (const Weight &weight : growth.checkpoints) {
        json.newline().beginObject().key("thread_id").text(weight.thread).key("checkpoint_ns").text(weight.ns);
        json.key("checkpoint_id").text(weight.name).key("bytes").number(weight.bytes).endObject();
    }
    json.endArray().endObject().newline().key("naive_bytes");
    json.number(growth.naiveBytes);
    json.key("delta_bytes").beginObject();
    for (const auto &[frequency, bytes] : growth.deltaBytes)
        json.key(std::to_string(frequency)).number(bytes);
    json.endObject().key("replay_depth").beginObject();
    for (const auto &[frequency, depth] : growth.replayDepth)
        json.key(std::to_string(frequency))
            .beginObject()
            .key("deepest")
            .number(depth.deepest)
            .key("mean")
            .number(depth.mean)
            .endObject();
    json.endObject().newline().key("exponent").number(growth.exponent).key("exponents").beginObject();
    for (const auto &[name, exponent] : growth.exponents)
        json.key(name).number(exponent);
    const StorageFacts storage = growth.storage.value_or(StorageFacts());
    json.endObject().key("page_size").number(storage.pageSize).key("free_pages").number(storage.freePages);
    json.key("wal_bytes")
        .number(storage.walBytes)
        .key("orphan_writes")
        .beginObject()
        .key("rows")
        .number(storage.orphanWrites);
    json.key("bytes").number(storage.orphanBytes).endObject();
    writePlan(json, growth.plan);
    writeCurve(json, growth);
    json.newline().key("notes").beginArray();
    for (const std::string &note : growth.notes)
        json.text(note);
    json.endArray().endObject().newline();
}

/// "12.3 MB", to the right in ten columns.
std::string sizeColumn(std::int64_t bytes)
{
    char text[32];
    const auto number = static_cast<double>(bytes);
    if (bytes < 10'000)
        std::snprintf(text, sizeof text, "%7lld B ", static_cast<long long>(bytes));
    else if (bytes < 10'000'000)
        std::snprintf(text, sizeof text, "%7.1f KB", number / 1e3);
    else if (bytes < 10'000'000'000)
        std::snprintf(text, sizeof text, "%7.1f MB", number / 1e6);
    else
        std::snprintf(text, sizeof text, "%7.1f GB", number / 1e9);
    return text;
}

std::string exponentText(double exponent)
{
    char text[32];
    std::snprintf(text, sizeof text, "N^%.2f", exponent);
    return exponent > 0 ? text : "too few checkpoints";
}

class TextGrowth {
public:
    TextGrowth(std::ostream &out, const Growth &growth)
        : m_out(out)
        , m_growth(growth)
    {
    }

    void write()
    {
        line(m_growth.total,
            m_growth.thread.empty() ? "in all, free pages left out" : "thread " + printable(m_growth.thread));
        line(m_growth.payload, "payload of " + std::to_string(m_growth.checkpointCount) + " checkpoints");
        if (m_growth.storage) {
            line(m_growth.storage->freePages * m_growth.storage->pageSize, "free pages");
            line(m_growth.storage->walBytes, "write-ahead log");
            if (m_growth.storage->orphanWrites > 0)
                line(m_growth.storage->orphanBytes,
                    std::to_string(m_growth.storage->orphanWrites) + " writes whose checkpoint is gone");
        }
        writeChannels();
        writeRanked("Threads", m_growth.threads);
        writeRanked("Namespaces", m_growth.namespaces);
        m_out << "Stored otherwise\n";
        line(m_growth.total, "as it is, growing as " + exponentText(m_growth.exponent));
        if (m_growth.naiveBytes)
            line(*m_growth.naiveBytes, "the whole list in every checkpoint, " + exponentText(exponent("naive")));
        for (const auto &[frequency, bytes] : m_growth.deltaBytes) {
            const ReplayDepth &depth = m_growth.replayDepth.at(frequency);
            line(bytes,
                "delta channels, snapshot every " + std::to_string(frequency) + " updates, "
                    + exponentText(exponent(std::to_string(frequency))) + "; replays up to "
                    + std::to_string(depth.deepest) + " updates");
        }
        for (const std::string &note : m_growth.notes)
            m_out << "Note: " << note << ".\n";
        writePlan();
    }

private:
    void line(std::int64_t bytes, const std::string &what) { m_out << sizeColumn(bytes) << "  " << what << '\n'; }

    [[nodiscard]] double exponent(const std::string &name) const
    {
        const auto found = m_growth.exponents.find(name);
        return found == m_growth.exponents.end() ? 0 : found->second;
    }

    void writeChannels()
    {
        std::vector<std::pair<std::string, std::int64_t>> channels(
            m_growth.byChannel.begin(), m_growth.byChannel.end());
        std::stable_sort(
            channels.begin(), channels.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
        m_out << "Channels\n";
        for (const auto &[name, bytes] : channels) {
            const auto repeated = m_growth.unchanged.find(name);
            line(bytes,
                printable(name)
                    + (repeated == m_growth.unchanged.end()
                            ? ""
                            : ", of it stored again unchanged:" + sizeColumn(repeated->second)));
        }
    }

    void writeRanked(std::string_view title, const std::vector<Weight> &weights)
    {
        if (weights.size() < 2)
            return;
        m_out << title << '\n';
        for (std::size_t i = 0; i < weights.size() && i < 20; ++i)
            line(weights[i].bytes,
                (weights[i].name.empty() ? "(root)" : printable(weights[i].name)) + ", "
                    + std::to_string(weights[i].checkpoints) + " checkpoints");
        if (weights.size() > 20)
            m_out << "            and " << weights.size() - 20 << " more\n";
    }

    void writePlan()
    {
        if (!m_growth.plan)
            return;
        const RetentionAdvice &plan = *m_growth.plan;
        m_out << "The plan would delete " << plan.checkpoints << " checkpoints and " << plan.writes
              << " writes and free\n";
        line(plan.freed, "(the file keeps them as free pages until VACUUM)");
        if (plan.broken.empty())
            m_out << "No channel would break.\n";
        for (const BrokenChannel &broken : plan.broken) {
            m_out << "It would break channel " << printable(broken.channel) << " of thread " << printable(broken.thread)
                  << (broken.ns.empty() ? std::string() : ", namespace " + printable(broken.ns)) << ": "
                  << broken.checkpoints << " kept checkpoints from " << broken.firstKept
                  << " on could not be rebuilt. Keep at least " << broken.keepAtLeast
                  << " checkpoints, from the snapshot in " << broken.nearestSnapshot << " on.\n";
        }
    }

    std::ostream &m_out;
    const Growth &m_growth;
};

} // namespace

void GrowthCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    app.add_option("--frequency", m_frequencies, "Another snapshot frequency to simulate, in updates; may be repeated")
        ->expected(1)
        ->take_all()
        ->check(CLI::PositiveNumber);
    app.add_option("--plan", m_plan, "What deleting old checkpoints would do: keep=N or before=DATE");
    app.add_flag("--json", m_json, "JSON instead of text");
}

Result<int> GrowthCommand::run(Console &console)
{
    GrowthOptions options;
    options.messagesChannel = m_source.channel();
    options.frequencies.insert(options.frequencies.end(), m_frequencies.begin(), m_frequencies.end());
    if (!m_plan.empty()) {
        Result<RetentionPlan> plan = RetentionPlan::parse(m_plan);
        if (!plan)
            return tl::unexpected(plan.error());
        options.plan = std::move(*plan);
    }
    const Result<std::unique_ptr<CheckpointSource>> source = m_source.open();
    if (!source)
        return tl::unexpected(source.error());
    if (m_source.hasThread()) {
        Result<std::string> id = m_source.threadId(**source, console.job());
        if (!id)
            return tl::unexpected(id.error());
        options.threadId = std::move(*id);
    }
    const Result<Growth> growth = measureGrowth(**source, options, console.job());
    if (!growth)
        return tl::unexpected(growth.error());
    if (m_json) {
        JsonOutput json(console.out());
        writeGrowth(json, *growth);
    } else {
        TextGrowth(console.out(), *growth).write();
    }
    return 0;
}

} // namespace palimpsest
