// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    walk.runNew([&](const EffectiveView &, std::size_t i, const MessagePtr &message) {
        if (message->kind != MessageKind::Ai)
            return;
        const auto report = [&](const std::string &id, const std::string &name, const std::string &why) {
            Finding finding = protocolFinding("malformed-arguments", Finding::Severity::Warning, message,
                "The arguments of tool call \"" + id + "\" (" + name + ") " + why + ".");
            finding.evidence = Value::map({{"tool_call_id", Value(id)}, {"tool", Value(name)},
                {"effective_index", Value(static_cast<std::int64_t>(i))}});
            walk.see(std::move(finding), message->id.value_or(std::to_string(i)) + "/" + id);
        };
        for (const ToolCallView &call : toolCalls(*message))
            if (!call.args->isMap())
                report(std::string(call.id), std::string(call.name), "are no JSON object");
        for (const Value &call : message->invalidToolCalls.asList())
            report(call["id"].asText(), call["name"].asText(),
                "could not be parsed; the call is in invalid_tool_calls and was never run");
    });
}

} // namespace

const Rule rules::malformedArguments{
    {"malformed-arguments", Finding::Severity::Warning, "A tool call's arguments are no JSON object.",
        "Let the model try again; a call in invalid_tool_calls is answered by nobody.",
        "langchain_core/messages/tool.py InvalidToolCall, 1.8.3"},
    &check};

} // namespace palimpsest
