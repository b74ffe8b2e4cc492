// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/compare.h"
#include "core/insight/infer/infer.h"
#include "core/insight/sweep/projection.h"
#include "core/serde/json.h"
#include "tests/support/recordedinput.h"

#include <QtTest>

#include <algorithm>

using namespace palimpsest;

namespace {

using Kind = ContextSize::Kind;

SettingsSet chain(double trigger, double keep, const char *dialect = "deepagents-0.7.7")
{
    Settings settings;
    settings.dialect = dialect;
    settings.model.llmType = "scripted-chat";
    settings.model.provider = "openai";
    settings.trigger = Trigger{{{Kind::Messages, trigger}}};
    settings.keep = {Kind::Messages, keep};
    settings.tools = std::int64_t{2700};
    settings.systemMessage = std::int64_t{12};
    settings.usage = Settings::Usage::Keep;
    settings.prices = *parseJson(R"({"input": 2, "cached_input": 0.5, "output": 10})");
    SettingsSet set;
    set.namespaces[""] = {{1, settings}};
    return set;
}

ReplayInputPtr recorded(const char *name)
{
    return recordedInput(std::string("tests/data/recordings/") + name + ".sqlite");
}

Replay replayed(const ReplayInputPtr &input, const SettingsSet &settings)
{
    auto replay = Replayer(input).run(settings, {});
    return replay ? std::move(*replay) : Replay();
}

MessagePtr message(const char *id, const char *text)
{
    auto made = std::make_shared<Message>();
    made->kind = MessageKind::Human;
    made->type = "human";
    made->id = id;
    made->content = Value(text);
    return made;
}

} // namespace

class CompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRecordedRunEqualsItsReplay();
    void namesTheDecisionThatDiffers();
    void linesRequestsUp();
    void linesThreadsUpByText();
    void namesTheRulesThatChanged();
    void chargesForWhatTheCacheDoesNotHold();
    void refusesPricesThatAreNone();
    void repeatsAThread();
};

void CompareTest::theRecordedRunEqualsItsReplay()
{
    const ReplayInputPtr input = recorded("0.7.7/summarize_chain");
    QVERIFY(input);
    const SettingsSet settings = chain(14, 6);
    const auto run = recordedRun(input, settings);
    QVERIFY(run);
    const RunComparison comparison = compareRuns(*run, settings, replayed(input, settings), settings);
    QCOMPARE(comparison.differing, 0);
    QCOMPARE(comparison.calls.size(), input->calls().size());
    QCOMPARE(comparison.a.figures.events, 4);
    QCOMPARE(comparison.a.figures.tokensSent, comparison.b.figures.tokensSent);
    QCOMPARE(comparison.a.figures.peakTokens, comparison.b.figures.peakTokens);
    QCOMPARE(comparison.a.keptByRole, comparison.b.keptByRole);
    QCOMPARE(comparison.a.outOfContextAtEnd, comparison.b.outOfContextAtEnd);
    QCOMPARE(comparison.a.archiveBytes, comparison.b.archiveBytes);
    QVERIFY(comparison.a.archiveBytes > 0);
    QVERIFY(comparison.a.keptByRole.contains("summary"));
}

void CompareTest::namesTheDecisionThatDiffers()
{
    const ReplayInputPtr input = recorded("0.7.7/summarize_chain");
    const SettingsSet a = chain(14, 6);
    const SettingsSet b = chain(20, 6);
    const RunComparison comparison = compareRuns(replayed(input, a), a, replayed(input, b), b);
    QVERIFY(comparison.differing > 0);
    const auto first = std::find_if(
        comparison.calls.begin(), comparison.calls.end(), [](const CallDifference &call) { return call.differs; });
    QVERIFY2(first->why.find("The first run summarizes because of messages 15 >= 14") != std::string::npos,
        first->why.c_str());
    QVERIFY(first->onlyB > 0);
    const auto next = std::find_if(first + 1, comparison.calls.end(),
        [](const CallDifference &call) { return call.differs && call.why.starts_with("It follows"); });
    QVERIFY(next != comparison.calls.end());
}

void CompareTest::linesRequestsUp()
{
    using Line = RequestLine::Kind;
    const MessagePtr one = message("1", "one");
    const std::vector<RequestLine> lines = diffRequests({one, message("2", "two"), message("3", "three")},
        {one, message("x", "new"), message("3", "shorter"), message("4", "four")});
    std::vector<Line> kinds;
    for (const RequestLine &line : lines)
        kinds.push_back(line.kind);
    QCOMPARE(kinds, (std::vector<Line>{Line::Same, Line::OnlyA, Line::OnlyB, Line::Changed, Line::OnlyB}));
    QCOMPARE(lines.back().a, -1);
    QCOMPARE(lines.back().b, 3);
}

void CompareTest::linesThreadsUpByText()
{
    const ReplayInputPtr older = recorded("0.7.7/summarize_chain");
    const ReplayInputPtr newer = recorded("0.7.32/summarize_chain");
    QVERIFY(older && newer);
    const SettingsSet a = chain(14, 6);
    const SettingsSet b = chain(14, 6, "deepagents-0.7.32");
    const RunComparison comparison = compareRuns(replayed(older, a), a, replayed(newer, b), b, CallAlignment::ByText);
    QCOMPARE(comparison.calls.size(), older->calls().size());
    for (const CallDifference &call : comparison.calls)
        QCOMPARE(call.callA, call.callB);
}

void CompareTest::namesTheRulesThatChanged()
{
    const auto rules = changedRules(dialectFor("deepagents-0.7.7")->dialect, dialectFor("deepagents-0.7.32")->dialect);
    QVERIFY(std::any_of(rules.begin(), rules.end(),
        [](const std::string &rule) { return rule.find("95 % of the window") != std::string::npos; }));
    QVERIFY(changedRules(knownDialects()[0], knownDialects()[0]).empty());
}

void CompareTest::chargesForWhatTheCacheDoesNotHold()
{
    const ReplayInputPtr input = recorded("0.7.7/summarize_chain");
    const SettingsSet settings = chain(14, 6);
    const RunCost cost = costOf(replayed(input, settings), settings,
        *pricesFromValue(*parseJson(R"({"input": 2, "cached_input": 0.5, "output": 10})")));
    QVERIFY(cost.dollars);
    QCOMPARE(cost.calls.front().cached, 0);
    std::int64_t breaks = 0;
    double dollars = 0;
    for (std::size_t i = 1; i < cost.calls.size(); ++i) {
        const CallCost &call = cost.calls[i];
        QVERIFY(call.cached <= call.input);
        QCOMPARE(call.cached % 128, 0); // OpenAI's step
        breaks += call.breakBy == "event" ? 1 : 0;
        if (call.breakBy.empty())
            QVERIFY(call.cached + 128 > cost.calls[i - 1].input);
        else
            QVERIFY(call.lost > 0 && call.breakDollars > 0);
    }
    for (const CallCost &call : cost.calls)
        dollars += call.dollars;
    QCOMPARE(breaks, 4);
    QVERIFY(std::abs(dollars - *cost.dollars) < 1e-12);
    QVERIFY(std::abs(*cost.dollars
                - (static_cast<double>(cost.input - cost.cached) * 2 + static_cast<double>(cost.cached) * 0.5
                      + static_cast<double>(cost.output) * 10 + static_cast<double>(cost.summaryInput) * 2
                      + static_cast<double>(cost.summaryOutput) * 10)
                    / 1e6)
        < 1e-12);
}

void CompareTest::refusesPricesThatAreNone()
{
    const auto unknown = pricesFromValue(*parseJson(R"({"inputs": 1})"));
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().where, std::string("prices.inputs"));
    QVERIFY(!pricesFromValue(*parseJson(R"({"input": -1})")));
    QVERIFY(pricesFromValue(Value())->empty());
    const auto prices = pricesFromValue(*parseJson(R"({"input": 1, "output": 2.5, "cached_input": null})"));
    QVERIFY(prices);
    QCOMPARE(*pricesFromValue(pricesToValue(*prices)), *prices);
}

void CompareTest::repeatsAThread()
{
    const ReplayInputPtr input = recorded("0.7.7/summarize_chain");
    const SettingsSet settings = chain(14, 6);
    const auto once = projectedInput(*input, 1);
    QVERIFY(once);
    QCOMPARE((*once)->calls().size(), input->calls().size());
    const Replay replay = replayed(*once, settings);
    QCOMPARE(figuresOf(replay, settings).events, 4);
    const auto thrice = projectedInput(*input, 3);
    QVERIFY(thrice);
    QCOMPARE((*thrice)->calls().size(), 3 * input->calls().size());
    const Replay longer = replayed(*thrice, settings);
    QVERIFY(figuresOf(longer, settings).events > 8);
    for (std::size_t i = 0; i < replay.calls.size(); ++i)
        QCOMPARE(longer.calls[i].result.counted, replay.calls[i].result.counted);
    QVERIFY(!projectedInput(*input, 0.5));
    QVERIFY(!projectedInput(*input, 1e9));
}

QTEST_GUILESS_MAIN(CompareTest)
#include "tst_compare.moc"
