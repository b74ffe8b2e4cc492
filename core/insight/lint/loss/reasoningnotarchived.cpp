// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/blocks.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited)
            continue;
        const MessageLog &log = context.ns.checkpoints[record.checkpoint.at()].messages;
        std::int64_t blocks = 0;
        Value::List places;
        MessagePtr first;
        for (std::int64_t i = record.evicted.first.value; i < record.evicted.end.value; ++i) {
            const MessagePtr &message = log[static_cast<std::size_t>(i)];
            std::int64_t here = message->additionalKwargs["reasoning_content"].truthy() ? 1 : 0;
            for (const Value &block : message->content.asList())
                here += lostBlock(block) == LostBlock::Reasoning ? 1 : 0;
            if (here == 0)
                continue;
            blocks += here;
            places.emplace_back(i);
            first = first ? first : message;
        }
        if (blocks == 0)
            continue;
        Finding finding = eventFinding("reasoning-not-archived", Finding::Severity::Info, record,
            std::to_string(blocks) + " reasoning blocks of " + rangeWords(record.evicted)
                + " are in the raw log alone: no archive keeps them.",
            Value::map({{"blocks", Value(blocks)}, {"raw_indexes", Value(std::move(places))}}));
        finding.messageId = first->id;
        seeFromEvent(context, sink, std::move(finding), context.ns.checkpoints[record.checkpoint.at()].id, record);
    }
}

} // namespace

const Rule rules::reasoningNotArchived{
    {"reasoning-not-archived", Finding::Severity::Info, "Reasoning was summarized away and is not in the archive.",
        "Read it from the raw log.",
        "langchain_core/messages/utils.py _format_content_block_xml, 1.8.3: provider forms of reasoning are left out"},
    &check};

} // namespace palimpsest
