// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/logwalk.h"
#include "core/insight/lint/rules.h"
#include "core/thread/foreigntypes.h"

namespace palimpsest {
namespace {

/// Objects inside messages; those in channels of their own are seen while the rows are read (core/thread).
void check(const LintContext &context, FindingSink &sink)
{
    eachNewMessage(context.ns, context.job, [&](CheckpointIndex at, std::size_t raw, const MessagePtr &message) {
        for (const Value *part : {&message->artifact, &message->additionalKwargs, &message->extra}) {
            for (const std::string &type : foreignTypes(*part)) {
                Finding finding;
                finding.rule = "foreign-type";
                finding.severity = Finding::Severity::Info;
                finding.messageId = message->id;
                finding.message = "Message " + std::to_string(raw) + " holds an object of class " + type
                    + ", which is shown by its structure: LangGraph needs that class to rebuild it.";
                finding.evidence =
                    Value::map({{"type", Value(type)}, {"raw_index", Value(static_cast<std::int64_t>(raw))}});
                sink.see(std::move(finding), type + "/" + message->id.value_or(std::to_string(raw)), at);
            }
        }
    });
}

} // namespace

const Rule rules::foreignType{
    {"foreign-type", Finding::Severity::Info,
        "A stored value is an object of a class that is neither LangGraph's nor LangChain's nor Python's own: it is "
        "shown "
        "by its structure.",
        "Nothing is lost here; the library itself can rebuild it only where that class can be imported and is allowed.",
        "langgraph#6970, #7695, #6718, #9021, #8673; langgraph/checkpoint/serde/jsonplus.py, 4.3.2"},
    &check};

} // namespace palimpsest
