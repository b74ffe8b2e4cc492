// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/projection.h"

#include "core/thread/events.h"
#include "core/thread/reducers.h"

#include <QElapsedTimer>
#include <QTest>
#include <rapidcheck.h>

using namespace palimpsest;

namespace {

MessagePtr message(MessageKind kind, std::string id, Value content)
{
    Message m;
    m.kind = kind;
    m.type = typeName(kind);
    m.id = std::move(id);
    m.content = std::move(content);
    return std::make_shared<Message>(std::move(m));
}

MessageLog logOf(int size)
{
    MessageLog log;
    for (int i = 0; i < size; ++i)
        log = std::move(log).push_back(
            message(i % 2 ? MessageKind::Ai : MessageKind::Human, std::to_string(i), Value("m" + std::to_string(i))));
    return log;
}

Value summaryMap()
{
    return Value::map({{"type", Value("human")}, {"content", Value("what was")},
        {"additional_kwargs", Value::map({{"lc_source", Value("summarization")}})}});
}

/// Any value that might be stored where an event or one of its members should be.
rc::Gen<Value> anyValue(int depth)
{
    auto leaf = rc::gen::oneOf(rc::gen::just(Value()),
        rc::gen::map(rc::gen::arbitrary<bool>(), [](bool b) { return Value(b); }),
        rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t i) { return Value(i); }),
        rc::gen::map(rc::gen::inRange<std::int64_t>(-12, 13), [](std::int64_t i) { return Value(i); }),
        rc::gen::map(rc::gen::arbitrary<double>(), [](double d) { return Value(d); }),
        rc::gen::just(Value(std::numeric_limits<double>::quiet_NaN())),
        rc::gen::just(Value(std::numeric_limits<double>::infinity())),
        rc::gen::just(Value::bigInt("123456789012345678901234567890")),
        rc::gen::just(Value::bigInt("-123456789012345678901234567890")),
        rc::gen::map(rc::gen::arbitrary<std::string>(), [](std::string s) { return Value(std::move(s)); }),
        rc::gen::map(rc::gen::arbitrary<std::string>(), [](std::string s) { return Value::bytes(std::move(s)); }),
        rc::gen::just(summaryMap()));
    if (depth == 0)
        return leaf;
    auto key = rc::gen::element<std::string>("cutoff_index", "summary_message", "file_path", "created_at_index",
        "cutoffIndex", "summaryMessage", "filePath", "type", "content");
    auto entry = rc::gen::map(rc::gen::pair(key, anyValue(depth - 1)),
        [](std::pair<std::string, Value> e) { return Value::Entry(Value(e.first), e.second); });
    return rc::gen::oneOf(leaf,
        rc::gen::map(rc::gen::container<std::vector<Value>>(anyValue(depth - 1)),
            [](std::vector<Value> v) { return Value(std::move(v)); }),
        rc::gen::map(
            rc::gen::container<std::vector<Value::Entry>>(entry), [](Value::Map m) { return Value(std::move(m)); }),
        rc::gen::map(anyValue(depth - 1), [](Value v) {
            return Value(Value::Tagged{Value::Form::ConstructorKwargs, "any.module", "Any", std::move(v), {}});
        }));
}

} // namespace

class TestProjection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsJavaScriptNames()
    {
        const EventPtr event = parseEvent(Value::map({{"cutoffIndex", Value(3)}, {"summaryMessage", summaryMap()},
            {"filePath", Value("/conversation_history/s.md")}}));
        QVERIFY(!event->malformed);
        QCOMPARE(event->cutoffIndex, 3);
        QVERIFY(isSummary(*event->summaryMessage));
        QCOMPARE(*event->filePath, std::string("/conversation_history/s.md"));
        QVERIFY(!event->createdAtIndex);
        QCOMPARE(effectiveMessages(logOf(5), event.get()).size(), 3U);
    }

    void knowsNoEventFromNull() { QVERIFY(!parseEvent(Value())); }

    void survivesAnyEvent()
    {
        QVERIFY(rc::check([] {
            const Value stored = *anyValue(3);
            const MessageLog log = logOf(*rc::gen::inRange(0, 12));
            const EventPtr event = parseEvent(stored);
            RC_ASSERT(static_cast<bool>(event) == !stored.isNil());
            for (const BoundReasoning rule : {BoundReasoning::ByEvent, BoundReasoning::Kept}) {
                const MessageLog effective = effectiveMessages(log, event.get(), rule);
                const Projection projection = projectionOf(log.size(), event.get(), rule);
                for (const MessagePtr &m : effective)
                    RC_ASSERT(m != nullptr);
                RC_ASSERT(projection.first.value >= 0 && projection.first.at() <= log.size());
                RC_ASSERT(projection.reasoningFrom >= projection.first && projection.reasoningFrom.at() <= log.size());
                if (applyEvent(log, event.get(), rule))
                    RC_ASSERT(effective.size() == log.size() - projection.first.at() + (projection.summary ? 1 : 0)
                        || effective.size() <= 1);
            }
            if (event) {
                (void)eventToValue(*event);
                (void)stateCutoff(event.get(), *rc::gen::arbitrary<std::int64_t>());
            }
        }));
    }

    void agreesWithThePlainRule()
    {
        // Any cutoff on any log: summary + messages[cutoff:], as Python slices.
        QVERIFY(rc::check([] {
            const int size = *rc::gen::inRange(0, 40);
            const auto cutoff = *rc::gen::inRange<std::int64_t>(-50, 50);
            const MessageLog log = logOf(size);
            const EventPtr event = parseEvent(Value::map(
                {{"cutoff_index", Value(cutoff)}, {"summary_message", summaryMap()}, {"file_path", Value()}}));
            const std::int64_t first =
                cutoff < 0 ? std::max<std::int64_t>(0, size + cutoff) : std::min<std::int64_t>(size, cutoff);
            const MessageLog effective = effectiveMessages(log, event.get());
            RC_ASSERT(static_cast<std::int64_t>(effective.size()) == size - first + 1);
            for (std::size_t i = 1; i < effective.size(); ++i)
                RC_ASSERT(effective[i] == log[static_cast<std::size_t>(first) + i - 1]);
        }));
    }

    void chainsCutoffs()
    {
        // Applying a cutoff to an effective list is applying the state cutoff to the log.
        QVERIFY(rc::check([] {
            const int size = *rc::gen::inRange(1, 40);
            const auto prior = *rc::gen::inRange<std::int64_t>(0, size);
            const auto cutoff = *rc::gen::inRange<std::int64_t>(1, size - prior + 2);
            const MessageLog log = logOf(size);
            const EventPtr event =
                parseEvent(Value::map({{"cutoff_index", Value(prior)}, {"summary_message", summaryMap()}}));
            const MessageLog kept = effectiveMessages(log, event.get()).drop(static_cast<std::size_t>(cutoff));
            const EventPtr next = parseEvent(Value::map(
                {{"cutoff_index", Value(*stateCutoff(event.get(), cutoff))}, {"summary_message", summaryMap()}}));
            RC_ASSERT(effectiveMessages(log, next.get()).drop(1) == kept);
        }));
    }

    void dropsReasoningOnlyWhereItIsBound()
    {
        const auto block = [](const char *type) { return Value::map({{"type", Value(type)}}); };
        Message m;
        m.kind = MessageKind::Ai;
        m.type = "ai";
        m.content = Value::list({block("thinking"), block("text"), block("reasoning")});
        m.responseMetadata =
            Value::map({{"model_provider", Value("bedrock_converse")}, {"model_name", Value("eu.ANTHROPIC.Claude-x")}});
        const MessagePtr claude = std::make_shared<Message>(m);
        QVERIFY(dropBoundReasoning(claude)->content == Value::list({block("text")}));
        m.responseMetadata = Value::map({{"model_provider", Value("google_genai")}});
        const MessagePtr other = std::make_shared<Message>(m);
        QCOMPARE(dropBoundReasoning(other), other);
        m.responseMetadata = Value(Value::Map{});
        const MessagePtr untagged = std::make_shared<Message>(m);
        QVERIFY(dropBoundReasoning(untagged)->content == Value::list({block("text"), block("reasoning")}));
    }

    void isFastOnALongLog()
    {
        const MessageLog log = logOf(20000);
        const EventPtr event =
            parseEvent(Value::map({{"cutoff_index", Value(19000)}, {"summary_message", summaryMap()}}));
        QElapsedTimer timer;
        timer.start();
        std::size_t total = 0;
        for (int i = 0; i < 10000; ++i)
            total += effectiveMessages(log, event.get()).size();
        QCOMPARE(total, 10000U * 1001U);
        // A copy of a thousand pointers ten thousand times takes longer than this, even on a slow and busy machine.
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(TestProjection)
#include "tst_projection.moc"
