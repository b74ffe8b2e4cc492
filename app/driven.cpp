// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/driven.h"

#include "app/corereader.h"
#include "app/desk.h"
#include "app/followed.h"
#include "app/measuredapplication.h"
#include "app/tuning.h"
#include "app/windowarguments.h"
#include "core/thread/states.h"
#include "core/values/json.h"
#include "models/display.h"
#include "models/logfacts.h"
#include "views/widgets/timelineview.h"

#include <immer/flex_vector_transient.hpp>

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QPainter>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <format>
#include <iostream>
#include <optional>

namespace palimpsest {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto patience = 120s;
constexpr int frames = 240;
constexpr int settingChanges = 60;
constexpr int syntheticMessages = 100'000;

double millisecondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// What the options of a driven window are.
struct DrivenArguments {
    bool measure = false;
    std::string picture;
    QString theme;
    QString layout = u"read"_s;
    QStringList steps; ///< commands of the window by their names, or "pane:" and a pane's name
    QSize size{1600, 1000};
    int followSeconds = 0; ///< with `measure`: only what following costs, for so long
    std::vector<std::string> rest; ///< the window's own
};

Result<DrivenArguments> parse(const std::vector<std::string> &args)
{
    DrivenArguments parsed;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string &word = args[i];
        if (word == "--measure") {
            parsed.measure = true;
            continue;
        }
        if (word != "--picture" && word != "--theme" && word != "--size" && word != "--layout" && word != "--do"
            && word != "--follow") {
            parsed.rest.push_back(word);
            continue;
        }
        if (i + 1 == args.size())
            return failure(Error::Code::Invalid, word, "A value must follow it.");
        const QString value = QString::fromStdString(args[++i]);
        if (word == "--picture") {
            parsed.picture = value.toStdString();
        } else if (word == "--theme") {
            parsed.theme = value;
        } else if (word == "--layout") {
            parsed.layout = value;
        } else if (word == "--do") {
            parsed.steps << value;
        } else if (word == "--follow") {
            parsed.followSeconds = value.toInt();
            if (parsed.followSeconds < 1)
                return failure(Error::Code::Invalid, word, "Give a number of seconds.");
        } else {
            const QStringList sides = value.split(u'x');
            parsed.size = sides.size() == 2 ? QSize(sides[0].toInt(), sides[1].toInt()) : QSize();
            if (parsed.size.width() < 200 || parsed.size.height() < 200 || parsed.size.width() > 8000
                || parsed.size.height() > 8000)
                return failure(Error::Code::Invalid, word, "Give width and height in pixels, for example 1600x1000.");
        }
    }
    return parsed;
}

/// Beats every millisecond; the longest time between two beats is the longest the event loop could not react.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(1ms);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            const double gap = millisecondsSince(m_last) - 1.0;
            const double cpu = MeasuredApplication::threadCpu();
            m_longest = std::max(m_longest, gap);
            m_longestCpu = std::max(m_longestCpu, cpu - m_lastCpu);
            m_last = Clock::now();
            m_lastCpu = cpu;
        });
    }
    void start()
    {
        m_last = Clock::now();
        m_lastCpu = MeasuredApplication::threadCpu();
        m_longest = m_longestCpu = 0;
        m_timer.start();
    }
    void stop() { m_timer.stop(); }
    [[nodiscard]] double longest() const { return m_longest; }
    /// The most that the window's thread worked between two beats: what other programs do does not change it.
    [[nodiscard]] double longestCpu() const { return m_longestCpu; }

private:
    QTimer m_timer;
    Clock::time_point m_last;
    double m_lastCpu = 0;
    double m_longest = 0;
    double m_longestCpu = 0;
};

/// Sees when the thread is painted for the first time: its messages and its timeline.
class FirstPicture : public QObject {
public:
    FirstPicture(MainWindow &window, Clock::time_point begin)
        : m_begin(begin)
        , m_list(window.dock(u"raw"_s) ? window.dock(u"raw"_s)->findChild<QAbstractItemView *>() : nullptr)
        , m_timeline(window.findChild<TimelineView *>())
    {
        if (m_list)
            m_list->viewport()->installEventFilter(this);
        if (m_timeline)
            m_timeline->installEventFilter(this);
    }
    [[nodiscard]] std::optional<double> milliseconds() const { return m_milliseconds; }

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Paint && !m_milliseconds) {
            if (m_list && watched == m_list->viewport() && m_list->model() && m_list->model()->rowCount() > 0)
                m_listPainted = true;
            if (watched == m_timeline && m_timeline->scene().data)
                m_timelinePainted = true;
            // The event loop goes on when all of the frame is painted.
            if (m_listPainted && m_timelinePainted)
                QTimer::singleShot(0, this, [this] {
                    if (!m_milliseconds)
                        m_milliseconds = millisecondsSince(m_begin);
                });
        }
        return QObject::eventFilter(watched, event);
    }

private:
    Clock::time_point m_begin;
    QAbstractItemView *m_list;
    TimelineView *m_timeline;
    bool m_listPainted = false;
    bool m_timelinePainted = false;
    std::optional<double> m_milliseconds;
};

/// Runs the event loop until the source that the desk opens is loaded and nothing is worked on. False when it failed or
/// took too long.
bool load(Desk &desk, const WindowArguments &arguments, std::string &error)
{
    QEventLoop loop;
    bool loaded = false;
    Session &session = desk.session();
    QObject::connect(&session, &Session::failed, &loop, [&](const Error &what) {
        error = what.where + ": " + what.what;
        loop.exit(1);
    });
    QObject::connect(&session, &Session::threadLoaded, &loop, [&] { loaded = true; });
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        const bool nothing = !session.location().isEmpty() && session.threads().empty();
        if ((loaded || nothing) && !session.isBusy() && !session.workers().isBusy())
            loop.exit(0);
    });
    look.start(2ms);
    QTimer::singleShot(patience, &loop, [&] {
        error = arguments.source + ": Loading took more than two minutes.";
        loop.exit(1);
    });
    return loop.exec() == 0;
}

void settle(std::chrono::milliseconds time)
{
    QEventLoop loop;
    QTimer::singleShot(time, &loop, &QEventLoop::quit);
    loop.exec();
}

double p95(std::vector<double> &times)
{
    if (times.empty())
        return 0;
    std::ranges::sort(times);
    return times[std::min(
        times.size() - 1, static_cast<std::size_t>(std::ceil(static_cast<double>(times.size()) * 0.95)) - 1)];
}

/// One frame: a change, and all that it makes the window do until it is painted.
template <class Change> double frame(Change change)
{
    const auto begin = Clock::now();
    change();
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    return millisecondsSince(begin);
}

std::optional<double> scroll(QAbstractItemView *list)
{
    if (!list)
        return std::nullopt;
    QScrollBar *bar = list->verticalScrollBar();
    std::vector<double> times;
    // By pages through the middle, then by leaps through the whole.
    const int page = std::max(1, bar->pageStep() / 3);
    int place = bar->maximum() / 2;
    for (int i = 0; i < frames / 2; ++i)
        times.push_back(frame([&] { bar->setValue(place += page); }));
    for (int i = 0; i < frames / 2; ++i)
        times.push_back(frame(
            [&] { bar->setValue(static_cast<int>(static_cast<double>(bar->maximum()) * i / (frames / 2 - 1))); }));
    return p95(times);
}

std::optional<double> scrub(TimelineView *timeline)
{
    if (!timeline || timeline->mapping().count() == 0)
        return std::nullopt;
    std::vector<double> times;
    const std::int64_t count = timeline->mapping().count();
    for (int i = 0; i < frames; ++i)
        times.push_back(frame([&] { timeline->goTo(count * i / frames); }));
    return p95(times);
}

/// From a changed trigger until its events are on the screen; the triggers go through all that the thread reaches.
std::optional<double> tune(Desk &desk)
{
    auto *tuning = desk.window().findChild<Tuning *>();
    if (!tuning)
        return std::nullopt;
    QEventLoop ready;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &ready, [&] {
        if (!tuning->isBusy())
            ready.quit();
    });
    look.start(2ms);
    QTimer::singleShot(patience, &ready, &QEventLoop::quit);
    ready.exec();
    if (!tuning->input())
        return std::nullopt;
    double longest = 20;
    for (const ReplayInput::CallInput &call : tuning->input()->calls())
        longest = std::max(longest, static_cast<double>(call.length));
    std::vector<double> times;
    for (int i = 0; i < settingChanges; ++i) {
        const auto messages =
            static_cast<std::int64_t>(10 + (longest - 10) * ((i * 7) % settingChanges) / settingChanges);
        times.push_back(frame([&] {
            QEventLoop loop;
            QObject::connect(tuning, &Tuning::whatIfChanged, &loop, &QEventLoop::quit);
            QTimer::singleShot(10s, &loop, &QEventLoop::quit);
            tuning->model()->setValue(
                "trigger", Value::list({Value("messages"), Value(messages)}), TuningModel::Step::GoesOn);
            loop.exec();
        }));
    }
    return p95(times);
}

/// A thread of many messages, with the id of the one that is open, so that the selection stays.
ThreadPtr syntheticThread(const std::string &id)
{
    auto thread = std::make_shared<Thread>();
    thread->id = id;
    ThreadNamespace space;
    Checkpoint checkpoint;
    checkpoint.id = "synthetic";
    auto log = MessageLog().transient();
    for (int i = 0; i < syntheticMessages; ++i) {
        auto message = std::make_shared<Message>();
        message->kind = i % 3 == 0 ? MessageKind::Human : i % 3 == 1 ? MessageKind::Ai : MessageKind::Tool;
        message->type = typeName(message->kind);
        message->id = std::format("synthetic-{}", i);
        message->content = Value(std::format(
            "Message {} says something that is long enough to be cut at the end of its row, {} times over", i, i % 7));
        log.push_back(std::move(message));
    }
    checkpoint.messages = log.persistent();
    space.checkpoints.push_back(std::move(checkpoint));
    space.heads.push_back(CheckpointIndex(0));
    thread->namespaces.push_back(std::move(space));
    return thread;
}

Value rounded(std::optional<double> value)
{
    return value ? Value(std::round(*value * 100) / 100) : Value();
}

/// What a release build on an idle machine is to keep to on threads of 2,000 and 10,000 steps.
Value goals()
{
    return Value::map(
        {{"first_picture_ms", Value(300)}, {"longest_stall_ms", Value(30)}, {"scroll_frame_ms_p95", Value(16)},
            {"scrub_frame_ms_p95", Value(16)}, {"setting_to_screen_ms_p95", Value(50)}});
}

int measure(MeasuredApplication &application, Desk &desk, const WindowArguments &arguments, Clock::time_point begin)
{
    FirstPicture picture(desk.window(), begin);
    Heartbeat heart;
    desk.window().show();
    application.restart();
    heart.start();
    std::string error;
    if (!load(desk, arguments, error)) {
        std::cerr << "palimpsest: " << error << '\n';
        return 2;
    }
    QCoreApplication::processEvents();
    const double all = millisecondsSince(begin);
    heart.stop();
    const MeasuredApplication::Stretch stretch = application.longest();
    const double first = picture.milliseconds().value_or(all);
    const double loaded = peakRssMb();
    const std::optional<double> scrubbed = scrub(desk.window().findChild<TimelineView *>());
    settle(50ms);
    const std::optional<double> tuned = tune(desk);
    const double memory = peakRssMb();

    Focus &focus = *desk.session().focus();
    QAbstractItemView *list =
        desk.window().dock(u"raw"_s) ? desk.window().dock(u"raw"_s)->findChild<QAbstractItemView *>() : nullptr;
    const ThreadPtr synthetic = syntheticThread(desk.session().selection()->place().thread);
    focus.setThread(synthetic);
    if (const auto facts = makeLogFacts(synthetic, {}))
        focus.setFacts(*facts);
    settle(300ms);
    const std::optional<double> scrolled = scroll(list);

    std::string json;
    writeJson(json,
        Value::map({{"first_picture_ms", rounded(first)}, {"all_loaded_ms", rounded(all)},
            {"longest_stall_ms", rounded(heart.longest())}, {"scroll_frame_ms_p95", rounded(scrolled)},
            {"setting_to_screen_ms_p95", rounded(tuned)}, {"peak_rss_mb", rounded(memory)},
            {"scrub_frame_ms_p95", rounded(scrubbed)}, {"scrolled_messages", Value(syntheticMessages)},
            {"longest_stall_cpu_ms", rounded(heart.longestCpu())}, {"longest_event", Value(fromQString(stretch.what))},
            {"longest_event_cpu_ms", rounded(stretch.cpuMilliseconds)}, {"loaded_rss_mb", rounded(loaded)},
            {"goals", goals()}}));
    std::cout << json << '\n';
    return 0;
}

/// Opens the source and prints what following it shows and costs.
int follow(Desk &desk, const WindowArguments &arguments, int seconds)
{
    desk.window().show();
    std::string error;
    if (!load(desk, arguments, error)) {
        std::cerr << "palimpsest: " << error << '\n';
        return 2;
    }
    return watchFollowed(desk, std::chrono::seconds(seconds));
}

/// Triggers a command, or brings a pane to the front; false when there is none of that name.
bool doStep(Desk &desk, const QString &step)
{
    if (step.startsWith("pane:"_L1)) {
        const bool there = desk.window().dock(step.sliced(5)) != nullptr;
        if (there)
            desk.window().raisePane(step.sliced(5));
        return there;
    }
    QAction *command = desk.window().command(step);
    if (command)
        command->trigger();
    return command != nullptr;
}

/// The window with the dialogs that are open, as they would lie over it.
QPixmap pictureOf(MainWindow &window)
{
    QPixmap picture = window.grab();
    QPainter painter(&picture);
    const auto dialogs = window.findChildren<QDialog *>();
    for (QDialog *dialog : dialogs) {
        if (!dialog->isVisible())
            continue;
        const QPixmap drawn = dialog->grab();
        const QRect place(
            QPoint((window.width() - dialog->width()) / 2, (window.height() - dialog->height()) / 2), dialog->size());
        painter.fillRect(QRect(QPoint(0, 0), window.size()), QColor(0, 0, 0, 70));
        painter.drawPixmap(place.topLeft(), drawn);
        painter.setPen(QColor(0, 0, 0, 110));
        painter.drawRect(place.adjusted(-1, -1, 0, 0));
    }
    return picture;
}

int takePicture(Desk &desk, const WindowArguments &arguments, const std::string &file, const DrivenArguments &driven)
{
    desk.window().show();
    std::string error;
    if (!arguments.source.empty() && !load(desk, arguments, error)) {
        std::cerr << "palimpsest: " << error << '\n';
        return 2;
    }
    if (!arguments.source.empty())
        desk.window().useLayout(driven.layout);
    for (const QString &step : driven.steps) {
        settle(400ms);
        if (!doStep(desk, step)) {
            std::cerr << "palimpsest: --do " << step.toStdString() << ": There is no such command or pane.\n";
            return 2;
        }
    }
    if (QWidget *focused = QApplication::focusWidget())
        focused->clearFocus();
    settle(driven.steps.isEmpty() ? 700ms : 2500ms); // what is laid out in slices or answered in a job
    if (!pictureOf(desk.window()).save(QString::fromStdString(file))) {
        std::cerr << "palimpsest: " << file
                  << ": The picture cannot be written there; choose another place or a name that ends in .png.\n";
        return 2;
    }
    return 0;
}

} // namespace

bool isDrivenCall(const std::vector<std::string> &args)
{
    return std::ranges::any_of(
        args, [](const std::string &word) { return word == "--measure" || word == "--picture"; });
}

int runDriven(int &argc, char **argv, const std::vector<std::string> &args)
{
    const auto begin = Clock::now();
    const auto driven = parse(args);
    const auto arguments = driven ? parseWindowArguments(driven->rest) : tl::unexpected(driven.error());
    if (!arguments) {
        std::cerr << "palimpsest: " << arguments.error().where << ": " << arguments.error().what << '\n';
        return 2;
    }
    if (driven->measure && arguments->source.empty()) {
        std::cerr << "palimpsest: --measure: Name the source to open.\n";
        return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    MeasuredApplication application(argc, argv);
    QApplication::setApplicationName(u"palimpsest"_s);
    // Settings of their own, so that neither a measurement nor a picture depends on what was done before.
    const QTemporaryDir folder;
    SettingsStore settings(folder.filePath(u"settings.ini"_s));
    settings.setValue(u"theme"_s, driven->theme.isEmpty() ? u"light"_s : driven->theme);
    DialogPrompts prompts;
    Desk desk(application, settings, prompts, coreReader(), *arguments);
    desk.window().resize(driven->size);
    if (driven->measure && driven->followSeconds > 0)
        return follow(desk, *arguments, driven->followSeconds);
    return driven->measure ? measure(application, desk, *arguments, begin)
                           : takePicture(desk, *arguments, driven->picture, *driven);
}

} // namespace palimpsest
