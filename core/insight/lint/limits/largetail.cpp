// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/dialect.h"
#include "core/compaction/stages/inputbudget.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"
#include "core/insight/lint/tokencounts.h"

namespace palimpsest {
namespace {

/// Whether the provider refused the call for its size, by the newest rules.
bool isOverflow(const Call &call)
{
    if (call.outcome != Call::Outcome::Error)
        return false;
    const std::string type = call.error.substr(0, call.error.find_first_of("(:"));
    return isContextOverflow(CallError{{type, call.error}, Value(400)}, knownDialects().at(1));
}

void check(const LintContext &context, FindingSink &sink)
{
    TokenCounts counts;
    for (const Call &call : context.ns.calls) {
        if (!isOverflow(call) || call.log.empty() || call.log.back()->kind == MessageKind::Tool)
            continue;
        const MessagePtr &tail = call.log.back();
        const std::int64_t tokens = counts.of(tail);
        if (tokens < 1000)
            continue;
        Finding finding;
        finding.rule = "large-tail";
        finding.severity = Finding::Severity::Info;
        finding.taskId = call.taskId;
        finding.messageId = tail->id;
        finding.message = "The provider refused call " + std::to_string(call.number.value) + ", whose last message ("
            + tail->type + ", about " + std::to_string(tokens)
            + " tokens) is no tool result: only a batch of those is clipped.";
        finding.evidence = Value::map({{"call", Value(call.number.value)}, {"tokens", Value(tokens)},
            {"type", Value(tail->type)}, {"raw_index", Value(static_cast<std::int64_t>(call.log.size() - 1))}});
        sink.see(std::move(finding), call.taskId, call.checkpoint);
    }
}

} // namespace

const Rule rules::largeTail{
    {"large-tail", Finding::Severity::Info,
        "A request was refused for its size, and its end is large and no batch of tool results: nothing clips it.",
        "Shorten that message; the overflow clip reaches trailing tool results only.",
        "deepagents/middleware/_overflow_clip.py, 0.7.7 and 0.7.32"},
    &check};

} // namespace palimpsest
