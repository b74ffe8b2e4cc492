// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/requestwalk.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    bool known = false;
    walk.run([&](const EffectiveView &view) {
        if (view.fresh)
            known = false;
        const auto turn = std::find_if(view.messages.begin(), view.messages.end(),
            [](const MessagePtr &m) { return m->kind != MessageKind::System; });
        if (known || view.incomplete || turn == view.messages.end() || (*turn)->kind == MessageKind::Human)
            return;
        known = true;
        const bool any =
            std::any_of(turn, view.messages.end(), [](const MessagePtr &m) { return m->kind == MessageKind::Human; });
        const bool strict =
            view.provider == "anthropic" || view.provider.starts_with("google") || view.provider.starts_with("bedrock");
        // OpenAI takes a request that begins with any message; without a user turn it answers to nothing that was
        // asked.
        const bool lenient = view.provider.starts_with("openai") || view.provider.starts_with("azure");
        Finding::Severity severity = strict || !any ? Finding::Severity::Error : Finding::Severity::Warning;
        if (lenient)
            severity = any ? Finding::Severity::Info : Finding::Severity::Warning;
        Finding finding = protocolFinding("user-turn-missing", severity, *turn,
            any ? "The request begins with a message of type " + (*turn)->type + " instead of a user turn."
                : "The request holds no user turn at all: the model does not see what it was asked.");
        finding.evidence = Value::map({{"first_type", Value((*turn)->type)}, {"any_user_turn", Value(any)},
            {"messages", Value(static_cast<std::int64_t>(view.messages.size()))},
            {"provider_says",
                Value(view.provider.starts_with("google") ? "Please ensure that function call turn comes immediately "
                                                            "after a user turn or after a function response turn."
                                                          : "messages: first message must use the \"user\" role")}});
        walk.see(std::move(finding), (*turn)->id.value_or("first"));
    });
}

} // namespace

const Rule rules::userTurnMissing{
    {"user-turn-missing", Finding::Severity::Error, "A request does not begin with a user turn, or has none.",
        "Keep the first user message, or let the summary stand for it as a human message.",
        "the providers' message rules (Anthropic, Gemini)"},
    &check};

} // namespace palimpsest
