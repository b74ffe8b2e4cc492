// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"
#include "core/serde/json.h"

#include <map>

namespace palimpsest {
namespace {

constexpr std::string_view mark = "(argument truncated)";

/// Arguments that the archive holds cut and the raw log whole: their names, and the code points that are missing.
struct Cut {
    Value::List names;
    std::int64_t lost = 0;
};

Cut cutArguments(const Value &archived, const Value &raw)
{
    Cut cut;
    for (const auto &[name, value] : archived.asMap()) {
        if (!value.isText() || !value.asText().ends_with(mark) || !raw[name.asText()].isText())
            continue;
        const std::string &whole = raw[name.asText()].asText();
        if (whole.ends_with(mark) || whole.size() <= value.asText().size())
            continue;
        cut.names.push_back(name);
        cut.lost +=
            static_cast<std::int64_t>(text::length(whole)) - static_cast<std::int64_t>(text::length(value.asText()));
    }
    return cut;
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || !record.event->filePath)
            continue;
        const ArchiveFile &file = context.material.archive(*record.event->filePath);
        if (file.text.find(mark) == std::string::npos)
            continue;
        const MessageLog &log = context.ns.checkpoints[record.checkpoint.at()].messages;
        std::map<std::string, std::int64_t> makers; // tool call id, shortened as the archive shows it → raw place
        for (std::int64_t i = record.evicted.first.value; i < record.evicted.end.value; ++i)
            for (const ToolCallView &call : toolCalls(*log[static_cast<std::size_t>(i)]))
                makers[std::string(text::head(call.id, 64))] = i;
        for (const SectionLink &link : file.links) {
            if (link.checkpoint != record.checkpoint)
                continue;
            for (const ArchivedMessage &message : file.archive.sections[link.section].messages) {
                for (const ArchivedToolCall &archived : message.toolCalls) {
                    const auto maker = makers.find(std::string(text::head(archived.id, 64)));
                    const Result<Value> args = parseJson(archived.args);
                    if (maker == makers.end() || !args)
                        continue;
                    const MessagePtr &raw = log[static_cast<std::size_t>(maker->second)];
                    for (const ToolCallView &call : toolCalls(*raw)) {
                        if (text::head(call.id, 64) != text::head(archived.id, 64))
                            continue;
                        Cut cut = cutArguments(*args, *call.args);
                        if (cut.names.empty())
                            continue;
                        Finding finding =
                            eventFinding("archive-arguments-truncated", Finding::Severity::Warning, record,
                                "The archive holds the arguments of " + std::string(call.name) + " already truncated: "
                                    + std::to_string(cut.lost) + " characters are in the raw log alone.",
                                Value::map({{"tool_call_id", Value(call.id)}, {"tool", Value(call.name)},
                                    {"arguments", Value(std::move(cut.names))}, {"characters_lost", Value(cut.lost)},
                                    {"raw_index", Value(maker->second)},
                                    {"section", Value(static_cast<std::int64_t>(link.section))},
                                    {"in_raw_log", Value(true)}}));
                        finding.messageId = raw->id;
                        seeFromEvent(context, sink, std::move(finding),
                            std::string(call.id) + "/" + std::to_string(link.section), record);
                    }
                }
            }
        }
    }
}

} // namespace

const Rule rules::archiveArgumentsTruncated{
    {"archive-arguments-truncated", Finding::Severity::Warning,
        "Arguments were truncated before the archive was written: the archive has not the whole text.",
        "Take the whole arguments from the raw log; let truncation fire well before summarization.",
        "deepagents/middleware/summarization.py wrap_model_call, 0.7.7 and 0.7.32: truncated messages are archived"},
    &check};

} // namespace palimpsest
