// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace palimpsest {

/// One worker thread and its queue. Jobs have a lane; a new job of a lane stops and replaces the one before it: the
/// newest wins. Work captures values only and hands back a value; `done` runs on the runner's own thread, and only when
/// the job was not replaced, not cancelled and its receiver still lives.
class JobRunner : public QObject {
    Q_OBJECT
public:
    /// How the worker stands against the window: what nobody waits for runs only when nothing else would.
    enum class Urgency { Awaited, Idle };

    explicit JobRunner(Urgency urgency = Urgency::Awaited, QObject *parent = nullptr);
    ~JobRunner() override;

    /// `work(const JobContext &)` gives a value that `done(value)` receives.
    template <class Work, class Done> void run(const QString &lane, QObject *receiver, Work work, Done done)
    {
        using T = std::invoke_result_t<Work, const JobContext &>;
        start(
            lane, receiver,
            [work = std::move(work)](
                const JobContext &job, const Post &) -> Box { return std::make_shared<T>(work(job)); },
            {}, [done = std::move(done)](const Box &box) mutable { done(std::move(*static_cast<T *>(box.get()))); });
    }

    /// As `run`, with results before the end: `work(job, emit)` calls `emit(part)` of type Part, `partial(part)`
    /// receives them in order.
    template <class Part, class Work, class Partial, class Done>
    void runInParts(const QString &lane, QObject *receiver, Work work, Partial partial, Done done)
    {
        using Emit = std::function<void(Part)>;
        using T = std::invoke_result_t<Work, const JobContext &, const Emit &>;
        start(
            lane, receiver,
            [work = std::move(work)](const JobContext &job, const Post &post) -> Box {
                const Emit emitPart = [post](Part part) { post(std::make_shared<Part>(std::move(part))); };
                return std::make_shared<T>(work(job, emitPart));
            },
            [partial = std::move(partial)](
                const Box &box) mutable { partial(std::move(*static_cast<Part *>(box.get()))); },
            [done = std::move(done)](const Box &box) mutable { done(std::move(*static_cast<T *>(box.get()))); });
    }

    /// Something to do on the worker's thread before it ends: let go of what belongs to that thread.
    void setAtEnd(std::function<void()> atEnd);
    /// Stops a lane's job and drops its result.
    void cancel(const QString &lane);
    void cancelAll();
    [[nodiscard]] bool isBusy() const { return !m_active.empty(); }
    [[nodiscard]] bool isBusy(const QString &lane) const { return m_active.contains(lane); }

Q_SIGNALS:
    void started(const QString &lane);
    /// Fraction from 0 to 1, negative when unknown.
    void progressed(const QString &lane, double fraction, const QString &doing);
    /// The lane has nothing to do any more: done or cancelled.
    void finished(const QString &lane);

private:
    using Box = std::shared_ptr<void>;
    using Post = std::function<void(Box)>;
    struct Job {
        quint64 number = 0;
        QString lane;
        std::stop_source stop;
        std::function<Box(const JobContext &, const Post &)> work;
    };
    struct Active {
        quint64 number = 0;
        std::stop_source stop;
        QPointer<QObject> receiver;
        std::function<void(const Box &)> partial;
        std::function<void(const Box &)> done;
    };

    void start(const QString &lane, QObject *receiver, std::function<Box(const JobContext &, const Post &)> work,
        std::function<void(const Box &)> partial, std::function<void(const Box &)> done);
    void loop(const std::stop_token &quit);
    /// Runs `deliver` on the runner's thread in a turn of the event loop of its own, so that results that are ready
    /// together do not hold up the window together.
    void hand(std::function<void()> deliver);
    void handNext();
    /// Lets the worker take a result apart that was handed over: a thread of ten thousand states takes its time.
    void discard(Box box);
    void onPart(const QString &lane, quint64 number, const Box &box);
    void onDone(const QString &lane, quint64 number, const Box &box);

    std::map<QString, Active> m_active;
    quint64 m_next = 1;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Job> m_queue;
    std::vector<Box> m_discarded;
    std::function<void()> m_atEnd;
    std::deque<std::function<void()>> m_ready; ///< results not handed over yet; of the runner's own thread
    QTimer m_turn;
    std::jthread m_worker;
};

} // namespace palimpsest
