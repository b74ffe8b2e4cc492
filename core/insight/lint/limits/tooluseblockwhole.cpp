// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

/// Characters of long arguments in `tool_use` blocks of the message's write_file and edit_file calls.
std::int64_t wholeInBlocks(const Message &message, std::int64_t maxLength)
{
    std::int64_t characters = 0;
    for (const Value &block : message.content.asList()) {
        const std::string &name = block["name"].asText();
        if (block["type"].asText() != "tool_use" || (name != "write_file" && name != "edit_file"))
            continue;
        for (const auto &[key, value] : block["input"].asMap())
            if (value.isText() && static_cast<std::int64_t>(text::length(value.asText())) > maxLength)
                characters += static_cast<std::int64_t>(text::length(value.asText()));
    }
    return characters;
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const ReplayedCall &call : context.replay->calls) {
        if (!call.result.truncated || call.result.attempts().empty())
            continue;
        const auto found = rulesOf(context, call);
        if (!found || !found->rules.truncateArgs)
            continue;
        const RequestView &request = call.result.attempts().back().request;
        for (std::int64_t i = 0; i < request.size(); ++i) {
            const std::int64_t place = request.placeOf(i);
            if (place < 0 || place >= request.truncatedUntil || !request.isAi(i))
                continue;
            const MessagePtr &message = request.at(i);
            const std::int64_t characters = wholeInBlocks(*message, found->rules.truncateArgs->maxLength);
            if (characters == 0)
                continue;
            Finding finding = callFinding("tool-use-block-whole", Finding::Severity::Info, context, call,
                "Arguments were truncated in tool_calls, but the tool_use block beside them still holds "
                    + std::to_string(characters) + " characters, which the provider is sent.",
                Value::map({{"characters", Value(characters)}, {"tokens", Value(characters / 4)},
                    {"call", Value(recordedCall(context, call).number.value)}}));
            finding.messageId = message->id;
            const std::size_t handle = sink.see(std::move(finding), message->id.value_or(std::to_string(place)),
                recordedCall(context, call).checkpoint);
            sink.extend(handle, recordedCall(context, call).checkpoint);
        }
    }
}

} // namespace

const Rule rules::toolUseBlockWhole{
    {"tool-use-block-whole", Finding::Severity::Info,
        "Truncation shortened tool_calls only: the same arguments stand whole in tool_use blocks.",
        "Count such messages as whole; compact earlier with Anthropic's content blocks.",
        "deepagents/middleware/summarization.py _truncate_tool_call, 0.7.7 and 0.7.32", true},
    &check};

} // namespace palimpsest
