// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    walk.runNew([&](const EffectiveView &, std::size_t i, const MessagePtr &message) {
        const Value::List &blocks = message->content.asList();
        if (message->kind != MessageKind::Ai || blocks.empty())
            return;
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            // OpenAI's items carry an id "rs_…"; each needs the item that was made from it.
            const Value &id = blocks[k]["id"];
            if (blocks[k]["type"].asText() != "reasoning" || !id.isText() || !id.asText().starts_with("rs_"))
                continue;
            const bool followed = k + 1 < blocks.size() || !callsOf(*message).empty();
            if (followed)
                continue;
            Finding finding = protocolFinding("reasoning-without-partner", Finding::Severity::Error, message,
                "Reasoning item \"" + id.asText()
                    + "\" is in the request without the item that followed it: OpenAI answers 400.");
            finding.block = static_cast<std::int64_t>(k);
            finding.evidence = Value::map({{"item", id}, {"effective_index", Value(static_cast<std::int64_t>(i))},
                {"provider_says",
                    Value("Item '" + id.asText()
                        + "' of type 'reasoning' was provided without its required following item.")}});
            walk.see(std::move(finding), id.asText());
        }
    });
}

} // namespace

const Rule rules::reasoningPartner{
    {"reasoning-without-partner", Finding::Severity::Error,
        "A reasoning item of OpenAI's Responses API stands without the item made from it.",
        "Drop the reasoning item together with its partner, or keep both.",
        "OpenAI Responses: \"Item 'rs_…' of type 'reasoning' was provided without its required following item.\""},
    &check};

} // namespace palimpsest
