// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    ToolPairs pairs;
    RequestWalk walk(context, sink);
    walk.runNew(pairs, [&](const EffectiveView &view, std::size_t i, const MessagePtr &message) {
        if (message->kind != MessageKind::Tool)
            return;
        const ToolPairs::Made *made = pairs.callBefore(message->toolCallId.value_or(""), i);
        if (!made)
            return; // an orphan has its own rule
        bool between = false;
        for (std::size_t k = made->at + 1; k < i && !between; ++k)
            between = view.messages[k]->kind != MessageKind::Tool;
        const auto first = pairs.resultAfter(*message->toolCallId, made->at);
        const bool second = first && *first < i;
        if (!between && !second)
            return;
        Finding finding = protocolFinding("misplaced-tool-result",
            second ? Finding::Severity::Warning : Finding::Severity::Error, message,
            second ? "Tool call \"" + made->call.id + "\" has a second result: providers count results against calls."
                   : "The result of tool call \"" + made->call.id
                    + "\" does not follow its call directly: another message stands between them.");
        finding.evidence = Value::map(
            {{"tool_call_id", Value(made->call.id)}, {"effective_index", Value(static_cast<std::int64_t>(i))},
                {"call_effective_index", Value(static_cast<std::int64_t>(made->at))},
                {"provider_says", Value(unansweredWording(view.provider, made->call.id))}});
        walk.see(std::move(finding), message->id.value_or(std::to_string(i)));
    });
}

} // namespace

const Rule rules::misplacedToolResult{
    {"misplaced-tool-result", Finding::Severity::Error,
        "A tool result stands apart from its call, or a call has two results.",
        "Put results directly behind the message that made the calls; remove the second one.",
        "the providers' message rules (Anthropic, OpenAI)"},
    &check};

} // namespace palimpsest
