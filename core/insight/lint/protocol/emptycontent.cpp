// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

bool isBlank(const std::string &text)
{
    return std::all_of(
        text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
}

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    walk.runNew([&](const EffectiveView &view, std::size_t i, const MessagePtr &message) {
        const bool anthropic = view.provider == "anthropic" || view.provider.starts_with("bedrock");
        if (!anthropic)
            return; // others take empty content
        if (message->kind == MessageKind::Tool || !callsOf(*message).empty())
            return;
        std::optional<std::int64_t> block;
        bool empty = message->content.isText() ? isBlank(message->content.asText()) : message->content.asList().empty();
        for (std::size_t k = 0; k < message->content.asList().size() && !empty; ++k) {
            const Value &part = message->content.asList()[k];
            if (part["type"].asText() == "text" && isBlank(part["text"].asText())) {
                empty = true;
                block = static_cast<std::int64_t>(k);
            }
        }
        // The last assistant message may be empty.
        if (!empty || (message->kind == MessageKind::Ai && i + 1 == view.messages.size()))
            return;
        Finding finding = protocolFinding("empty-content", Finding::Severity::Error, message,
            block ? "A text block of this message is empty: Anthropic answers 400."
                  : "This message has no content: Anthropic answers 400.");
        finding.block = block;
        finding.evidence = Value::map({{"effective_index", Value(static_cast<std::int64_t>(i))},
            {"provider_says",
                Value(block ? "messages: text content blocks must be non-empty"
                            : "all messages must have non-empty content except for the optional final assistant "
                              "message")}});
        walk.see(std::move(finding), message->id.value_or(std::to_string(i)));
    });
}

} // namespace

const Rule rules::emptyContent{{"empty-content", Finding::Severity::Error,
                                   "A message or a text block without content is in a request to Anthropic.",
                                   "Leave empty messages out of the log, or give them a word.",
                                   "Anthropic: \"text content blocks must be non-empty\""},
    &check};

} // namespace palimpsest
