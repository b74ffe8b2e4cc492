// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replayviews.h"
#include "core/compaction/stages/compacttool.h"
#include "core/thread/events.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    const Value &input = one.input;
    const auto rules = goldens::rulesOf(input["middleware"], input["model"], version, true);
    if (!rules)
        return "constructor: " + rules.error().message;
    const auto messages = goldens::messages(input["messages"]);
    PipelineCall call;
    call.prior = parseEvent(input["state"]["_summarization_event"]);
    const RequestView all = viewOf(messages, rules->counter);
    call.effective = effectiveView(all.log, all.size(), stateOf(call.prior, *rules), rules->dialect);
    call.messageCount = all.size();
    call.sessionId = input["state"]["_summarization_session_id"].asText();
    call.toolCallId = input["tool_call_id"].asText();
    call.timestamp = input["now"].asText();
    if (isEligibleForCompaction(call.effective, *rules) != one.output["eligible"].asBool())
        return "eligibility differs";

    ArtifactBackend backend = goldens::backendOf(input["backend"], version);
    goldens::ScriptedModel model(input["model"]);
    ModelSummarizer summarizer(model);
    PipelineServices services{backend, summarizer, goldens::namesOf(input["uuids"]), {}, true};
    const CompactToolResult result = runCompactTool(call, *rules, services);

    Value::Map update;
    if (result.event) {
        Value event =
            eventToValue(*result.event).with("summary_message", messageToValue(*result.event->summaryMessage));
        update.emplace_back(Value("_summarization_event"), std::move(event));
        update.emplace_back(Value("_summarization_session_id"), Value(result.sessionId));
    }
    update.emplace_back(Value("messages"), Value::list({messageToValue(*result.message())}));
    return goldens::difference(one.output,
        Value::map({{"eligible", one.output["eligible"]}, {"update", Value(std::move(update))},
            {"summary_prompts", model.prompts()}, {"files", goldens::filesOf(backend)}}));
}

} // namespace

class TestGoldenCompactTool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("compact_tool", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenCompactTool)
#include "tst_golden_compact_tool.moc"
