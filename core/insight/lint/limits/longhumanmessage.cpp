// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/compaction/stages/largemessage.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/limits/limits.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

constexpr std::int64_t defaultLimit = 50000; ///< tokens: human_message_token_limit_before_evict

void check(const LintContext &context, FindingSink &sink)
{
    const CheckpointIndex head = newestHead(context.ns);
    if (!head.isValid())
        return;
    const bool given = context.settings && context.settingsFrom.empty();
    const std::int64_t limit = evictionCharsPerToken
        * (given ? settingsFor(*context.settings, context.ns.name, 1).humanMessageTokenLimitBeforeEvict.value_or(0)
                 : defaultLimit);
    if (limit <= 0)
        return;
    const Checkpoint &checkpoint = context.ns.checkpoints[head.at()];
    const MessageLog &log = checkpoint.messages;
    std::size_t lastHuman = 0;
    for (std::size_t i = log.size(); i-- > 0 && lastHuman == 0;)
        if (log[i]->kind == MessageKind::Human)
            lastHuman = i;
    for (std::size_t i = keptFrom(checkpoint); i < lastHuman; ++i) {
        const Message &message = *log[i];
        if (message.kind != MessageKind::Human || isSummaryMessage(message)
            || message.additionalKwargs.contains("lc_evicted_to"))
            continue;
        const auto length = static_cast<std::int64_t>(text::length(textOf(message)));
        if (length <= limit)
            continue;
        Finding finding;
        finding.rule = "long-human-message";
        finding.severity = Finding::Severity::Info;
        finding.messageId = message.id;
        finding.message = "A user message of " + std::to_string(length) + " characters in mid-history costs about "
            + std::to_string(length / evictionCharsPerToken)
            + " tokens at every call: only the newest is ever moved to a file.";
        finding.evidence = Value::map({{"characters", Value(length)}, {"tokens", Value(length / evictionCharsPerToken)},
            {"limit", Value(limit)}, {"raw_index", Value(static_cast<std::int64_t>(i))}});
        sink.see(std::move(finding), message.id.value_or(std::to_string(i)), head);
    }
}

} // namespace

const Rule rules::longHumanMessage{
    {"long-human-message", Finding::Severity::Info, "A long user message in mid-history is sent whole at every call.",
        "Let the user attach a file instead, or compact.",
        "deepagents/middleware/filesystem.py: only the most recent human message is evicted, 0.7.7 and 0.7.32"},
    &check};

} // namespace palimpsest
