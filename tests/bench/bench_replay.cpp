// SPDX-License-Identifier: GPL-3.0-or-later
/// One thread of 2,000 steps replayed, swept and inferred: a made one, or the root of the file that
/// PALIMPSEST_BENCH_THREAD names (tests/oracle/make_big_thread.py makes such files).
#include "core/compaction/contextsize.h"
#include "core/compaction/replay.h"
#include "core/insight/infer/infer.h"
#include "core/insight/sweep/sweep.h"
#include "tests/bench/benchmark.h"
#include "tests/support/conversation.h"
#include "tests/support/recordedinput.h"

#include <QtTest>

#include <chrono>
#include <memory>
#include <thread>

using namespace palimpsest;
using namespace palimpsest::benchmark;

namespace {

using Kind = ContextSize::Kind;

Settings settingsOfRun()
{
    Settings settings;
    settings.model.provider = "openai";
    settings.keep = {Kind::Tokens, 4000};
    settings.truncateArgs =
        TruncateArgsSettings{ContextSize{Kind::Messages, 20}, {Kind::Messages, 20}, 2000, "...(argument truncated)"};
    settings.tools = std::int64_t{3000};
    settings.systemMessage = std::int64_t{500};
    settings.summaryText = std::string(1500, 's');
    return settings;
}

SettingsSet withTrigger(double tokens, Settings settings = settingsOfRun())
{
    settings.trigger = Trigger{{{Kind::Tokens, tokens}}};
    return setOf(std::move(settings));
}

ReplayOptions withoutTexts()
{
    ReplayOptions options;
    options.texts = false;
    options.summaries = SummarySource::Fixed;
    return options;
}

std::int64_t eventsOf(const Replay &replay)
{
    return std::count_if(
        replay.calls.begin(), replay.calls.end(), [](const ReplayedCall &call) { return call.event != nullptr; });
}

} // namespace

class BenchReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void firstReplay();
    void changedThreshold();
    void memoryOfOne();
    void memoryOverChanges();
    void sweepRate_data();
    void sweepRate();
    void inference();

private:
    /// 1,000 rounds of one answer and its results, and a last answer, with the events of a run and what its requests
    /// would have been reported as.
    static ThreadPtr madeThread();

    ReplayInputPtr m_input;
    double m_threadBytes = 0;
    std::unique_ptr<const Replayer> m_replayer;
    std::map<std::string, double> m_python;
    Reference m_copy;
};

ThreadPtr BenchReplay::madeThread()
{
    threadbuilder::Shape shape;
    shape.turns = 1;
    shape.callsPerTurn = 1000;
    shape.textSize = 200;
    shape.writes = 25;
    std::vector<MessagePtr> messages = threadbuilder::conversation(shape, 2);
    const Replayer replayer(ReplayInput::make(threadbuilder::thread(messages), ""));
    const auto replay = replayer.run(withTrigger(12000), withoutTexts());
    std::vector<EventPtr> events;
    auto call = replay->calls.begin();
    for (MessagePtr &message : messages) {
        if (message->kind != MessageKind::Ai)
            continue;
        auto reporting = std::make_shared<Message>(*message);
        reporting->usageMetadata = Value::map({{"input_tokens", Value(call->accepted()->tokens)},
            {"output_tokens", Value(0)}, {"total_tokens", Value(call->accepted()->tokens)}});
        reporting->responseMetadata = Value::map({{"model_provider", Value("openai")}});
        message = std::move(reporting);
        events.push_back((call++)->event);
    }
    return threadbuilder::thread(messages, events);
}

void BenchReplay::initTestCase()
{
    const double before = heapBytes();
    if (const QByteArray file = qgetenv("PALIMPSEST_BENCH_THREAD"); !file.isEmpty()) {
        m_input = recordedInput(file.toStdString());
        QVERIFY2(m_input, "PALIMPSEST_BENCH_THREAD cannot be read");
        // What reading left behind beside the thread is small; the input itself is undone again.
        const ThreadPtr thread = m_input->threadPtr();
        m_input.reset();
        m_threadBytes = heapBytes() - before;
        m_input = ReplayInput::make(thread, "");
    } else {
        const ThreadPtr thread = madeThread();
        m_threadBytes = heapBytes() - before;
        m_input = ReplayInput::make(thread, "");
    }
    m_replayer = std::make_unique<const Replayer>(m_input);
    std::vector<MessagePtr> messages;
    for (const ReplayInput::Original &original : m_input->tracks().front().messages)
        messages.push_back(original.message);
    m_python = pythonTimes(messages, "replay");
    m_copy = copyReference(messages);
    std::printf("bench: %zu messages, %zu calls, thread %.2f MB\n", messages.size(), m_input->calls().size(),
        m_threadBytes / 1e6);
}

void BenchReplay::firstReplay()
{
    std::int64_t events = 0;
    const double ms = median(9, [&] {
        const Replayer fresh(ReplayInput::make(m_input->threadPtr(), ""));
        events = eventsOf(*fresh.run(withTrigger(12000), withoutTexts()));
    });
    report("a replay, the first time", ms, 5.0, {m_copy, {"Python", m_python["replay"]}});
    QVERIFY(events > 0);
}

void BenchReplay::changedThreshold()
{
    double tokens = 12000;
    (void)m_replayer->run(withTrigger(tokens), withoutTexts());
    const double ms = median(25, [&] { (void)m_replayer->run(withTrigger(tokens += 100), withoutTexts()); });
    report("a replay, another threshold", ms, 1.0, {m_copy, {"Python", m_python["replay"]}});
}

void BenchReplay::memoryOfOne()
{
    (void)m_replayer->run(withTrigger(12000), withoutTexts());
    const double before = heapBytes();
    const auto kept = m_replayer->run(withTrigger(12000), withoutTexts());
    const double bytes = heapBytes() - before;
    std::printf("bench: %-46s %10.3f MB   %.1f %% of the thread's, goal 5 %%  %s   (%lld events)\n",
        "memory of a replay", bytes / 1e6, 100 * bytes / m_threadBytes,
        bytes <= 0.05 * m_threadBytes ? "reached" : "missed ", static_cast<long long>(eventsOf(*kept)));
}

/// A user who moves sliders: thresholds, and limits that prepare the log anew.
void BenchReplay::memoryOverChanges()
{
    const Replayer replayer(m_input);
    std::unique_ptr<Replay> shown;
    const auto change = [&](int i) {
        Settings settings = settingsOfRun();
        settings.keep = {Kind::Messages, 4.0 + i % 10};
        if (i % 10 == 0)
            settings.toolTokenLimitBeforeEvict = 200 + i;
        ReplayOptions options = withoutTexts();
        options.summaries = i % 2 == 0 ? SummarySource::Fixed : SummarySource::Recorded;
        shown = std::make_unique<Replay>(*replayer.run(withTrigger(8000 + 20 * i, settings), options));
    };
    for (int i = 0; i < 250; ++i)
        change(i);
    const double before = heapBytes();
    for (int i = 250; i < 1250; ++i)
        change(i);
    const double grown = heapBytes() - before;
    std::printf("bench: %-46s %10.3f MB   %.1f %% of the thread's, goal flat (2 %%)  %s\n",
        "memory grown over 1,000 changes", grown / 1e6, 100 * grown / m_threadBytes,
        grown <= 0.02 * m_threadBytes ? "reached" : "missed ");
}

void BenchReplay::sweepRate_data()
{
    QTest::addColumn<int>("source");
    QTest::newRow("fixed") << static_cast<int>(SummarySource::Fixed);
    QTest::newRow("extractive") << static_cast<int>(SummarySource::Extractive);
    QTest::newRow("recorded") << static_cast<int>(SummarySource::Recorded);
}

/// A grid of triggers and keeps, as `sweep` runs it.
void BenchReplay::sweepRate()
{
    QFETCH(int, source);
    SweepAxis triggers{"trigger", {}};
    for (int i = 0; i < 100; ++i)
        triggers.values.push_back(contextSizeToValue({Kind::Tokens, 8000.0 + 200 * i}));
    SweepAxis keeps{"keep", {}};
    for (int i = 0; i < 10; ++i)
        keeps.values.push_back(contextSizeToValue({Kind::Messages, 4.0 + i}));
    SweepGrid grid;
    grid.base = settingsToJson(settingsOfRun());
    grid.axes = {triggers, keeps};
    SweepOptions options;
    options.summaries = static_cast<SummarySource>(source);
    const auto cores = static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
    const auto begun = std::chrono::steady_clock::now();
    const double cpu = median(1, [&] {
        const auto result = palimpsest::sweep(grid, {{"bench", m_input}}, options, {});
        QVERIFY(result);
        QVERIFY(result->cells.front().total().events > 0);
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const auto rows = static_cast<double>(grid.size());
    const double rate = rows * 1000 * cores / cpu;
    std::printf("bench: sweep, %-39s %10.0f settings/s of %.0f cores' time (%.0f by the clock), goal 1000  %s",
        QTest::currentDataTag(), rate, cores, rows / seconds, rate >= 1000 ? "reached" : "missed ");
    if (m_python["replay"] > 0)
        std::printf("   Python %.2f a second and core", 1000 / m_python["replay"]);
    std::printf("\n");
}

void BenchReplay::inference()
{
    std::int64_t events = 0;
    std::size_t changes = 0;
    const double ms = median(3, [&] {
        const auto inference = inferSettings(*m_input);
        events = inference->events;
        changes = inference->changes.size();
    });
    report("settings inferred", ms, 2000, {m_copy, {"Python's replay of one setting", m_python["replay"]}});
    std::printf("bench: %lld events, %zu change points\n", static_cast<long long>(events), changes);
}

QTEST_GUILESS_MAIN(BenchReplay)
#include "bench_replay.moc"
