// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/followed.h"

#include "app/desk.h"
#include "core/values/json.h"
#include "views/widgets/timelineview.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QEvent>
#include <QEventLoop>
#include <QScrollBar>
#include <QTimer>

#include <cmath>
#include <iostream>
#include <time.h>

namespace palimpsest {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr double idlePercent = 1;
constexpr double shownMilliseconds = 300;

/// Processor time of all threads of this process, in milliseconds.
double processCpu()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
}

std::int64_t systemMilliseconds()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Value rounded(double value)
{
    return Value(std::round(value * 1000) / 1000);
}

void print(const Value &line)
{
    std::string json;
    writeJson(json, line);
    std::cout << json << std::endl; // who waits for the line gets it at once
}

/// Sees each change of the thread until it is painted, and what the process costs between changes.
class Watcher : public QObject {
public:
    explicit Watcher(Desk &desk)
        : m_desk(desk)
        , m_list(
              desk.window().dock(u"raw"_s) ? desk.window().dock(u"raw"_s)->findChild<QAbstractItemView *>() : nullptr)
        , m_timeline(desk.window().findChild<TimelineView *>())
    {
        if (m_timeline)
            m_timeline->installEventFilter(this);
        connect(desk.session().focus(), &Focus::threadChanged, this, [this] { m_waiting = true; });
        m_second.setInterval(1s);
        connect(&m_second, &QTimer::timeout, this, &Watcher::countSecond);
        m_second.start();
        m_cpu = processCpu();
    }

    /// What is there now.
    void show(const char *event) const
    {
        const ThreadPtr thread = m_desk.session().focus()->thread();
        const ThreadNamespace *space = thread && !thread->namespaces.empty() ? &thread->namespaces.front() : nullptr;
        const Checkpoint *newest = space && !space->checkpoints.empty() ? &space->checkpoints.back() : nullptr;
        const QScrollBar *bar = m_list ? m_list->verticalScrollBar() : nullptr;
        print(Value::map({{"event", Value(event)}, {"shown_at_ms", Value(systemMilliseconds())},
            {"newest", newest ? Value(newest->id) : Value()},
            {"checkpoints", Value(static_cast<std::int64_t>(space ? space->checkpoints.size() : 0))},
            {"messages", Value(static_cast<std::int64_t>(newest ? newest->messages.size() : 0))},
            {"rows", Value(m_list && m_list->model() ? m_list->model()->rowCount() : 0)},
            {"scrolled_to", bar ? Value(bar->value()) : Value()},
            {"selected", Value(m_desk.session().selection()->place().message)}}));
    }

    void end() const
    {
        const double percent = m_idleSeconds > 0 ? m_idleCpu / (m_idleSeconds * 10) : 0;
        print(Value::map({{"event", Value("end")}, {"changes", Value(m_changes)}, {"idle_s", Value(m_idleSeconds)},
            {"idle_cpu_percent", rounded(percent)},
            {"goals",
                Value::map({{"idle_cpu_percent", rounded(idlePercent)}, {"shown_ms", rounded(shownMilliseconds)}})}}));
    }

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Paint && watched == m_timeline && m_waiting) {
            m_waiting = false;
            ++m_changes;
            m_changed = true;
            // The event loop goes on when all of the frame is painted.
            QTimer::singleShot(0, this, [this] { show("shown"); });
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void countSecond()
    {
        const double cpu = processCpu();
        const bool works =
            m_desk.session().isBusy() || m_desk.session().workers().isBusy() || m_desk.session().background().isBusy();
        // What follows a change in jobs is not idleness either.
        if (!m_changed && !m_worked && !works) {
            m_idleCpu += cpu - m_cpu;
            ++m_idleSeconds;
        }
        m_cpu = cpu;
        m_worked = works;
        m_changed = false;
    }

    Desk &m_desk;
    QAbstractItemView *m_list;
    TimelineView *m_timeline;
    QTimer m_second;
    bool m_waiting = false;
    bool m_changed = true; ///< in this second; the first one is not whole
    bool m_worked = false;
    int m_changes = 0;
    int m_idleSeconds = 0;
    double m_cpu = 0;
    double m_idleCpu = 0;
};

} // namespace

int watchFollowed(Desk &desk, std::chrono::milliseconds time)
{
    Watcher watcher(desk);
    desk.session().setFollowing(true);
    watcher.show("begin");
    QEventLoop loop;
    QTimer::singleShot(time, &loop, &QEventLoop::quit);
    loop.exec();
    watcher.end();
    return 0;
}

} // namespace palimpsest
