// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/growth/growth.h"

#include "core/compaction/stages/snapshotcadence.h"
#include "core/insight/growth/namespacescan.h"
#include "core/insight/growth/pagemodel.h"
#include "core/insight/growth/retention.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace palimpsest {
namespace {

constexpr std::int64_t defaultPageSize = 4096; ///< of a source without pages: for the simulations
constexpr std::size_t curvePoints = 256;
constexpr std::size_t heaviestCheckpoints = 20;

/// Bytes that `counters_since_delta_snapshot` takes in a checkpoint's metadata.
std::int64_t countersText(const SnapshotCounters &messages, const SnapshotCounters &files)
{
    std::int64_t bytes = 0;
    const auto add = [&](std::string_view name, const SnapshotCounters &counters) {
        if (counters == SnapshotCounters())
            return;
        bytes += static_cast<std::int64_t>(
                     name.size() + std::to_string(counters.updates).size() + std::to_string(counters.supersteps).size())
            + 10; // "name": [u, s],
    };
    add("messages", messages);
    add("files", files);
    return bytes == 0 ? 0 : bytes + 37;
}

/// One way of storing a namespace's checkpoints, added row by row.
struct Simulation {
    PageModel pages;
    std::int64_t depthSum = 0;
    std::int64_t deepest = 0;
    std::int64_t rows = 0;

    std::int64_t add(const CheckpointSizes &row, std::int64_t blob, std::int64_t metadata)
    {
        const std::int64_t columns[] = {row.keys, blob, metadata, -1, -1, -1, -1};
        ++rows;
        return pages.add(recordSize(columns, 7));
    }
    void depth(std::int64_t updates)
    {
        depthSum += updates;
        deepest = std::max(deepest, updates);
    }
};

/// Slope of log(bytes) over log(checkpoints), on points evenly spread over the logarithm of the upper part.
double exponentOf(const std::vector<std::pair<double, double>> &curve)
{
    if (curve.size() < 8)
        return 0;
    const double last = std::log(curve.back().first);
    const double first = std::log(std::max(curve.front().first, curve.back().first / 16));
    double n = 0;
    double sumX = 0;
    double sumY = 0;
    double sumXX = 0;
    double sumXY = 0;
    for (int i = 0; i <= 64; ++i) {
        const double at = std::exp(first + (last - first) * i / 64);
        const auto point = std::lower_bound(
            curve.begin(), curve.end(), at, [](const auto &p, double x) { return p.first < x - 1e-9; });
        if (point == curve.end() || point->second <= 0)
            continue;
        const double x = std::log(point->first);
        const double y = std::log(point->second);
        ++n;
        sumX += x;
        sumY += y;
        sumXX += x * x;
        sumXY += x * y;
    }
    const double spread = n * sumXX - sumX * sumX;
    return spread <= 0 ? 0 : (n * sumXY - sumX * sumY) / spread;
}

class Measurement {
public:
    Measurement(CheckpointSource &source, const GrowthOptions &options)
        : m_source(source)
        , m_options(options)
    {
        std::sort(m_options.frequencies.begin(), m_options.frequencies.end());
        m_options.frequencies.erase(
            std::unique(m_options.frequencies.begin(), m_options.frequencies.end()), m_options.frequencies.end());
    }

    Result<Growth> run(const JobContext &job)
    {
        const Result<std::optional<StorageFacts>> storage = storageFacts(m_source.info().location, job);
        if (!storage)
            return tl::unexpected(storage.error());
        m_growth.storage = *storage;
        m_growth.thread = m_options.threadId.value_or(std::string());
        m_pageSize = *storage ? (*storage)->pageSize : defaultPageSize;
        m_usable = m_pageSize - (*storage ? (*storage)->reserved : 0);
        const Result<std::vector<std::string>> all = m_source.threadIds(job);
        if (!all)
            return tl::unexpected(all.error());
        std::vector<std::string> ids = *all;
        if (m_options.threadId) {
            if (std::find(ids.begin(), ids.end(), *m_options.threadId) == ids.end())
                return failure(Error::Code::NotFound, *m_options.threadId, "is no thread of this source");
            ids = {*m_options.threadId};
        }
        m_onlyThread = ids.size() == all->size();
        prepare();
        for (const std::string &id : ids)
            if (const Result<void> done = measureThread(id, job); !done)
                return tl::unexpected(done.error());
        finish();
        return std::move(m_growth);
    }

private:
    void prepare()
    {
        m_actual.emplace(PageModel(m_pageSize, m_usable));
        m_naive.emplace(PageModel(m_pageSize, m_usable));
        for (const std::int64_t frequency : m_options.frequencies)
            m_delta.emplace(frequency, Simulation{PageModel(m_pageSize, m_usable)});
    }

    Result<void> measureThread(const std::string &id, const JobContext &job)
    {
        Weight thread{id, id, {}, 0, 0};
        const Result<std::vector<std::string>> spaces = m_source.namespaces(id);
        if (!spaces)
            return tl::unexpected(spaces.error());
        for (const std::string &ns : *spaces) {
            NamespaceScan scan(m_source, id, ns, m_options.messagesChannel, m_pageSize, m_usable);
            if (Result<void> done = scan.run(job); !done)
                return done;
            Weight weight{ns, id, {}, 0, static_cast<std::int64_t>(scan.checkpoints().size())};
            for (const auto &[channel, bytes] : scan.channels()) {
                m_footprints[channel].footprint += bytes.footprint;
                m_footprints[channel].unchanged += bytes.unchanged;
                weight.bytes += static_cast<std::int64_t>(bytes.footprint);
            }
            m_growth.payload += scan.payload();
            m_growth.checkpointCount += weight.checkpoints;
            m_opaque += scan.opaqueRows();
            thread.bytes += weight.bytes;
            thread.checkpoints += weight.checkpoints;
            m_growth.namespaces.push_back(std::move(weight));
            simulate(scan);
            rankCheckpoints(scan);
            if (m_options.plan)
                adviseRetention(*m_options.plan, scan, m_advice);
        }
        m_growth.threads.push_back(std::move(thread));
        return {};
    }

    void simulate(const NamespaceScan &scan)
    {
        struct Counters {
            SnapshotCadence messages;
            SnapshotCadence files;
            std::int64_t depth = 0;
        };
        const std::vector<CheckpointSizes> &rows = scan.checkpoints();
        std::map<std::int64_t, std::vector<Counters>> counters;
        for (const std::int64_t frequency : m_options.frequencies)
            counters[frequency].reserve(rows.size());
        for (const CheckpointSizes &row : rows) {
            const std::int64_t other = row.blob - row.messages.stored - row.files.stored;
            const std::int64_t messages = row.messages.known ? row.messages.whole + 9 : 0;
            const std::int64_t files = row.files.known ? row.files.whole + 6 : 0;
            m_recordedSum += m_actual->add(row, row.blob, row.metadata) + row.writeFootprint;
            m_naiveSum += m_naive->add(row, other + messages + files, row.metadata - row.counters) + row.writeFootprint;
            CurvePoint point;
            point.checkpoint = ++m_seen;
            point.bytes = m_recordedSum;
            point.naive = m_naiveSum;
            for (const std::int64_t frequency : m_options.frequencies) {
                std::vector<Counters> &known = counters[frequency];
                const SnapshotRule rule{frequency, SnapshotRule().maxSupersteps};
                Counters now = row.parent < 0 ? Counters{SnapshotCadence(rule), SnapshotCadence(rule)}
                                              : known[static_cast<std::size_t>(row.parent)];
                const auto step = [](const CheckpointSizes::Channel &channel) {
                    return channel.written ? ChannelStep::Written : ChannelStep::Untouched;
                };
                const bool messagesWhole = now.messages.advance(step(row.messages)) && row.messages.known;
                const bool filesWhole = now.files.advance(step(row.files)) && row.files.known;
                now.depth = messagesWhole ? 0 : now.depth + (row.messages.written ? 1 : 0);
                Simulation &simulation = m_delta.at(frequency);
                simulation.depth(now.depth);
                constexpr std::int64_t wrapper = 6; // an ext head of code 7
                const std::int64_t blob =
                    other + (messagesWhole ? messages + wrapper : 0) + (filesWhole ? files + wrapper : 0);
                const std::int64_t metadata =
                    row.metadata - row.counters + countersText(now.messages.counters(), now.files.counters());
                point.delta[frequency] = m_deltaSum[frequency] +=
                    simulation.add(row, blob, metadata) + row.writeFootprint;
                known.push_back(std::move(now));
            }
            addPoint(std::move(point));
        }
    }

    /// Keeps every point until there are too many, then every second one, and so on.
    void addPoint(CurvePoint point)
    {
        m_last = point;
        if (point.checkpoint % m_stride != 0)
            return;
        m_growth.curve.push_back(std::move(point));
        if (m_growth.curve.size() < curvePoints)
            return;
        m_stride *= 2;
        std::erase_if(m_growth.curve, [this](const CurvePoint &p) { return p.checkpoint % m_stride != 0; });
    }

    void rankCheckpoints(const NamespaceScan &scan)
    {
        for (const CheckpointSizes &row : scan.checkpoints())
            m_growth.checkpoints.push_back({row.id, scan.threadId(), scan.ns(), row.footprint + row.writeFootprint, 1});
        rank(m_growth.checkpoints);
        if (m_growth.checkpoints.size() > heaviestCheckpoints)
            m_growth.checkpoints.resize(heaviestCheckpoints);
    }

    static void rank(std::vector<Weight> &weights)
    {
        std::stable_sort(
            weights.begin(), weights.end(), [](const Weight &a, const Weight &b) { return a.bytes > b.bytes; });
    }

    /// Spreads what the model does not see (half-filled pages, the schema, other tables) over everything that is there.
    void finish()
    {
        double sum = 0;
        for (const auto &[channel, bytes] : m_footprints)
            sum += bytes.footprint;
        // A thread among others has the share of its rows.
        const bool whole = m_growth.storage && m_onlyThread;
        const double factor = whole && sum > 0 ? static_cast<double>(m_growth.storage->total()) / sum : 1.0;
        m_growth.total = whole ? m_growth.storage->total() : static_cast<std::int64_t>(sum);
        const auto scaled = [factor](double bytes) { return static_cast<std::int64_t>(std::llround(bytes * factor)); };
        for (const auto &[channel, bytes] : m_footprints) {
            m_growth.byChannel[channel] = scaled(bytes.footprint);
            if (bytes.unchanged > 0)
                m_growth.unchanged[channel] = scaled(bytes.unchanged);
        }
        for (std::vector<Weight> *weights : {&m_growth.threads, &m_growth.namespaces, &m_growth.checkpoints}) {
            for (Weight &weight : *weights)
                weight.bytes = scaled(static_cast<double>(weight.bytes));
            rank(*weights);
        }
        finishSimulations();
        finishCurve(factor);
        if (m_options.plan) {
            m_advice.freed = scaled(static_cast<double>(m_advice.freed));
            m_growth.plan = std::move(m_advice);
        }
    }

    void finishSimulations()
    {
        if (m_opaque > 0) {
            m_growth.notes.push_back(std::to_string(m_opaque)
                + " checkpoints cannot be looked into (pickled, damaged, or encrypted without a key): what they would "
                  "weigh otherwise cannot be told");
            return;
        }
        // Everything but the rows of checkpoints stays as it is.
        const std::int64_t rest = m_growth.total - m_actual->pages.bytes();
        m_growth.naiveBytes = rest + m_naive->pages.bytes();
        for (const auto &[frequency, simulation] : m_delta) {
            m_growth.deltaBytes[frequency] = rest + simulation.pages.bytes();
            m_growth.replayDepth[frequency] = {simulation.deepest,
                simulation.rows == 0 ? 0
                                     : static_cast<double>(simulation.depthSum) / static_cast<double>(simulation.rows)};
        }
    }

    void finishCurve(double factor)
    {
        if (!m_growth.curve.empty() && m_growth.curve.back().checkpoint != m_last.checkpoint)
            m_growth.curve.push_back(m_last);
        std::vector<std::pair<double, double>> recorded;
        std::vector<std::pair<double, double>> naive;
        std::map<std::int64_t, std::vector<std::pair<double, double>>> delta;
        for (CurvePoint &point : m_growth.curve) {
            const auto at = static_cast<double>(point.checkpoint);
            recorded.emplace_back(at, static_cast<double>(point.bytes));
            naive.emplace_back(at, static_cast<double>(point.naive));
            for (auto &[frequency, bytes] : point.delta) {
                delta[frequency].emplace_back(at, static_cast<double>(bytes));
                bytes = static_cast<std::int64_t>(static_cast<double>(bytes) * factor);
            }
            point.bytes = static_cast<std::int64_t>(static_cast<double>(point.bytes) * factor);
            point.naive = static_cast<std::int64_t>(static_cast<double>(point.naive) * factor);
        }
        m_growth.exponent = exponentOf(recorded);
        if (m_opaque > 0)
            return;
        m_growth.exponents["naive"] = exponentOf(naive);
        for (const auto &[frequency, curve] : delta)
            m_growth.exponents[std::to_string(frequency)] = exponentOf(curve);
    }

    CheckpointSource &m_source;
    GrowthOptions m_options;
    Growth m_growth;
    RetentionAdvice m_advice;
    std::int64_t m_pageSize = defaultPageSize;
    std::int64_t m_usable = defaultPageSize;
    bool m_onlyThread = true;
    std::map<std::string, ChannelBytes> m_footprints;
    std::optional<Simulation> m_actual;
    std::optional<Simulation> m_naive;
    std::map<std::int64_t, Simulation> m_delta;
    std::int64_t m_recordedSum = 0;
    std::int64_t m_naiveSum = 0;
    std::map<std::int64_t, std::int64_t> m_deltaSum;
    std::int64_t m_seen = 0;
    std::int64_t m_stride = 1;
    CurvePoint m_last;
    std::int64_t m_opaque = 0;
};

} // namespace

Result<Growth> measureGrowth(CheckpointSource &source, const GrowthOptions &options, const JobContext &job)
{
    return Measurement(source, options).run(job);
}

} // namespace palimpsest
