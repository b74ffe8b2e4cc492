// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/comparison.h"

#include "core/compaction/settingswords.h"

#include <algorithm>
#include <functional>
#include <set>

namespace palimpsest {

namespace {

const Settings &firstSettings(const SettingsSet &set, const ReplayInput &input)
{
    return settingsFor(set, input.space().name, 1);
}

} // namespace

Result<ComparisonPtr> makeComparison(const ReplayInputPtr &input, const std::shared_ptr<const SettingsSet> &a,
    const std::shared_ptr<const SettingsSet> &b, const JobContext &job)
{
    auto made = std::make_shared<Comparison>();
    const std::array<std::shared_ptr<const SettingsSet>, Comparison::columnCount> settings{a ? a : b, a, b};
    if (!settings[Comparison::Recorded])
        return failure(Error::Code::Invalid, "comparison", "Keep settings as A or B first.");
    Replayer replayer(input);
    for (std::size_t column = 0; column < Comparison::columnCount; ++column) {
        if (!settings[column])
            continue;
        const bool recorded = column == Comparison::Recorded;
        auto run = recorded ? recordedRun(input, *settings[column]) : replayer.run(*settings[column], {}, job);
        if (!run)
            return tl::unexpected(run.error());
        if (!recorded && !run->verification.faithful())
            made->leavesRecording = true;
        const std::string letter = column == Comparison::A ? "A" : column == Comparison::B ? "B" : "recorded";
        made->names[column] =
            recorded ? letter : letter + ": " + settingsWords(firstSettings(*settings[column], *input));
        made->columns[column] = summarizeRun(*run, *settings[column], letter);
        made->runs[column] = std::make_shared<const Replay>(std::move(*run));
    }
    made->left = a && b ? Comparison::A : Comparison::Recorded;
    made->right = b ? Comparison::B : Comparison::A;
    RunComparison compared = compareRuns(*made->runs[made->left], *settings[made->left], *made->runs[made->right],
        *settings[made->right], CallAlignment::ByCall, job);
    made->calls = std::move(compared.calls);
    const auto left = dialectFor(firstSettings(*settings[made->left], *input).dialect);
    const auto right = dialectFor(firstSettings(*settings[made->right], *input).dialect);
    if (left && right)
        made->rules = changedRules(left->dialect, right->dialect);
    return made;
}

Result<ComparisonPtr> makeThreadComparison(const ReplayInputPtr &input, const ReplayInputPtr &other,
    const std::string &otherName, const std::shared_ptr<const SettingsSet> &settings, const JobContext &job)
{
    auto made = std::make_shared<Comparison>();
    made->twoThreads = true;
    made->shortNames = {"this thread", "other", {}};
    made->names = {"this thread: " + input->thread().id, "other: " + otherName, {}};
    made->left = Comparison::Recorded;
    made->right = Comparison::A;
    for (const auto column : {Comparison::Recorded, Comparison::A}) {
        auto run = recordedRun(column == Comparison::A ? other : input, *settings);
        if (!run)
            return tl::unexpected(run.error());
        made->columns[column] = summarizeRun(*run, *settings, made->shortNames[column]);
        made->runs[column] = std::make_shared<const Replay>(std::move(*run));
    }
    made->alignment = alignmentFor(*input, *other);
    made->calls = compareRuns(
        *made->runs[Comparison::Recorded], *settings, *made->runs[Comparison::A], *settings, made->alignment, job)
                      .calls;
    return made;
}

std::vector<ComparedFigure> comparedFigures(const Comparison &comparison)
{
    std::vector<ComparedFigure> figures;
    const auto add = [&](const std::string &name, const std::string &meaning, bool lessIsBetter,
                         const std::function<std::optional<double>(const RunSummary &)> &figure, int decimals = 0) {
        ComparedFigure row{name, meaning, {}, decimals, lessIsBetter};
        for (std::size_t column = 0; column < Comparison::columnCount; ++column)
            if (const auto &run = comparison.columns[column])
                row.values[column] = figure(*run);
        if (std::ranges::any_of(row.values, [](const auto &value) { return value.has_value(); }))
            figures.push_back(std::move(row));
    };
    const auto whole = [](std::int64_t RunFigures::*figure) {
        return [figure](const RunSummary &run) { return std::optional(static_cast<double>(run.figures.*figure)); };
    };
    add("Calls", "Model calls", false, whole(&RunFigures::calls));
    add("Events", "Summarization events", true, whole(&RunFigures::events));
    add("Summaries made", "Those of refused and failing calls included", true, whole(&RunFigures::summaries));
    add("Tokens sent", "Over all calls, with tools and system prompt", true, whole(&RunFigures::tokensSent));
    add("Largest request", "Tokens, with tools and system prompt", true, whole(&RunFigures::peakTokens));
    add("Summary prompts", "Tokens of the prompts that were summarized", true, whole(&RunFigures::summaryTokens));
    add("Kept at the end", "Tokens of the last request, without tools and system prompt", false,
        whole(&RunFigures::tokensKeptAtEnd));
    std::set<std::string> roles;
    for (const auto &run : comparison.columns)
        if (run)
            for (const auto &[role, tokens] : run->keptByRole)
                roles.insert(role);
    for (const std::string &role : roles)
        add("   of it " + role, "Tokens of the last request", false,
            [role](const RunSummary &run) -> std::optional<double> {
                const auto found = run.keptByRole.find(role);
                return found == run.keptByRole.end() ? 0.0 : static_cast<double>(found->second);
            });
    add("Out of context at the end", "Messages of the log that the last request does not hold", true,
        [](const RunSummary &run) { return std::optional(static_cast<double>(run.outOfContextAtEnd)); });
    add("Archive bytes", "Written to conversation_history", false,
        [](const RunSummary &run) { return std::optional(static_cast<double>(run.archiveBytes)); });
    add("Cached input", "Tokens that the provider's prompt cache would have served", false,
        [](const RunSummary &run) { return std::optional(static_cast<double>(run.cost.cached)); });
    add(
        "Cost in dollars", "By the prices of the settings", true,
        [](const RunSummary &run) { return run.cost.dollars; }, 4);
    return figures;
}

std::vector<MessagePtr> requestAt(const Comparison &comparison, Comparison::Column column, std::int32_t call)
{
    const auto &run = comparison.runs[column];
    if (!run || call < 0 || static_cast<std::size_t>(call) >= run->calls.size())
        return {};
    const ReplayedCall &replayed = run->calls[static_cast<std::size_t>(call)];
    const PipelineAttempt *attempt = replayed.accepted();
    if (!attempt && !replayed.result.attempts().empty())
        attempt = &replayed.result.attempts().back();
    return attempt ? attempt->request.messages() : std::vector<MessagePtr>();
}

} // namespace palimpsest
