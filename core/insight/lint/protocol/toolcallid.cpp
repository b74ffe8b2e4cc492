// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Why a provider refuses this id; empty when it does not.
std::string illegal(std::string_view provider, const std::string &id)
{
    if (id.empty())
        return "is empty";
    const bool plain = std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    if ((provider == "anthropic" || provider == "bedrock" || provider == "bedrock_converse") && !plain)
        return "does not match the pattern '^[a-zA-Z0-9_-]+$' that Anthropic demands";
    const std::size_t limit = provider == "openai-responses" || provider == "bedrock_converse" ? 64
        : provider == "openai" || provider == "azure"                                          ? 40
                                                                                               : 0;
    if (limit && text::length(id) > limit)
        return "has " + std::to_string(text::length(id)) + " characters, the provider takes " + std::to_string(limit);
    return {};
}

void check(const LintContext &context, FindingSink &sink)
{
    ToolPairs pairs;
    RequestWalk walk(context, sink);
    walk.runNew(pairs, [&](const EffectiveView &view, std::size_t i, const MessagePtr &message) {
        for (const CallRef &call : callsOf(*message)) {
            const std::string key = message->id.value_or(std::to_string(i)) + "/" + call.id;
            const std::string shown(text::head(call.id, 60));
            const auto &same = pairs.callsWith(call.id);
            const auto earlier =
                std::count_if(same.begin(), same.end(), [&](const ToolPairs::Made &made) { return made.at < i; });
            const auto here =
                std::count_if(same.begin(), same.end(), [&](const ToolPairs::Made &made) { return made.at == i; });
            const bool twice = !call.id.empty() && (earlier > 0 || here > 1);
            const std::string why = illegal(view.provider, call.id);
            if (!twice && why.empty())
                continue;
            Finding finding =
                protocolFinding("tool-call-id", twice ? Finding::Severity::Warning : Finding::Severity::Error, message,
                    "Tool call id \"" + shown + "\" "
                        + (twice ? "is used more than once in the request: results cannot be told apart." : why + "."));
            finding.evidence = Value::map(
                {{"tool_call_id", Value(shown)}, {"length", Value(static_cast<std::int64_t>(text::length(call.id)))},
                    {"effective_index", Value(static_cast<std::int64_t>(i))}, {"reused", Value(twice)}});
            walk.see(std::move(finding), key);
        }
    });
}

} // namespace

const Rule rules::toolCallId{
    {"tool-call-id", Finding::Severity::Error,
        "A tool call's id is empty, reused within the request, or of a form that the provider refuses.",
        "Let the provider's client make the ids; when history moves between providers, map the ids on the way.",
        "deepagents#5559, #6302; Anthropic: tool_use.id must match '^[a-zA-Z0-9_-]+$'; OpenAI: at most 40 characters "
        "(chat), 64 (responses)"},
    &check};

} // namespace palimpsest
