// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/summaryplans.h"

#include <QCoreApplication>

#include <unordered_map>

namespace palimpsest {

Result<SummaryPlansPtr> makeSummaryPlans(const ReplayInputPtr &input, const SettingsSet &settings,
    const std::shared_ptr<const GivenSummaries> &given, const JobContext &job)
{
    std::shared_ptr<QuestionNotes> notes;
    ReplayOptions options;
    options.texts = false;
    options.inFront = [&](std::shared_ptr<Summarizer> source) {
        if (given)
            source = std::make_shared<GivenSummarizer>(given, std::move(source));
        notes = std::make_shared<QuestionNotes>(std::move(source));
        return notes;
    };
    const auto run = Replayer(input).run(settings, options, job);
    if (!run)
        return tl::unexpected(run.error());
    std::unordered_map<std::string, std::pair<CallNumber, bool>> calls;
    for (const ReplayedCall &call : run->calls) {
        const Call &recorded = input->call(static_cast<std::size_t>(call.index));
        calls[recorded.taskId] = {recorded.number, false};
        for (const ReplayedCompaction &compaction : call.compactions)
            calls[compaction.result.toolCallId] = {recorded.number, true};
    }
    auto plans = std::make_shared<std::vector<SummaryPlan>>();
    for (SummaryQuestion &question : notes->take()) {
        SummaryPlan plan;
        if (const auto call = calls.find(question.subject.id); call != calls.end())
            std::tie(plan.call, plan.byTool) = call->second;
        plan.origin = given && given->contains(question.subject)        ? SummaryPlan::Origin::Given
            : input->recordedSummaries()->contains(question.subject.id) ? SummaryPlan::Origin::Recorded
                                                                        : SummaryPlan::Origin::Extractive;
        plan.question = std::move(question);
        plans->push_back(std::move(plan));
    }
    return plans;
}

QString originName(SummaryPlan::Origin origin)
{
    const auto tr = [](const char *words) { return QCoreApplication::translate("SummaryPlan", words); };
    switch (origin) {
    case SummaryPlan::Origin::Recorded:
        return tr("recorded");
    case SummaryPlan::Origin::Given:
        return tr("from a model");
    case SummaryPlan::Origin::Extractive:
        break;
    }
    return tr("extracted");
}

} // namespace palimpsest
