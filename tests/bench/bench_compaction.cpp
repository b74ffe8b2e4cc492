// SPDX-License-Identifier: GPL-3.0-or-later
/// The stages on ten thousand messages: made ones, or those of the file that PALIMPSEST_BENCH_THREAD names.
#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/bufferstring.h"
#include "core/compaction/stages/cutoff.h"
#include "tests/bench/benchmark.h"
#include "tests/support/conversation.h"
#include "tests/support/recordedinput.h"

#include <QtTest>

using namespace palimpsest;
using namespace palimpsest::benchmark;

class BenchCompaction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void firstCount();
    void cutoff();
    void xml();
    void truncation();

private:
    void measureReferences();
    [[nodiscard]] std::vector<Reference> references(const char *python)
    {
        return {m_copy, {"Python", m_python[python]}};
    }

    std::vector<MessagePtr> m_messages;
    std::map<std::string, double> m_python;
    Reference m_copy;
};

void BenchCompaction::initTestCase()
{
    if (const QByteArray file = qgetenv("PALIMPSEST_BENCH_THREAD"); !file.isEmpty()) {
        const ReplayInputPtr input = recordedInput(file.toStdString());
        QVERIFY2(input, "PALIMPSEST_BENCH_THREAD cannot be read");
        for (const ReplayInput::Original &original : input->tracks().front().messages)
            m_messages.push_back(original.message);
        measureReferences();
        return;
    }
    threadbuilder::Shape shape;
    shape.turns = 42;
    shape.callsPerTurn = 82;
    shape.textSize = 100;
    shape.writes = 20;
    m_messages = threadbuilder::conversation(shape, 1);
    QVERIFY(m_messages.size() >= 10000);
    m_messages.resize(10000);
    measureReferences();
}

void BenchCompaction::measureReferences()
{
    std::printf("bench: %zu messages\n", m_messages.size());
    m_python = pythonTimes(m_messages, "stages");
    m_copy = copyReference(m_messages);
}

void BenchCompaction::firstCount()
{
    RequestView view;
    const auto count = [&] { view = viewOf(m_messages, {4.0, true}); };
    report("messages counted the first time", median(15, count), 3.0, references("count"));
    report("… by the clock, on all cores", medianByClock(15, count), 3.0);
    QVERIFY(view.count() > 0);
}

void BenchCompaction::cutoff()
{
    const RequestView view = viewOf(m_messages, {4.0, true});
    CompactionRules rules;
    rules.keep = {ContextSize::Kind::Tokens, 20000};
    std::int64_t sum = 0;
    const double hundred = median(5, [&] {
        for (int i = 0; i < 100; ++i) {
            rules.keep.value += 1;
            sum += determineCutoffIndex(view, rules);
        }
    });
    report("a cutoff by tokens after it", hundred / 100, 0.020, references("cutoff"));
    QVERIFY(sum > 0);
}

void BenchCompaction::xml()
{
    std::string text;
    const double ms = median(9, [&] { text = *bufferStringXml(m_messages); });
    report("XML", ms, 10.0, references("xml"));
    QVERIFY(!text.empty());
}

void BenchCompaction::truncation()
{
    CompactionRules rules;
    rules.truncateArgs = TruncateArgsSettings{ContextSize{ContextSize::Kind::Messages, 1},
        {ContextSize::Kind::Messages, 20}, 2000, "...(argument truncated)"};
    const RequestView view = viewOf(m_messages, {4.0, true}, rules.truncateArgs);
    std::int64_t changed = 0;
    report("arguments truncated, messages counted", median(5, [&] { changed = truncateArgs(view, 0, rules).changed; }),
        7.0, references("truncate"));
    QVERIFY(changed >= 0);
}

QTEST_GUILESS_MAIN(BenchCompaction)
#include "bench_compaction.moc"
