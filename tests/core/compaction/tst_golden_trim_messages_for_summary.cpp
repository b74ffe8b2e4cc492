// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarytrim.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    auto rules = goldens::rulesOf(one.input, one.input["model"], version, true);
    if (!rules)
        return "constructor: " + rules.error().message;
    rules->summaryPrompt = "Summarize:\n{messages}";
    const auto messages = goldens::messages(one.input["messages"]);
    if (std::string d = goldens::messagesDifference(
            one.output["messages"], trimMessagesForSummary(messages, *rules), messages, "messages");
        !d.empty())
        return d;
    goldens::ScriptedModel model(one.input["model"]);
    const auto summary = ModelSummarizer(model).summarize({{}, {}, messages, &*rules});
    if (static_cast<std::int64_t>(model.calls()) != one.output["model_called"].asInt())
        return "the model was called " + std::to_string(model.calls()) + " times";
    return goldens::resultDifference(
        one.output["summary"], summary ? Value(summary->text) : goldens::errorValue(summary.error()), "summary");
}

} // namespace

class TestGoldenTrimMessagesForSummary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("trim_messages_for_summary", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenTrimMessagesForSummary)
#include "tst_golden_trim_messages_for_summary.moc"
