// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/contextsize.h"
#include "core/compaction/stages/trigger.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

/// Python's numbers of either kind and its bools as one kind: a threshold is the number that it compares with.
Value plainNumbers(const Value &value)
{
    if (value.isBool())
        return Value(value.asBool() ? 1.0 : 0.0);
    if (value.isInt())
        return Value(static_cast<double>(value.asInt()));
    if (value.isList()) {
        Value::List list;
        for (const Value &item : value.asList())
            list.push_back(plainNumbers(item));
        return Value(std::move(list));
    }
    if (value.isMap()) {
        Value::Map map;
        for (const auto &[key, item] : value.asMap())
            map.emplace_back(key, plainNumbers(item));
        return Value(std::move(map));
    }
    const Value::Tagged *tagged = value.asTagged();
    return tagged && tagged->name == "tuple" ? plainNumbers(tagged->value) : value;
}

Value clausesOf(const Trigger &trigger)
{
    Value::List list;
    for (const TriggerClause &clause : trigger) {
        Value::Map map;
        for (const ContextSize &size : clause)
            map.emplace_back(Value(kindName(size.kind)), Value(size.value));
        list.emplace_back(std::move(map));
    }
    return Value(std::move(list));
}

std::string check(const goldens::Case &one, const std::string &version)
{
    const auto rules = goldens::rulesOf(one.input, one.input["model"], version, false);
    if (!rules)
        return goldens::resultDifference(one.output, goldens::errorValue(rules.error()));
    const RequestView view = viewOf(goldens::messages(one.input["messages"]), rules->counter);
    const TriggerDecision decision = shouldSummarize(view, one.input["total_tokens"].asInt(), *rules);
    if (decision.fires == decision.clause.empty())
        return "the clause is not named: \"" + decision.clause + "\"";
    const Value actual = Value::map({{"should", Value(decision.fires)}, {"clauses", clausesOf(rules->trigger)},
        {"keep", Value::list({Value(kindName(rules->keep.kind)), Value(rules->keep.value)})}});
    if (one.output.contains("$error"))
        return "expected an exception";
    const Value expected = Value::map({{"should", one.output["should"]},
        {"clauses", plainNumbers(one.output["clauses"])}, {"keep", plainNumbers(one.output["keep"])}});
    return goldens::difference(expected, actual);
}

} // namespace

class TestGoldenShouldSummarize : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("should_summarize", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenShouldSummarize)
#include "tst_golden_should_summarize.moc"
