// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/decisions.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

#include <algorithm>

namespace palimpsest {
namespace {

bool isFraction(const std::optional<ContextSize> &size)
{
    return size && size->kind == ContextSize::Kind::Fraction;
}

void check(const LintContext &context, FindingSink &sink)
{
    eachDecidedCall(context, [&](const DecidedCall &decided) {
        const auto &[call, recorded, found] = decided;
        if (found.rules.maxInputTokens)
            return;
        const bool trigger =
            std::any_of(found.rules.trigger.begin(), found.rules.trigger.end(), [](const auto &clause) {
                return std::any_of(
                    clause.begin(), clause.end(), [](const ContextSize &size) { return isFraction(size); });
            });
        const bool keep = isFraction(found.rules.keep);
        const bool truncation = found.rules.truncateArgs
            && (isFraction(found.rules.truncateArgs->trigger) || isFraction(found.rules.truncateArgs->keep));
        const bool defaults = found.settings.modelDefaults;
        if (!trigger && !keep && !truncation && !defaults)
            return;
        Finding finding = callFinding("fraction-without-profile",
            trigger || keep               ? Finding::Severity::Error
                : defaults && !truncation ? Finding::Severity::Info
                                          : Finding::Severity::Warning,
            context, call,
            trigger || keep ? "A fraction of the window is asked for and the model has no profile: upstream refuses it."
                : truncation
                ? "Truncation asks for a fraction of the window and the model has no profile: it never fires."
                : "The model has no profile: the defaults are fixed numbers (trigger 170,000 tokens), whatever its "
                  "window.",
            Value::map({{"trigger", Value(triggerWords(found.rules.trigger))}, {"in_trigger", Value(trigger)},
                {"in_keep", Value(keep)}, {"in_truncation", Value(truncation)}, {"model_defaults", Value(defaults)}}));
        const std::size_t handle = sink.see(std::move(finding), "fraction", recorded.checkpoint);
        sink.extend(handle, recorded.checkpoint);
    });
}

} // namespace

const Rule rules::fractionWithoutProfile{
    {"fraction-without-profile", Finding::Severity::Error,
        "A size is a fraction of a window that is not known, so it never applies or is replaced by fixed numbers.",
        "Give the model a profile with max_input_tokens, or use tokens.",
        "deepagents/middleware/summarization.py compute_summarization_defaults, _should_truncate_args, 0.7.7", true},
    &check};

} // namespace palimpsest
