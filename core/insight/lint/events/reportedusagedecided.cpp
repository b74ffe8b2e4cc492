// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

std::string_view usageWords(Settings::Usage usage)
{
    switch (usage) {
    case Settings::Usage::Keep:
        return "keep";
    case Settings::Usage::Ignore:
        return "ignore";
    case Settings::Usage::Scale:
        break;
    }
    return "scale";
}

void check(const LintContext &context, FindingSink &sink)
{
    eachDecidedCall(context, [&](const DecidedCall &decided) {
        const auto &[call, recorded, found] = decided;
        // The clause is worded so only where the counted tokens were too few.
        if (!call.result.summarize || call.result.details().clause.find("reported tokens") == std::string::npos)
            return;
        Finding finding = callFinding("reported-usage-decided", Finding::Severity::Info, context, call,
            "Call " + std::to_string(recorded.number.value)
                + " compacts because of the usage that the provider reported ("
                + std::to_string(call.result.reported.value_or(0)) + "); counted are only "
                + std::to_string(call.result.counted) + " tokens.",
            decisionEvidence(context, call, found.rules)
                .with("provider", Value(found.settings.model.provider))
                .with("usage", Value(usageWords(found.settings.usage)))
                .with("made_an_event", Value(call.event != nullptr)));
        sink.see(std::move(finding), recorded.taskId, recorded.checkpoint);
    });
}

} // namespace

const Rule rules::reportedUsageDecided{
    {"reported-usage-decided", Finding::Severity::Info,
        "A call compacted because of usage that the provider reported, not because of the counted tokens.",
        "Reported usage belongs to the recorded run: in a what-if choose whether to keep, scale or ignore it (usage).",
        "langchain#34664, deepagentsjs#467; langchain/agents/middleware/summarization.py "
        "_should_summarize_based_on_reported_tokens, 1.5.2",
        true},
    &check};

} // namespace palimpsest
