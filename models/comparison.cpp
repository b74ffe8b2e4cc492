// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/comparison.h"

#include "models/whatif.h"

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
