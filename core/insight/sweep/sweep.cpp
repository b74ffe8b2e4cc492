// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

namespace palimpsest {
namespace {

/// What one worker has for itself.
struct Worker {
    std::vector<NeedleSearch> needles; ///< by input
};

class Sweep {
public:
    Sweep(const SweepGrid &grid, const std::vector<SweepInput> &inputs, const SweepOptions &options,
        const JobContext &job)
        : m_grid(grid)
        , m_options(options)
        , m_job(job)
    {
        for (const SweepInput &input : inputs) {
            m_result.labels.push_back(input.label);
            m_replayers.push_back(std::make_unique<const Replayer>(input.input));
        }
        m_result.grid = grid;
        m_result.cells.resize(grid.size());
        for (std::size_t i = 0; i < m_result.cells.size(); ++i) {
            if (i < options.known.size() && options.known[i])
                m_result.cells[i] = *options.known[i];
            else
                m_open.push_back(i);
        }
    }

    Result<SweepResult> run()
    {
        unsigned count = m_options.workers > 0 ? m_options.workers : std::max(1U, std::thread::hardware_concurrency());
        count = static_cast<unsigned>(std::min<std::size_t>(count, std::max<std::size_t>(m_open.size(), 1)));
        {
            std::vector<std::jthread> others;
            for (unsigned i = 1; i < count; ++i)
                others.emplace_back([this] { work(false); });
            work(true);
        }
        if (m_job.stopped())
            return failure(Error::Code::Cancelled, "sweep", "stopped");
        markFront(m_result.cells);
        return std::move(m_result);
    }

private:
    void work(bool reports)
    {
        Worker worker;
        worker.needles.assign(m_replayers.size(), NeedleSearch(m_grid.needles));
        const std::size_t every = std::max<std::size_t>(1, m_open.size() / 100);
        std::size_t reported = 0;
        while (!m_job.stopped()) {
            const std::size_t next = m_next++;
            if (next >= m_open.size())
                return;
            runCell(m_open[next], worker);
            if (reports && next >= reported + every) {
                reported = next;
                m_job.report(static_cast<double>(next) / static_cast<double>(m_open.size()), "Sweeping");
            }
        }
    }

    void runCell(std::size_t place, Worker &worker)
    {
        SweepCell cell;
        cell.values = m_grid.values(place);
        cell.threads.resize(m_replayers.size());
        const auto settings = m_grid.settings(place);
        for (std::size_t i = 0; i < m_replayers.size(); ++i) {
            SweepRow &row = cell.threads[i];
            row.figures.needles.assign(m_grid.needles.size(), false);
            if (!settings) {
                row.error = settings.error().where + ": " + settings.error().what;
                continue;
            }
            const auto figures =
                figuresOf(*m_replayers[i], *settings, m_options.summaries, worker.needles[i], {m_job.stop, {}});
            if (!figures) {
                if (figures.error().code == Error::Code::Cancelled)
                    return;
                row.error = figures.error().where + ": " + figures.error().what;
                continue;
            }
            row.figures = *figures;
            row.unworkable = unworkableReason(settingsFor(*settings, m_replayers[i]->input()->space().name, 1));
        }
        const std::lock_guard lock(m_mutex);
        if (m_options.finished)
            m_options.finished(place, cell);
        m_result.cells[place] = std::move(cell);
    }

    const SweepGrid &m_grid;
    const SweepOptions &m_options;
    const JobContext &m_job;
    std::vector<std::unique_ptr<const Replayer>> m_replayers;
    std::vector<std::size_t> m_open; ///< cells to do
    std::atomic<std::size_t> m_next = 0;
    std::mutex m_mutex; ///< of the result and of `finished`
    SweepResult m_result;
};

} // namespace

Spread SweepCell::spread(const std::function<double(const RunFigures &)> &figure) const
{
    Spread spread;
    if (threads.empty())
        return spread;
    std::vector<double> sorted;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        sorted.push_back(figure(threads[i].figures));
        if (sorted.back() > sorted[spread.worstThread])
            spread.worstThread = i;
    }
    spread.worst = sorted[spread.worstThread];
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    spread.median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    // Nearest rank.
    spread.p90 = sorted[static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(sorted.size()))) - 1];
    return spread;
}

RunFigures SweepCell::total() const
{
    if (threads.empty())
        return {};
    RunFigures total = threads.front().figures;
    for (std::size_t i = 1; i < threads.size(); ++i) {
        const RunFigures &figures = threads[i].figures;
        total.events += figures.events;
        total.calls += figures.calls;
        total.tokensSent += figures.tokensSent;
        total.summaryTokens += figures.summaryTokens;
        total.peakTokens = std::max(total.peakTokens, figures.peakTokens);
        total.tokensKeptAtEnd += figures.tokensKeptAtEnd;
        total.summaries += figures.summaries;
        if (total.cost && figures.cost)
            *total.cost += *figures.cost;
        for (std::size_t n = 0; n < std::min(total.needles.size(), figures.needles.size()); ++n)
            total.needles[n] = total.needles[n] && figures.needles[n];
    }
    return total;
}

std::string SweepCell::unworkable() const
{
    const auto found =
        std::find_if(threads.begin(), threads.end(), [](const SweepRow &row) { return !row.unworkable.empty(); });
    return found == threads.end() ? std::string() : found->unworkable;
}

std::string SweepCell::error() const
{
    const auto found =
        std::find_if(threads.begin(), threads.end(), [](const SweepRow &row) { return !row.error.empty(); });
    return found == threads.end() ? std::string() : found->error;
}

void markFront(std::vector<SweepCell> &cells)
{
    using Goals = std::tuple<double, std::int64_t, std::int64_t>; // price, events, needles lost: less is better
    std::vector<std::pair<Goals, std::size_t>> order;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i].onFront = false;
        if (cells[i].threads.empty() || !cells[i].error().empty() || !cells[i].unworkable().empty())
            continue;
        const RunFigures total = cells[i].total();
        const double price =
            total.cost ? *total.cost : static_cast<double>(total.tokensSent) + static_cast<double>(total.summaryTokens);
        order.emplace_back(Goals(price, total.events, total.needlesLost()), i);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Goals> front;
    for (const auto &[goals, place] : order) {
        // In this order only an earlier one can be better, and those on the front are the best of them.
        const bool beaten = std::any_of(front.begin(), front.end(), [&goals = goals](const Goals &other) {
            return other != goals && std::get<0>(other) <= std::get<0>(goals)
                && std::get<1>(other) <= std::get<1>(goals) && std::get<2>(other) <= std::get<2>(goals);
        });
        if (beaten)
            continue;
        cells[place].onFront = true;
        if (front.empty() || front.back() != goals)
            front.push_back(goals);
    }
}

Result<SweepResult> sweep(
    const SweepGrid &grid, const std::vector<SweepInput> &inputs, const SweepOptions &options, const JobContext &job)
{
    if (inputs.empty())
        return failure(Error::Code::Invalid, "sweep", "needs at least one thread");
    return Sweep(grid, inputs, options, job).run();
}

} // namespace palimpsest
