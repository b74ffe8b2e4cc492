// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/loss/stubs.h"
#include "core/insight/lint/rules.h"

#include <map>

namespace palimpsest {
namespace {

void check(const LintContext &context, FindingSink &sink)
{
    const std::vector<StubRecord> stubs = stubsOf(context);
    std::map<std::string, std::vector<const StubRecord *>> byPath;
    for (const StubRecord &stub : stubs)
        byPath[stub.path].push_back(&stub);
    for (const auto &[path, records] : byPath) {
        for (std::size_t i = 0; i + 1 < records.size(); ++i) {
            const StubRecord &earlier = *records[i];
            const StubRecord &later = *records[i + 1];
            // The same result again, or a stub that was only reworded.
            if (earlier.message->id && earlier.message->id == later.message->id)
                continue;
            if (earlier.preview == later.preview && earlier.message->content == later.message->content)
                continue;
            const auto shown = [](const std::string &id) { return std::string(text::head(id, 60)); };
            Finding finding;
            finding.rule = "offload-overwritten";
            finding.severity = Finding::Severity::Error;
            finding.messageId = earlier.message->id;
            finding.path = path;
            finding.message = "The result of tool call \"" + shown(earlier.toolCallId) + "\" was moved to " + path
                + ", which the result of tool call \"" + shown(later.toolCallId)
                + "\" then overwrote: the stub leads to the other's text.";
            finding.evidence = Value::map(
                {{"tool_call_id", Value(earlier.toolCallId)}, {"overwritten_by_tool_call_id", Value(later.toolCallId)},
                    {"overwritten_by_message_id", later.message->id ? Value(*later.message->id) : Value()},
                    {"raw_index", Value(earlier.raw)}, {"overwritten_by_raw_index", Value(later.raw)},
                    {"overwritten_at_checkpoint_id", Value(context.ns.checkpoints[later.checkpoint.at()].id)}});
            const std::size_t handle =
                sink.see(std::move(finding), path + "\n" + std::to_string(earlier.raw), later.checkpoint);
            sink.extend(handle, context.material.lastDescendant(later.checkpoint));
        }
    }
}

} // namespace

const Rule rules::offloadOverwritten{
    {"offload-overwritten", Finding::Severity::Error,
        "Two large tool results were moved to one file: the earlier one is lost, its stub shows the other's text.",
        "Look for the earlier text in older checkpoints; use tool call ids that are not empty, not reused and differ "
        "after sanitizing.",
        "deepagents#5559, #6302; deepagents/backends/utils.py sanitize_tool_call_id, 0.7.7"},
    &check};

} // namespace palimpsest
