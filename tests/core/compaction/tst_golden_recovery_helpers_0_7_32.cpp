// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/contextsize.h"
#include "core/compaction/stages/inputbudget.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    const Value &input = one.input;
    if (input["fn"].asText() == "overflow") {
        CallError error{{"HTTPError", input["message"].asText()}, input["status_code"]};
        if (input.contains("raise"))
            error = {{input["raise"].asText(), input["message"].asText()}, {}};
        return isContextOverflow(error, goldens::dialectOf(version)) == one.output.asBool() ? std::string()
                                                                                            : "recognition differs";
    }
    const auto rules = goldens::rulesOf({}, input["model"], version, true, input["model_settings"]);
    if (!rules)
        return "constructor: " + rules.error().message;
    CompactionRules used = *rules;
    if (input["model"]["profile"]["max_input_tokens"].isBool())
        used.maxInputTokens.reset(); // the budget takes no bool for a number, other than the rest of the middleware
    const auto budget = inputBudget(used);
    return goldens::difference(one.output,
        Value::map({{"budget", budget ? Value(*budget) : Value()},
            {"over", Value(overBudget(used, input["total_tokens"].asInt()))}}));
}

} // namespace

class TestGoldenRecoveryHelpers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("recovery_helpers_0_7_32", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenRecoveryHelpers)
#include "tst_golden_recovery_helpers_0_7_32.moc"
