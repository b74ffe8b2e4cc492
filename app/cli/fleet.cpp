// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fleet.h"

#include "core/serde/json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace palimpsest {
namespace {

/// A stable hash (FNV-1a), so that every machine agrees on which shard a thread is in.
std::size_t shardHash(std::string_view id)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : id)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

/// So many answers may wait for one before them.
constexpr std::size_t mostWaiting = 1024;

} // namespace

void FleetArgument::declare(CLI::App &app)
{
    app.add_option("--shard", m_shard, "Only the threads of part I of N: I/N");
    app.add_option("--resume", m_resume, "An earlier, interrupted answer: its threads are left out");
    app.add_option("--only", m_only, "Only the threads whose ids this file lists, one a line; - is standard input");
    app.add_option("--jobs", m_jobs, "Threads worked on at the same time; as many as there are cores when left out");
}

Result<void> FleetArgument::prepare()
{
    if (!m_shard.empty()) {
        const std::size_t slash = m_shard.find('/');
        const char *begin = m_shard.data();
        const char *end = begin + m_shard.size();
        bool good = slash != std::string::npos;
        if (good) {
            const auto index = std::from_chars(begin, begin + slash, m_index);
            const auto of = std::from_chars(begin + slash + 1, end, m_of);
            good = index.ec == std::errc() && index.ptr == begin + slash && of.ec == std::errc() && of.ptr == end
                && m_index >= 1 && m_index <= m_of;
        }
        if (!good)
            return failure(Error::Code::Invalid, "--shard", "expected I/N with 1 <= I <= N, as in 2/8");
        --m_index;
    }
    if (!m_only.empty()) {
        std::ifstream file;
        if (m_only != "-")
            file.open(m_only);
        std::istream &list = m_only == "-" ? std::cin : file;
        if (!list)
            return failure(Error::Code::Unreadable, m_only, "the list of threads cannot be read");
        for (std::string line; std::getline(list, line);)
            m_listed.insert(line);
    }
    if (m_resume.empty())
        return {};
    std::ifstream file(m_resume);
    if (!file)
        return failure(Error::Code::Unreadable, m_resume, "the earlier answer cannot be read");
    for (std::string line; std::getline(file, line);)
        // The last line of an interrupted run may be cut: its thread is simply done again.
        if (const Result<Value> document = parseJson(line); document && document->isMap())
            m_finished.insert((*document)["thread_id"].asText());
    return {};
}

std::size_t FleetArgument::jobs() const
{
    return m_jobs > 0 ? m_jobs : std::max(1U, std::thread::hardware_concurrency());
}

bool FleetArgument::wants(const std::string &threadId) const
{
    return shardHash(threadId) % m_of == m_index && (m_only.empty() || m_listed.contains(threadId))
        && !m_finished.contains(threadId);
}

Result<int> runFleet(std::size_t count, std::size_t jobs,
    const std::function<Result<std::unique_ptr<CheckpointSource>>()> &open,
    const std::function<Result<FleetAnswer>(CheckpointSource &source, std::size_t place, const JobContext &job)> &work,
    const std::function<void(std::size_t place, const FleetAnswer &answer)> &take, Console &console)
{
    std::mutex mutex;
    std::condition_variable woken;
    std::vector<std::optional<Result<FleetAnswer>>> answers(count);
    std::size_t next = 0; // to be worked on
    std::size_t written = 0;
    std::size_t running = std::min(jobs, count);
    std::optional<Error> notOpened;
    std::stop_source stop;
    const JobContext job = console.job();
    JobContext inside;
    inside.stop = stop.get_token();
    const std::stop_callback passOn(job.stop, [&stop] { stop.request_stop(); });

    const auto worker = [&] {
        Result<std::unique_ptr<CheckpointSource>> source = open();
        std::unique_lock lock(mutex);
        if (!source)
            notOpened = source.error();
        while (source && !stop.stop_requested()) {
            // Not too far ahead of what is written.
            woken.wait(lock, [&] { return next >= count || next < written + mostWaiting || stop.stop_requested(); });
            if (next >= count || stop.stop_requested())
                break;
            const std::size_t place = next++;
            lock.unlock();
            Result<FleetAnswer> answer = work(**source, place, inside);
            lock.lock();
            answers[place] = std::move(answer);
            woken.notify_all();
        }
        --running;
        woken.notify_all();
    };
    std::vector<std::jthread> workers;
    for (std::size_t i = running; i > 0; --i)
        workers.emplace_back(worker);

    int status = 0;
    std::optional<Error> error;
    std::unique_lock lock(mutex);
    while (written < count && !error) {
        woken.wait(lock, [&] { return answers[written] || running == 0; });
        if (!answers[written])
            break;
        const Result<FleetAnswer> answer = std::move(*answers[written]);
        answers[written].reset();
        ++written;
        woken.notify_all();
        lock.unlock();
        if (answer) {
            take(written - 1, *answer);
            console.out() << std::flush;
            status = std::max(status, answer->status);
            if (count > 50 && written % (count / 50) == 0)
                job.report(static_cast<double>(written) / static_cast<double>(count), "reading threads");
        } else {
            error = answer.error();
        }
        if (error || !console.out().good())
            stop.request_stop();
        lock.lock();
        if (!console.out().good())
            break;
    }
    stop.request_stop();
    lock.unlock();
    woken.notify_all();
    workers.clear();
    if (job.stopped())
        return failure(Error::Code::Cancelled, {}, "stopped");
    if (error)
        return tl::unexpected(*error);
    if (written < count && notOpened)
        return tl::unexpected(*notOpened);
    return status;
}

} // namespace palimpsest
