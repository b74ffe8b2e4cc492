// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/contextsize.h"
#include "core/compaction/rules.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    const auto limit = profileLimit(one.input["profile"]);
    const SummarizationDefaults defaults = computeSummarizationDefaults(limit);
    const Value trigger = triggerToValue(defaults.trigger);
    const Value keep = contextSizeToValue(defaults.keep);
    const Value truncateTrigger = contextSizeToValue(defaults.truncateArgs.trigger.value());
    const Value truncateKeep = contextSizeToValue(defaults.truncateArgs.keep);
    if (std::string d = goldens::difference(one.output["defaults"],
            Value::map({{"trigger", trigger}, {"keep", keep},
                {"truncate_args_settings", Value::map({{"trigger", truncateTrigger}, {"keep", truncateKeep}})}}),
            "defaults");
        !d.empty())
        return d;

    // What the factory makes of them: the settings file's `model_defaults`.
    const auto settings =
        settingsFromJson(Value::map({{"dialect", Value("deepagents-" + version)}, {"model_defaults", Value(true)},
            {"model", Value::map({{"max_input_tokens", limit ? Value(*limit) : Value()}})}}));
    if (!settings)
        return settings.error().what;
    const Settings &made = settingsFor(*settings, "", 1);
    const CompactionRules rules = rulesFor(made, goldens::dialectOf(version));
    if (!rules.truncateArgs || !rules.truncateArgs->trigger)
        return "truncation is off";
    const Value actual =
        Value::map({{"trigger", triggerToValue(rules.trigger)}, {"keep", contextSizeToValue(rules.keep)},
            {"trim_tokens_to_summarize", rules.trimTokensToSummarize ? Value(*rules.trimTokensToSummarize) : Value()},
            {"truncate_trigger", contextSizeToValue(*rules.truncateArgs->trigger)},
            {"truncate_keep", contextSizeToValue(rules.truncateArgs->keep)},
            {"max_length", Value(rules.truncateArgs->maxLength)},
            {"truncation_text", Value(rules.truncateArgs->truncationText)},
            {"history_prefix", Value(rules.historyPrefix)}, {"media_prefix", Value(rules.historyPrefix + "/media")},
            {"large_tool_results_prefix", Value(rules.largeResultsPrefix)}});
    return goldens::difference(one.output["create_summarization_middleware"], actual, "factory");
}

} // namespace

class TestGoldenComputeSummarizationDefaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("compute_summarization_defaults", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenComputeSummarizationDefaults)
#include "tst_golden_compute_summarization_defaults.moc"
