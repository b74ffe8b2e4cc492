// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    std::string provider;
    std::string model;
    for (const Call &call : context.ns.calls) {
        if (call.provider.empty())
            continue;
        if (!provider.empty() && call.provider != provider) {
            const MessagePtr answer = call.answers.empty() ? nullptr : call.answers.front();
            Finding finding = protocolFinding("provider-changed", Finding::Severity::Info, answer,
                "From call " + std::to_string(call.number.value) + " on the history of " + provider + " (" + model
                    + ") goes to " + call.provider + " (" + call.model
                    + "): ids, reasoning blocks and reported usage are the other provider's.");
            finding.taskId = call.taskId;
            finding.evidence = Value::map({{"call", Value(call.number.value)}, {"from", Value(provider)},
                {"to", Value(call.provider)}, {"model", Value(call.model)}});
            sink.see(std::move(finding), call.taskId, call.checkpoint);
        }
        provider = call.provider;
        model = call.model;
    }
}

} // namespace

const Rule rules::providerChanged{
    {"provider-changed", Finding::Severity::Info, "The history was moved from one provider to another in mid-thread.",
        "Expect refused reasoning blocks and ids; reported usage before the move does not count for the trigger any "
        "more.",
        "langchain/agents/middleware/summarization.py _should_summarize_based_on_reported_tokens, 1.5.2"},
    &check};

} // namespace palimpsest
