// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/requestwalk.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    walk.runNew([&](const EffectiveView &view, std::size_t i, const MessagePtr &message) {
        if (message->kind != MessageKind::System)
            return;
        std::size_t before = 0;
        bool apart = false;
        for (std::size_t k = 0; k < i; ++k) {
            before += view.messages[k]->kind == MessageKind::System;
            apart = apart || view.messages[k]->kind != MessageKind::System;
        }
        if (before == 0 && !apart)
            return;
        // Anthropic's integration merges neighbours and raises for any other; OpenAI takes system messages anywhere.
        const bool refused = apart && view.provider == "anthropic";
        const bool taken = !apart || view.provider.starts_with("openai") || view.provider.starts_with("azure");
        Finding finding = protocolFinding("two-system-messages",
            refused     ? Finding::Severity::Error
                : taken ? Finding::Severity::Info
                        : Finding::Severity::Warning,
            message,
            apart ? "A system message stands inside the conversation; the agent's own system prompt comes before "
                    "it as well."
                  : "The log begins with more than one system message, and the agent's own system prompt comes "
                    "before them.");
        finding.evidence = Value::map({{"effective_index", Value(static_cast<std::int64_t>(i))},
            {"system_messages_before", Value(static_cast<std::int64_t>(before))},
            {"provider_says", Value(refused ? "Received multiple non-consecutive system messages." : "")}});
        walk.see(std::move(finding), message->id.value_or(std::to_string(i)));
    });
}

} // namespace

const Rule rules::systemMessages{{"two-system-messages", Finding::Severity::Error,
                                     "The request holds system messages that are not consecutive at its start.",
                                     "Put instructions into the agent's system prompt, not into the message log.",
                                     "langchain_anthropic: \"Received multiple non-consecutive system messages.\""},
    &check};

} // namespace palimpsest
