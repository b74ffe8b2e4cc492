// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/requestwalk.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    // Only calls count: a thread begins empty, and that harms nobody.
    for (const Call &call : context.ns.calls) {
        if (!call.log.empty() || call.event || context.ns.checkpoints[call.checkpoint.at()].incomplete)
            continue;
        Finding finding = protocolFinding("empty-request", Finding::Severity::Error, nullptr,
            "Call " + std::to_string(call.number.value) + " was made with no message at all: providers answer 400.");
        finding.taskId = call.taskId;
        finding.evidence = Value::map({{"call", Value(call.number.value)},
            {"provider_says", Value("messages: at least one message is required")}});
        sink.see(std::move(finding), call.taskId, call.checkpoint);
    }
}

} // namespace

const Rule rules::emptyRequest{
    {"empty-request", Finding::Severity::Error, "A model call was made without any message.",
        "Invoke the agent with at least one message.",
        "Anthropic: \"messages: at least one message is required\"; OpenAI: \"[] is too short - 'messages'\""},
    &check};

} // namespace palimpsest
