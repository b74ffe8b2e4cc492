// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

constexpr std::size_t suspicious = 3; ///< calls in a row that each compacted

void check(const LintContext &context, FindingSink &sink)
{
    const auto &calls = context.ns.calls;
    for (std::size_t i = 0; i < calls.size();) {
        std::size_t end = i;
        while (end < calls.size() && calls[end].eventFrom == Call::EventFrom::ThisCall)
            ++end;
        if (end - i >= suspicious) {
            Finding finding;
            finding.rule = "compaction-every-call";
            finding.severity = Finding::Severity::Warning;
            finding.taskId = calls[i].taskId;
            finding.message = "Calls " + std::to_string(calls[i].number.value) + " to "
                + std::to_string(calls[end - 1].number.value)
                + " each compacted: what is kept, with tools, system prompt and summary, is over the trigger again at "
                  "once.";
            finding.evidence = Value::map(
                {{"from_call", Value(calls[i].number.value)}, {"to_call", Value(calls[end - 1].number.value)},
                    {"summaries", Value(static_cast<std::int64_t>(end - i))}});
            sink.see(std::move(finding), calls[i].taskId, calls[i].checkpoint);
        }
        i = end + 1;
    }
}

} // namespace

const Rule rules::compactionEveryCall{
    {"compaction-every-call", Finding::Severity::Warning, "Several model calls in a row each made a summary.",
        "Raise the trigger above tools + system prompt + summary + what is kept, or keep less.",
        "deepagents/middleware/summarization.py wrap_model_call, 0.7.7"},
    &check};

} // namespace palimpsest
