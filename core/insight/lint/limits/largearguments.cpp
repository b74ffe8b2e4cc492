// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/limits/limits.h"
#include "core/insight/lint/rules.h"

#include <map>

namespace palimpsest {
namespace {

constexpr std::size_t longArgument = 2000; ///< code points: default of truncate_args
constexpr std::size_t keptByDefault = 20; ///< messages that truncation leaves alone by default

struct Cost {
    std::int64_t calls = 0;
    std::int64_t characters = 0;
    MessagePtr first;
    std::int64_t raw = 0;
};

void check(const LintContext &context, FindingSink &sink)
{
    const CheckpointIndex head = newestHead(context.ns);
    if (!head.isValid())
        return;
    const Checkpoint &checkpoint = context.ns.checkpoints[head.at()];
    const MessageLog &log = checkpoint.messages;
    std::map<std::string, Cost> byTool;
    for (std::size_t i = keptFrom(checkpoint); i + keptByDefault < log.size(); ++i) {
        for (const ToolCallView &call : toolCalls(*log[i])) {
            if (call.name == "write_file" || call.name == "edit_file")
                continue;
            std::int64_t characters = 0;
            for (const auto &[name, value] : call.args->asMap())
                if (value.isText() && value.asText().size() > longArgument
                    && text::length(value.asText()) > longArgument)
                    characters += static_cast<std::int64_t>(text::length(value.asText()));
            if (characters == 0)
                continue;
            Cost &cost = byTool[std::string(call.name)];
            ++cost.calls;
            cost.characters += characters;
            if (!cost.first) {
                cost.first = log[i];
                cost.raw = static_cast<std::int64_t>(i);
            }
        }
    }
    for (const auto &[tool, cost] : byTool) {
        Finding finding;
        finding.rule = "large-arguments-kept";
        finding.severity = Finding::Severity::Info;
        finding.messageId = cost.first->id;
        finding.message = "Old calls of " + tool + " carry about " + std::to_string(cost.characters / 4)
            + " tokens of arguments in every request: only write_file and edit_file are ever truncated.";
        finding.evidence =
            Value::map({{"tool", Value(tool)}, {"calls", Value(cost.calls)}, {"characters", Value(cost.characters)},
                {"tokens", Value(cost.characters / 4)}, {"raw_index", Value(cost.raw)}});
        sink.see(std::move(finding), tool, head);
    }
}

} // namespace

const Rule rules::largeArguments{
    {"large-arguments-kept", Finding::Severity::Info,
        "Large arguments of tools other than write_file and edit_file stay in every request.",
        "Let such tools take a path instead of a text; compact earlier.",
        "deepagents/middleware/summarization.py _truncate_args (write_file, edit_file only), 0.7.7 and 0.7.32"},
    &check};

} // namespace palimpsest
