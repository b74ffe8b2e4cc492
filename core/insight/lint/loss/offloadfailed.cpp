// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/links.h"
#include "core/base/text.h"
#include "core/compaction/stages/largemessage.h"
#include "core/insight/lint/logwalk.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

void checkEvents(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || record.byUpdate || record.event->filePath || record.event->malformed
            || record.evictedCount() == 0)
            continue;
        Finding finding = eventFinding("offload-failed", Finding::Severity::Warning, record,
            "The archive of " + rangeWords(record.evicted)
                + " could not be written: the model was told of no file to look them up in.",
            Value::map({{"evicted_messages", Value(record.evictedCount())}, {"in_raw_log", Value(true)},
                {"raw_from", Value(record.evicted.first.value)}, {"raw_to", Value(record.evicted.end.value)}}));
        seeFromEvent(context, sink, std::move(finding), context.ns.checkpoints[record.checkpoint.at()].id, record);
    }
}

/// Results that are over the limit and in the log all the same. Only settings tell the limit.
void checkResults(const LintContext &context, FindingSink &sink)
{
    if (!context.settings || !context.settingsFrom.empty())
        return;
    const Settings &settings = settingsFor(*context.settings, context.ns.name, 1);
    if (settings.toolTokenLimitBeforeEvict.value_or(0) <= 0 || !settings.dialect.starts_with("deepagents"))
        return;
    const std::int64_t limit = *settings.toolTokenLimitBeforeEvict * evictionCharsPerToken;
    eachNewMessage(context.ns, context.job, [&](CheckpointIndex at, std::size_t raw, const MessagePtr &message) {
        if (message->kind != MessageKind::Tool || !evictionExclusion(message->name.value_or("")).empty())
            return;
        const std::string text = textOf(*message);
        const auto length = static_cast<std::int64_t>(text::length(text));
        if (length <= limit || stubLink(text))
            return;
        Finding finding;
        finding.rule = "offload-failed";
        finding.severity = Finding::Severity::Warning;
        finding.messageId = message->id;
        finding.message = "A tool result of " + std::to_string(length) + " characters is in the log, although "
            + std::to_string(limit) + " are the limit: it could not be moved to a file.";
        finding.evidence = Value::map({{"characters", Value(length)}, {"limit", Value(limit)},
            {"raw_index", Value(static_cast<std::int64_t>(raw))},
            {"tool_call_id", message->toolCallId ? Value(*message->toolCallId) : Value()}});
        sink.see(std::move(finding), message->id.value_or(std::to_string(raw)), at);
    });
}

void check(const LintContext &context, FindingSink &sink)
{
    checkEvents(context, sink);
    checkResults(context, sink);
}

} // namespace

const Rule rules::offloadFailed{
    {"offload-failed", Finding::Severity::Warning,
        "An archive or a large tool result could not be written to the agent's files.",
        "Look at the backend's errors; what was to be written is in the raw log.",
        "deepagents#2247; deepagents/middleware/summarization.py _offload_to_backend, filesystem.py "
        "_process_large_message, 0.7.7"},
    &check};

} // namespace palimpsest
