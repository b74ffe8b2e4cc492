// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replay.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/bufferstring.h"
#include "core/compaction/stages/cutoff.h"
#include "tests/support/conversation.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/serde/json.h"
#include "core/values/json.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <malloc.h>
#include <thread>
#include <vector>

using namespace palimpsest;

namespace {

/// Median of several runs, milliseconds.
double median(int runs, const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        QElapsedTimer timer;
        timer.start();
        work();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void report(const char *what, double ms, double goalMs, double pythonMs = -1)
{
    std::printf(
        "bench compaction: %-44s %10.4f ms   goal %9.4f ms  %s", what, ms, goalMs, ms <= goalMs ? "reached" : "MISSED");
    if (pythonMs > 0)
        std::printf("   Python %9.3f ms, ratio %.5f", pythonMs, ms / pythonMs);
    std::printf("\n");
    std::fflush(stdout);
}

SettingsSet setOf(Settings settings)
{
    SettingsSet set;
    set.namespaces[""] = {{1, std::move(settings)}};
    return set;
}

/// About ten thousand messages.
std::vector<MessagePtr> manyMessages()
{
    threadbuilder::Shape shape;
    shape.turns = 40;
    shape.callsPerTurn = 82;
    shape.textSize = 100;
    shape.writes = 20;
    std::vector<MessagePtr> messages = threadbuilder::conversation(shape, 1);
    if (messages.size() > 10000)
        messages.resize(10000);
    return messages;
}

/// The same stages in the package, when PALIMPSEST_PYTHON names an interpreter that has it: milliseconds by name.
std::map<std::string, double> pythonTimes(const std::vector<MessagePtr> &messages)
{
    const QString python = qEnvironmentVariable("PALIMPSEST_PYTHON");
    if (python.isEmpty())
        return {};
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("messages.json")));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    Value::List list;
    for (const MessagePtr &message : messages)
        list.push_back(messageToValue(*message));
    file.write(QByteArray::fromStdString(toJson(Value(std::move(list)))));
    file.close();
    QProcess process;
    process.start(python, {QStringLiteral("tests/bench/compaction_reference.py"), file.fileName()});
    if (!process.waitForFinished(600000))
        return {};
    std::map<std::string, double> times;
    const auto answer = parseJson(process.readAllStandardOutput().toStdString());
    for (const auto &[name, ms] : answer ? answer->asMap() : Value::Map())
        times[name.asText()] = ms.asDouble();
    return times;
}

} // namespace

class BenchCompaction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stages();
    void replay();

private:
    static void sweep(const Replayer &replayer, Settings settings);
};

void BenchCompaction::stages()
{
    const std::vector<MessagePtr> messages = manyMessages();
    auto python = pythonTimes(messages);
    std::printf("bench compaction: %zu messages\n", messages.size());
    RequestView view;
    report("count, first time", median(5, [&] { view = viewOf(messages, {4.0, true}); }), 3.0, python["count"]);
    CompactionRules rules;
    rules.keep = {ContextSize::Kind::Tokens, 20000};
    std::int64_t cutoff = 0;
    const double hundred = median(5, [&] {
        for (int i = 0; i < 100; ++i) {
            rules.keep.value += 1;
            cutoff += determineCutoffIndex(view, rules);
        }
    });
    report("token cutoff", hundred / 100, 0.020, python["cutoff"]);
    std::string xml;
    report("XML", median(5, [&] { xml = *bufferStringXml(messages); }), 10.0, python["xml"]);
    CompactionRules truncating;
    truncating.truncateArgs = TruncateArgsSettings{ContextSize{ContextSize::Kind::Messages, 1},
        {ContextSize::Kind::Messages, 20}, 2000, "...(argument truncated)"};
    const RequestView prepared = viewOf(messages, {4.0, true}, truncating.truncateArgs);
    std::int64_t changed = 0;
    report("argument truncation, arguments known",
        median(5, [&] { changed = truncateArgs(prepared, 0, truncating).changed; }), 7.0, python["truncate"]);
    QVERIFY(cutoff > 0 && !xml.empty() && changed > 0);
}

void BenchCompaction::replay()
{
    // 2,000 steps, 1,001 calls: every call has one result, and counts tools and a system message.
    threadbuilder::Shape shape;
    shape.turns = 1;
    shape.callsPerTurn = 1000;
    shape.textSize = 200;
    shape.writes = 25;
    shape.reports = true;
    const auto bytes = [] { return static_cast<double>(mallinfo2().uordblks) / 1e6; };
    const double none = bytes();
    const ThreadPtr thread = threadbuilder::thread(threadbuilder::conversation(shape, 2));
    const double threadBytes = bytes() - none;
    Settings settings;
    settings.model.provider = "openai";
    settings.keep = {ContextSize::Kind::Tokens, 4000};
    settings.truncateArgs = TruncateArgsSettings{ContextSize{ContextSize::Kind::Messages, 20},
        {ContextSize::Kind::Messages, 20}, 2000, "...(argument truncated)"};
    settings.tools = std::int64_t{3000};
    settings.systemMessage = std::int64_t{500};
    settings.summaryText = std::string(1500, 's');
    ReplayOptions options;
    options.texts = false;
    options.summaries = SummarySource::Fixed;
    const auto withTrigger = [&](double tokens) {
        settings.trigger = Trigger{{{ContextSize::Kind::Tokens, tokens}}};
        return setOf(settings);
    };
    ReplayInputPtr input;
    std::size_t events = 0;
    const SettingsSet first = withTrigger(12000);
    report("replay: first time, undoing changes, counting all",
        median(5,
            [&] {
                input = ReplayInput::make(thread, "");
                const Replayer fresh(input);
                const auto replay = fresh.run(first, options);
                events = static_cast<std::size_t>(std::count_if(replay->calls.begin(), replay->calls.end(),
                    [](const ReplayedCall &call) { return call.event != nullptr; }));
            }),
        5.0);
    const Replayer replayer(input);
    (void)replayer.run(first, options);
    double tokens = 12000;
    report(
        "replay: changed threshold", median(15, [&] { (void)replayer.run(withTrigger(tokens += 100), options); }), 1.0);
    const double before = bytes();
    const auto kept = replayer.run(first, options);
    const double replayed = bytes() - before;
    std::printf(
        "bench compaction: %zu calls, %zu events; a replay takes %.3f MB, the thread %.3f MB (%.1f %%, goal 5)\n",
        kept->calls.size(), events, replayed, threadBytes, 100 * replayed / threadBytes);
    QVERIFY(events > 0);
    sweep(replayer, settings);
}

/// What a sweep asks for: other triggers and other keeps, with summaries as a replay has them.
void BenchCompaction::sweep(const Replayer &replayer, Settings settings)
{
    constexpr int rows = 1000;
    std::vector<SettingsSet> grid;
    for (int i = 0; i < rows; ++i) {
        settings.trigger = Trigger{{{ContextSize::Kind::Tokens, 8000.0 + 20 * i}}};
        settings.keep = {ContextSize::Kind::Messages, 4.0 + i % 10};
        grid.push_back(setOf(settings));
    }
    for (const SummarySource source : {SummarySource::Fixed, SummarySource::Recorded}) {
        ReplayOptions options;
        options.summaries = source;
        std::atomic<int> next = 0;
        std::atomic<std::int64_t> events = 0;
        const double ms = median(3, [&] {
            next = 0;
            std::vector<std::jthread> workers;
            for (int w = 0; w < 2; ++w) {
                workers.emplace_back([&] {
                    for (int i = next++; i < rows; i = next++)
                        events += replayer.totals(grid[static_cast<std::size_t>(i)], options)->events;
                });
            }
        });
        report(source == SummarySource::Fixed ? "sweep of 1000 settings, two threads, fixed summaries"
                                              : "sweep of 1000 settings, two threads, extractive",
            ms, 1000.0);
        QVERIFY(events > 0);
    }
}

QTEST_APPLESS_MAIN(BenchCompaction)
#include "bench_compaction.moc"
