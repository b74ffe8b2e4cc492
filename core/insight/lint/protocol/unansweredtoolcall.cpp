// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

bool isResult(const Message &message)
{
    return message.kind == MessageKind::Tool || !resultsOf(message).empty();
}

/// The newest message with calls before `at`, and the calls of it that no message between answers.
struct Unanswered {
    std::size_t at = 0;
    std::vector<CallRef> calls;
};

Unanswered unansweredBefore(const EffectiveView &view, const ToolPairs &pairs, std::size_t at)
{
    std::size_t i = at;
    while (i > 0 && isResult(*view.messages[i - 1]))
        --i;
    Unanswered open;
    if (i == 0)
        return open;
    open.at = i - 1;
    for (CallRef &call : callsOf(*view.messages[i - 1])) {
        const auto result = pairs.resultAfter(call.id, i - 1);
        if (!result || *result >= at)
            open.calls.push_back(std::move(call));
    }
    return open;
}

Finding describe(
    const EffectiveView &view, std::size_t at, const CallRef &call, Finding::Severity severity, const std::string &why)
{
    Finding finding = protocolFinding("unanswered-tool-call", severity, view.messages[at],
        "Tool call \"" + call.id + "\" (" + call.name + ") " + why);
    finding.block = call.block;
    finding.evidence = Value::map({{"tool_call_id", Value(call.id)}, {"tool", Value(call.name)},
        {"effective_index", Value(static_cast<std::int64_t>(at))},
        {"raw_index", view.raw[at] < 0 ? Value() : Value(view.raw[at])}, {"invalid", Value(call.invalid)},
        {"only_in_a_block", Value(call.block.has_value())},
        {"provider_says", Value(unansweredWording(view.provider, call.id))}});
    return finding;
}

void check(const LintContext &context, FindingSink &sink)
{
    ToolPairs pairs;
    RequestWalk walk(context, sink);
    walk.run([&](const EffectiveView &view) {
        pairs.update(view);
        for (std::size_t j = std::max<std::size_t>(view.firstNew, 1); j < view.messages.size(); ++j) {
            if (isResult(*view.messages[j]))
                continue;
            const Unanswered open = unansweredBefore(view, pairs, j);
            for (const CallRef &call : open.calls)
                walk.see(describe(view, open.at, call, Finding::Severity::Error,
                             "has no result before the next message: providers answer 400."),
                    call.id + "/" + view.messages[open.at]->id.value_or(std::to_string(open.at)));
        }
        // A call at the very end waits for its tool: at most information, and only where the thread stops there.
        const auto &heads = context.ns.heads;
        if (std::find(heads.begin(), heads.end(), view.checkpoint) == heads.end() || view.messages.empty())
            return;
        const Checkpoint &head = context.ns.checkpoints[view.checkpoint.at()];
        const Unanswered open = unansweredBefore(view, pairs, view.messages.size());
        for (const CallRef &call : open.calls)
            walk.see(describe(view, open.at, call, Finding::Severity::Info,
                         head.waiting.empty() ? "is the last thing in the thread and has no result yet."
                                              : "waits for an interrupt or a failed task."),
                "end/" + call.id + "/" + view.messages[open.at]->id.value_or(std::to_string(open.at)));
    });
}

} // namespace

const Rule rules::unansweredToolCall{
    {"unanswered-tool-call", Finding::Severity::Error,
        "A tool call in the request has no result before the next message.",
        "Resume with a new message, so that PatchToolCallsMiddleware adds a result; a resume with None after "
        "update_state never passes it.",
        "deepagents/middleware/patch_tool_calls.py, 0.7.7; the providers' message rules"},
    &check};

} // namespace palimpsest
