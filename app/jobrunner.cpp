// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobrunner.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace palimpsest {

namespace {

constexpr int modest = 10; ///< a tenth of what others get

/// The calling thread takes little when others want more, from now on. Not SCHED_IDLE: on a busy machine such a thread
/// stands still for seconds, and with it whoever waits for a lock that it holds (the allocator's, SQLite's) or for its
/// end.
void giveWay()
{
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), modest);
}

} // namespace

JobRunner::JobRunner(Urgency urgency, QObject *parent)
    : QObject(parent)
    , m_worker([this, urgency](const std::stop_token &quit) {
        if (urgency == Urgency::Idle)
            giveWay();
        loop(quit);
    })
{
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &JobRunner::handNext);
}

JobRunner::~JobRunner()
{
    for (auto &[lane, active] : m_active)
        active.stop.request_stop();
    m_active.clear();
    m_worker.request_stop();
    m_wake.notify_all();
    if (m_worker.joinable())
        m_worker.join();
}

void JobRunner::start(const QString &lane, QObject *receiver, std::function<Box(const JobContext &, const Post &)> work,
    std::function<void(const Box &)> partial, std::function<void(const Box &)> done)
{
    if (const auto old = m_active.find(lane); old != m_active.end())
        old->second.stop.request_stop();
    Job job;
    job.number = m_next++;
    job.lane = lane;
    job.work = std::move(work);
    m_active[lane] = Active{job.number, job.stop, receiver, std::move(partial), std::move(done)};
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_queue, [&](const Job &waiting) { return waiting.lane == lane; });
        m_queue.push_back(std::move(job));
    }
    m_wake.notify_all();
    Q_EMIT started(lane);
}

void JobRunner::setAtEnd(std::function<void()> atEnd)
{
    const std::scoped_lock lock(m_mutex);
    m_atEnd = std::move(atEnd);
}

void JobRunner::cancel(const QString &lane)
{
    const auto found = m_active.find(lane);
    if (found == m_active.end())
        return;
    found->second.stop.request_stop();
    m_active.erase(found);
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_queue, [&](const Job &waiting) { return waiting.lane == lane; });
    }
    Q_EMIT finished(lane);
}

void JobRunner::cancelAll()
{
    while (!m_active.empty())
        cancel(QString(m_active.begin()->first));
}

void JobRunner::loop(const std::stop_token &quit)
{
    while (true) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            // wait() is true for a job that waits, even when the end is asked for: those were dropped by then.
            const auto isWanted = [this] { return !m_queue.empty() || !m_discarded.empty(); };
            if (!m_wake.wait(lock, quit, isWanted) || quit.stop_requested()) {
                const auto atEnd = std::exchange(m_atEnd, {});
                lock.unlock();
                if (atEnd)
                    atEnd();
                return;
            }
            if (m_queue.empty()) {
                const auto discarded = std::exchange(m_discarded, {});
                lock.unlock();
                continue; // and goes with the end of this turn
            }
            job = std::move(m_queue.front());
            m_queue.pop_front();
        }
        if (job.stop.stop_requested())
            continue;
        JobContext context;
        context.stop = job.stop.get_token();
        context.progress = [this, lane = job.lane, number = job.number](double fraction, std::string_view doing) {
            QString text = QString::fromUtf8(doing.data(), static_cast<qsizetype>(doing.size()));
            QMetaObject::invokeMethod(
                this,
                [this, lane, number, fraction, text = std::move(text)] {
                    if (const auto found = m_active.find(lane);
                        found != m_active.end() && found->second.number == number)
                        Q_EMIT progressed(lane, fraction, text);
                },
                Qt::QueuedConnection);
        };
        const Post post = [this, lane = job.lane, number = job.number](Box box) {
            hand([this, lane, number, box = std::move(box)]() mutable {
                onPart(lane, number, box);
                discard(std::move(box));
            });
        };
        Box box = job.work(context, post);
        hand([this, lane = job.lane, number = job.number, box = std::move(box)]() mutable {
            onDone(lane, number, box);
            discard(std::move(box));
        });
    }
}

void JobRunner::discard(Box box)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_discarded.push_back(std::move(box));
    }
    m_wake.notify_all();
}

void JobRunner::hand(std::function<void()> deliver)
{
    QMetaObject::invokeMethod(
        this,
        [this, deliver = std::move(deliver)]() mutable {
            m_ready.push_back(std::move(deliver));
            m_turn.start();
        },
        Qt::QueuedConnection);
}

void JobRunner::handNext()
{
    if (m_ready.empty()) {
        m_turn.stop();
        return;
    }
    auto deliver = std::move(m_ready.front());
    m_ready.pop_front();
    deliver();
}

void JobRunner::onPart(const QString &lane, quint64 number, const Box &box)
{
    const auto found = m_active.find(lane);
    if (found == m_active.end() || found->second.number != number || !found->second.receiver || !found->second.partial)
        return;
    const auto partial = found->second.partial; // a copy: the receiver may start the next job of this lane
    partial(box);
}

void JobRunner::onDone(const QString &lane, quint64 number, const Box &box)
{
    const auto found = m_active.find(lane);
    if (found == m_active.end() || found->second.number != number)
        return;
    const Active active = std::move(found->second);
    m_active.erase(found);
    if (active.receiver && active.done)
        active.done(box);
    if (!m_active.contains(lane))
        Q_EMIT finished(lane);
}

} // namespace palimpsest
