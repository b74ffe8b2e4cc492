// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/jsonparts.h"

#include "core/thread/events.h"

namespace palimpsest {

void writeEvent(JsonOutput &json, MessagePool &pool, const SummarizationEvent *event)
{
    if (!event) {
        json.null();
        return;
    }
    json.beginObject().key("cutoff_index");
    if (const std::optional<std::int64_t> cutoff = cutoffOf(*event))
        json.number(*cutoff);
    else
        json.null();
    json.key("summary_message");
    if (event->summaryMessage)
        json.text(pool.key(event->summaryMessage));
    else
        json.null();
    json.key("file_path").optionalText(event->filePath);
    if (event->createdAtIndex)
        json.key("created_at_index").number(*event->createdAtIndex);
    if (event->malformed)
        json.key("malformed").boolean(true).key("stored").value(event->raw);
    json.endObject();
}

void writeFinding(JsonOutput &json, const Finding &finding)
{
    json.beginObject().key("rule").text(finding.rule).key("severity").text(severityName(finding.severity));
    json.key("message").text(finding.message).key("checkpoint_ns").text(finding.checkpointNs);
    json.key("checkpoint_id").textOrNull(finding.checkpointId).key("task_id").optionalText(finding.taskId);
    json.key("message_id").optionalText(finding.messageId).key("block");
    json.number(finding.block);
    json.key("path").optionalText(finding.path).key("evidence").value(finding.evidence).endObject();
}

void writeFindings(JsonOutput &json, const std::vector<Finding> &findings)
{
    json.beginArray();
    for (const Finding &finding : findings)
        writeFinding(json, finding);
    json.endArray();
}

void writeSource(JsonOutput &json, const SourceInfo &info)
{
    json.beginObject()
        .key("kind")
        .text(info.kind)
        .key("location")
        .text(info.location)
        .key("language")
        .text(info.language);
    json.key("what").textOrNull(info.what).key("journal").textOrNull(info.journal).key("findings");
    writeFindings(json, info.findings);
    json.endObject();
}

} // namespace palimpsest
