// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"
#include "core/serde/json.h"

namespace palimpsest {
namespace {

/// Whether a call that stands in a block alone has arguments that are no JSON object: a `tool_use` block has them as
/// `input`, LangChain's `tool_call` as `args`, OpenAI's `function_call` as JSON text; a stream that broke off leaves
/// `partial_json`.
bool isMalformed(const Value &block)
{
    const auto isObject = [](const Value &text) {
        const auto parsed = parseJson(text.asText());
        return parsed && parsed->isMap();
    };
    const std::string &type = block["type"].asText();
    if (type == "function_call")
        return !block["arguments"].isMap() && !isObject(block["arguments"]);
    if (const Value &partial = block["partial_json"]; partial.isText() && !partial.asText().empty())
        return !isObject(partial);
    const Value &arguments = block[type == "tool_use" ? "input" : "args"];
    return !arguments.isMap() && !(arguments.isText() && isObject(arguments));
}

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    walk.runNew([&](const EffectiveView &, std::size_t i, const MessagePtr &message) {
        if (message->kind != MessageKind::Ai)
            return;
        const auto report = [&](const std::string &id, const std::string &name, const std::string &why,
                                std::optional<std::int64_t> block = std::nullopt) {
            Finding finding = protocolFinding("malformed-arguments", Finding::Severity::Warning, message,
                "The arguments of tool call \"" + id + "\" (" + name + ") " + why + ".");
            finding.evidence = Value::map({{"tool_call_id", Value(id)}, {"tool", Value(name)},
                {"effective_index", Value(static_cast<std::int64_t>(i))}});
            finding.block = block;
            walk.see(std::move(finding), message->id.value_or(std::to_string(i)) + "/" + id);
        };
        for (const ToolCallView &call : toolCalls(*message))
            if (!call.args->isMap())
                report(std::string(call.id), std::string(call.name), "are no JSON object");
        for (const Value &call : message->invalidToolCalls.asList())
            report(call["id"].asText(), call["name"].asText(),
                "could not be parsed; the call is in invalid_tool_calls and was never run");
        for (const CallRef &call : callsOf(*message))
            if (call.block && isMalformed(message->content.asList()[static_cast<std::size_t>(*call.block)]))
                report(call.id, call.name, "are no JSON object; the call stands in a content block alone", call.block);
    });
}

} // namespace

const Rule rules::malformedArguments{
    {"malformed-arguments", Finding::Severity::Warning, "A tool call's arguments are no JSON object.",
        "Let the model try again; a call in invalid_tool_calls is answered by nobody.",
        "langchain_core/messages/tool.py InvalidToolCall, 1.8.3"},
    &check};

} // namespace palimpsest
