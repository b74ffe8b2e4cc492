// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

/// Where the call of an orphan is: in the part of the log that the event put out of context, or nowhere.
std::optional<std::size_t> callInLog(const MessageLog &log, const std::string &id, std::int64_t before)
{
    const std::size_t end = before < 0 ? log.size() : static_cast<std::size_t>(before);
    for (std::size_t i = end; i-- > 0;)
        for (const CallRef &call : callsOf(*log[i]))
            if (call.id == id)
                return i;
    return std::nullopt;
}

void check(const LintContext &context, FindingSink &sink)
{
    ToolPairs pairs;
    RequestWalk walk(context, sink);
    walk.runNew(pairs, [&](const EffectiveView &view, std::size_t i, const MessagePtr &message) {
        for (const ResultRef &result : resultsOf(*message)) {
            if (pairs.callBefore(result.id, i))
                continue;
            const MessageLog &log = context.ns.checkpoints[view.checkpoint.at()].messages;
            const auto call = callInLog(log, result.id, view.raw[i]);
            if (!call && view.incomplete)
                continue; // the call may be in the part that is gone
            Finding finding = protocolFinding("orphan-tool-result", Finding::Severity::Error, message,
                "The result of tool call \"" + result.id + "\" is in context without its call, "
                    + (call ? "which is message " + std::to_string(*call) + " of the raw log, behind the cutoff"
                            : "which is nowhere in the raw log before it")
                    + ": providers answer 400.");
            finding.block = result.block;
            finding.evidence = Value::map(
                {{"tool_call_id", Value(result.id)}, {"effective_index", Value(static_cast<std::int64_t>(i))},
                    {"raw_index", view.raw[i] < 0 ? Value() : Value(view.raw[i])},
                    {"call_raw_index", call ? Value(static_cast<std::int64_t>(*call)) : Value()},
                    {"provider_says", Value(orphanWording(view.provider, result.id))}});
            // Calls come before their results in every state that a run leaves, so that no later step mends it.
            walk.seeAlways(std::move(finding), result.id + "/" + message->id.value_or(std::to_string(i)));
        }
    });
}

} // namespace

const Rule rules::orphanToolResult{
    {"orphan-tool-result", Finding::Severity::Error,
        "A tool result is in context, the call that it answers is not: an error where a model call met it or a head "
        "shows "
        "it, else a warning about what a run resumed there would send.",
        "Keep one message more or fewer, so that the cutoff does not fall between a call and its results; or remove "
        "the result.",
        "langchain#38352; langchain/agents/middleware/summarization.py _find_safe_cutoff_point, 1.5.2"},
    &check};

} // namespace palimpsest
