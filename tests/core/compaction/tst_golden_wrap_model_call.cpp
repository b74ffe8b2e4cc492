// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/pipeline.h"
#include "core/compaction/replayviews.h"
#include "core/thread/events.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

#include <algorithm>

using namespace palimpsest;

namespace {

std::optional<CallError> answerOf(const Value &script, int attempt)
{
    const Value::List &steps = script.asList();
    if (steps.empty())
        return std::nullopt;
    const Value &step = steps[std::min(static_cast<std::size_t>(attempt), steps.size() - 1)];
    const auto raised = goldens::raisedBy(step);
    if (!raised)
        return std::nullopt;
    return CallError{*raised, step["status_code"]};
}

Value resultOf(const PipelineResult &result, const std::vector<MessagePtr> &messages)
{
    if (result.details().error)
        return goldens::errorValue(result.details().error->raised);
    if (!result.details().event && result.details().replacements.empty())
        return Value::map({{"kind", Value("ModelResponse")}, {"update", Value()}});
    Value::Map update;
    if (result.details().event) {
        Value event = eventToValue(*result.details().event)
                          .with("summary_message", messageToValue(*result.details().event->summaryMessage));
        update.emplace_back(Value("_summarization_event"), std::move(event));
        update.emplace_back(Value("_summarization_session_id"), Value(result.details().sessionId));
    }
    if (!result.details().replacements.empty()) {
        Value::List list;
        for (const MessagePtr &message : result.details().replacements) {
            const auto same = std::find_if(
                messages.begin(), messages.end(), [&](const MessagePtr &input) { return *input == *message; });
            if (same != messages.end())
                list.push_back(
                    Value::map({{"$same_as_input", Value(static_cast<std::int64_t>(same - messages.begin()))}}));
            else
                list.push_back(messageToValue(*message));
        }
        update.emplace_back(Value("messages"), Value(std::move(list)));
    }
    return Value::map({{"kind", Value("ExtendedModelResponse")}, {"update", Value(std::move(update))}});
}

std::string check(const goldens::Case &one, const std::string &version)
{
    const Value &input = one.input;
    const Value &request = input["request"];
    const auto rules = goldens::rulesOf(input["middleware"], input["model"], version, true, request["model_settings"]);
    if (!rules)
        return "constructor: " + rules.error().message;
    CompactionRules used = *rules;
    ArtifactBackend backend = goldens::backendOf(input["backend"], version);
    used.historyPrefix = backend.rootPrefix() + "/conversation_history";
    used.largeResultsPrefix = backend.rootPrefix() + "/large_tool_results";

    const auto messages = goldens::messages(input["messages"]);
    PipelineCall call;
    call.prior = parseEvent(input["state"]["_summarization_event"]);
    const RequestView all = viewOf(messages, used.counter, used.truncateArgs);
    call.effective = effectiveView(all.log, all.size(), stateOf(call.prior, used), used.dialect);
    call.messageCount = all.size();
    call.sessionId = input["state"]["_summarization_session_id"].asText();
    call.timestamp = input["now"].asText();
    call.base.toolTokens = toolTokens(request["tools"], used.counter.charsPerToken);
    if (const MessagePtr system =
            request["system_message"].isNil() ? nullptr : messageFromValue(request["system_message"])) {
        call.base.systemTokens = messageTokens(*system, used.counter.charsPerToken).value_or(0);
        call.base.systemMessage = true;
    }

    goldens::ScriptedModel model(input["model"]);
    ModelSummarizer summarizer(model);
    const Value script = input["handler"];
    PipelineServices services{backend, summarizer, goldens::namesOf(input["uuids"]),
        [&](const RequestView &, int attempt) { return answerOf(script, attempt); }, true};
    const PipelineResult result = runModelCall(call, used, services);

    std::vector<std::vector<MessagePtr>> sent;
    for (const PipelineAttempt &attempt : result.attempts()) {
        if (attempt.outcome != PipelineAttempt::Outcome::OverBudget)
            sent.push_back(attempt.request.messages());
    }
    const Value::List &calls = one.output["calls"].asList();
    if (calls.size() != sent.size())
        return "sent " + std::to_string(sent.size()) + " times, expected " + std::to_string(calls.size()) + " ("
            + result.details().clause + ")";
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (std::string d = goldens::messagesDifference(
                calls[i]["messages"], sent[i], messages, "calls[" + std::to_string(i) + "]");
            !d.empty())
            return d;
    }
    if (std::string d = goldens::resultDifference(one.output["result"], resultOf(result, messages), "result");
        !d.empty())
        return d;
    Value::List warnings;
    for (const std::string &warning : result.details().warnings)
        warnings.emplace_back(warning);
    return goldens::difference(
        Value::map({{"summary_prompts", one.output["summary_prompts"]}, {"files", one.output["files"]},
            {"warnings", one.output["warnings"]}, {"backend_ops", one.output["backend_ops"]}}),
        Value::map({{"summary_prompts", model.prompts()}, {"files", goldens::filesOf(backend)},
            {"warnings", Value(std::move(warnings))}, {"backend_ops", goldens::operationsOf(backend)}}));
}

} // namespace

class TestGoldenWrapModelCall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("wrap_model_call", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenWrapModelCall)
#include "tst_golden_wrap_model_call.moc"
