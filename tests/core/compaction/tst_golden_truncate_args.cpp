// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/argumenttruncation.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    const auto rules = goldens::rulesOf(one.input, one.input["model"], version, true);
    if (!rules)
        return "constructor: " + rules.error().message;
    const auto messages = goldens::messages(one.input["messages"]);
    const RequestView view = viewOf(messages, rules->counter, rules->truncateArgs);
    const std::int64_t total = one.input["total_tokens"].asInt();
    const ArgumentTruncation result = truncateArgs(view, total, *rules);
    if (result.due != one.output["should"].asBool())
        return result.due ? "is due, should not be" : "is not due";
    if (const std::int64_t cutoff = truncateCutoff(view, *rules); cutoff != one.output["cutoff"].asInt())
        return "cutoff " + std::to_string(cutoff) + ", expected " + std::to_string(one.output["cutoff"].asInt());
    if ((result.changed > 0) != one.output["modified"].asBool())
        return "modified differs";
    return goldens::messagesDifference(one.output["messages"], result.view.messages(), messages, "messages");
}

} // namespace

class TestGoldenTruncateArgs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("truncate_args", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenTruncateArgs)
#include "tst_golden_truncate_args.moc"
