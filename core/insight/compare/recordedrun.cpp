// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/preparedlogs.h"
#include "core/compaction/replayviews.h"
#include "core/compaction/stages/trigger.h"
#include "core/insight/compare/compare.h"
#include "core/insight/infer/evidence.h"

#include <map>

namespace palimpsest {
namespace {

Result<std::vector<CallRulesPtr>> rulesAt(const ReplayInput &input, const SettingsSet &set)
{
    std::map<const Settings *, CallRulesPtr> known;
    std::vector<CallRulesPtr> at;
    for (std::size_t i = 0; i < input.calls().size(); ++i) {
        const Settings &settings = settingsFor(set, input.space().name, static_cast<std::int64_t>(i) + 1);
        CallRulesPtr &rules = known[&settings];
        if (!rules) {
            const auto choice = dialectFor(settings.dialect);
            if (!choice)
                return tl::unexpected(choice.error());
            auto made = std::make_shared<CallRules>();
            made->settings = &settings;
            made->rules = rulesFor(settings, choice->dialect);
            made->base = requestBase(settings, made->rules);
            rules = std::move(made);
        }
        at.push_back(rules);
    }
    return at;
}

std::string fileText(const FileEntry &file)
{
    if (file.content.isText())
        return file.content.asText();
    std::string text;
    for (const Value &line : file.content.asList())
        text += (text.empty() ? "" : "\n") + line.asText();
    return text;
}

} // namespace

Result<Replay> recordedRun(const ReplayInputPtr &input, const SettingsSet &settings)
{
    const auto at = rulesAt(*input, settings);
    if (!at)
        return tl::unexpected(at.error());
    Replay run;
    run.input = input;
    run.dialect = at->empty() ? std::string() : at->front()->rules.dialect.name;
    run.claimsFidelity = input->thread().language == "python";
    const PreparedLogs logs = prepareLogs(*input, *at);
    run.calls.resize(input->calls().size());
    for (std::size_t i = 0; i < run.calls.size(); ++i) {
        const ReplayInput::CallInput &recorded = input->calls()[i];
        ReplayedCall &call = run.calls[i];
        call.index = static_cast<std::int32_t>(i);
        call.base = (*at)[i]->base;
        call.certainty = input->call(i).certainty;
        if (input->call(i).outcome != Call::Outcome::Ok)
            continue;
        PipelineAttempt attempt;
        attempt.request = recordedRequestView(*input, *(*at)[i], logs, i);
        if (auto owner = logs.owned(attempt.request.log.get()))
            attempt.request.log = std::move(owner);
        attempt.tokens = attempt.request.countUnscaled(call.base);
        call.result.counted = attempt.request.count(call.base);
        call.result.reported = reportedTokens(attempt.request, (*at)[i]->rules);
        call.result.only = std::move(attempt);
        if (!recorded.madeEvent)
            continue;
        call.event = recorded.recordedEvent;
        call.result.summarize = true;
        auto details = std::make_shared<PipelineDetails>();
        details->event = recorded.recordedEvent;
        details->triedEvent = recorded.recordedEvent;
        details->clause = "recorded";
        details->stateCutoffIndex = recorded.recordedEvent->cutoffIndex;
        details->cutoffIndex = effectiveCutoff(*recorded.recordedEvent, recorded.recordedBefore.get());
        call.result.more = std::move(details);
    }
    if (!input->space().heads.empty()) {
        for (const auto &[path, file] : input->space().checkpoints[input->space().heads.back().at()].files) {
            auto stored = std::make_shared<StoredArtifact>();
            stored->content = file ? fileText(*file) : std::string();
            stored->base64 = file && file->encoding == "base64";
            run.files = run.files.set(path, std::move(stored));
        }
    }
    return run;
}

} // namespace palimpsest
