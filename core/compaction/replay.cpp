// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replay.h"

#include "core/compaction/foreigntraits.h"
#include "core/compaction/preparedlogs.h"
#include "core/compaction/replayrun.h"
#include "core/compaction/replayverify.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace palimpsest {

const PipelineAttempt *ReplayedCall::accepted() const
{
    const auto attempts = result.attempts();
    return attempts.empty() || attempts.back().outcome != PipelineAttempt::Outcome::Ok ? nullptr : &attempts.back();
}

/// What runs share: prepared logs by what they depend on, and summarizers.
struct Replayer::Cache {
    static constexpr std::size_t limit = 16;
    std::mutex mutex;
    std::vector<std::pair<std::string, std::shared_ptr<const PreparedLogs>>> logs; ///< the last used one last
    std::map<SummarySource, std::shared_ptr<Summarizer>> summarizers;

    /// Null for `Model` without a model.
    std::shared_ptr<Summarizer> summarizer(const ReplayInput &input, const ReplayOptions &options)
    {
        SummaryMaterial material{input.recordedSummaries(), options.model};
        if (options.summaries == SummarySource::Model) // of this run only
            return makeSummarizer(options.summaries, std::move(material));
        const std::lock_guard lock(mutex);
        auto &known = summarizers[options.summaries];
        if (!known)
            known = makeSummarizer(options.summaries, std::move(material));
        return known;
    }

    std::shared_ptr<const PreparedLogs> find(
        const std::string &key, const ReplayInput &input, const std::vector<CallRulesPtr> &at)
    {
        // Whoever needs the same logs waits for whoever makes them.
        const std::lock_guard lock(mutex);
        const auto known =
            std::find_if(logs.begin(), logs.end(), [&](const auto &entry) { return entry.first == key; });
        if (known != logs.end()) {
            std::rotate(known, known + 1, logs.end());
            return logs.back().second;
        }
        if (logs.size() >= limit)
            logs.erase(logs.begin());
        logs.emplace_back(key, std::make_shared<const PreparedLogs>(prepareLogs(input, at)));
        return logs.back().second;
    }
};

Replayer::Replayer(ReplayInputPtr input)
    : m_input(std::move(input))
    , m_cache(std::make_unique<Cache>())
{
}

Replayer::~Replayer() = default;
Replayer::Replayer(Replayer &&) noexcept = default;
Replayer &Replayer::operator=(Replayer &&) noexcept = default;

namespace {

/// The rules in force at each call. Errors: a dialect that is none, a fixed summary without its text.
Result<std::vector<CallRulesPtr>> rulesByCall(
    const ReplayInput &input, const SettingsSet &set, SummarySource summaries, std::vector<std::string> &notices)
{
    const std::vector<SettingsSet::Segment> &segments = segmentsFor(set, input.space().name);
    std::vector<CallRulesPtr> at;
    at.reserve(input.calls().size());
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const Settings &settings = segments[s].settings;
        auto choice = dialectFor(settings.dialect);
        if (!choice)
            return tl::unexpected(choice.error());
        if (!choice->notice.empty() && std::find(notices.begin(), notices.end(), choice->notice) == notices.end())
            notices.push_back(choice->notice);
        if (settings.offloadBinaryContent && choice->dialect.offloadsBlobs && input.artifactsSeenInState())
            notices.emplace_back("offload_binary_content has no effect: the thread keeps its files in the state, where "
                                 "blobs would stand too.");
        if (settings.offloadBinaryContent && !choice->dialect.offloadsBlobs)
            notices.push_back("offload_binary_content has no effect: " + choice->dialect.name + " does not know it.");
        if (summaries == SummarySource::Fixed && !settings.summaryText)
            return failure(Error::Code::Invalid, "summary_text",
                "is not set in the settings; set it to the text that fixed summaries have, or choose other summaries");
        auto rules = std::make_shared<CallRules>();
        rules->settings = &settings;
        rules->rules = rulesFor(settings, choice->dialect);
        rules->base = requestBase(settings, rules->rules);
        const std::size_t end = s + 1 < segments.size()
            ? std::min(input.calls().size(), static_cast<std::size_t>(segments[s + 1].fromCall - 1))
            : input.calls().size();
        at.resize(std::max(at.size(), end), std::move(rules));
    }
    return at;
}

void addFindings(Replay &replay)
{
    const ReplayInput &input = *replay.input;
    for (const std::string &notice : replay.notices) {
        Finding finding;
        finding.rule = "replay-notice";
        finding.severity = Finding::Severity::Info;
        finding.message = notice;
        finding.checkpointNs = input.space().name;
        replay.findings.push_back(std::move(finding));
    }
    for (const std::string &trait : foreignTraits(input.thread(), input.space())) {
        Finding finding;
        finding.rule = "foreign-dialect";
        finding.severity = Finding::Severity::Info;
        finding.message =
            trait + " The replay shows what the rules of " + replay.dialect + " would do and claims no fidelity.";
        finding.checkpointNs = input.space().name;
        replay.findings.push_back(std::move(finding));
    }
    for (const MessageDecision &decision : replay.decisions) {
        if (decision.outcome != MessageDecision::Outcome::Missing)
            continue;
        Finding finding;
        finding.rule = "original-missing";
        finding.message =
            "The original of an offloaded tool result is gone, so the replay keeps its stub and cannot be certain.";
        finding.checkpointNs = input.space().name;
        finding.messageId = decision.messageId;
        finding.path = decision.path;
        replay.findings.push_back(std::move(finding));
    }
    for (const ReplayedCall &call : replay.calls) {
        for (const std::string &warning : call.result.details().warnings) {
            Finding finding;
            finding.rule = "archive-failed";
            finding.message = warning;
            finding.checkpointNs = input.space().name;
            const Call &recorded = input.call(static_cast<std::size_t>(call.index));
            finding.taskId = recorded.taskId;
            if (recorded.checkpoint.isValid())
                finding.checkpointId = input.space().checkpoints[recorded.checkpoint.at()].id;
            replay.findings.push_back(std::move(finding));
        }
    }
}

} // namespace

/// What a run needs beside the input.
struct Replayer::Plan {
    std::vector<CallRulesPtr> at;
    std::shared_ptr<const PreparedLogs> logs;
    std::shared_ptr<Summarizer> summarizer;
    std::vector<std::string> notices;
    std::string dialect; ///< of the first call
};

Result<Replayer::Plan> Replayer::plan(const SettingsSet &settings, const ReplayOptions &options) const
{
    Plan plan;
    auto at = rulesByCall(*m_input, settings, options.summaries, plan.notices);
    if (!at)
        return tl::unexpected(at.error());
    plan.at = std::move(*at);
    plan.dialect = plan.at.empty() ? std::string() : plan.at.front()->rules.dialect.name;
    plan.summarizer = m_cache->summarizer(*m_input, options);
    if (!plan.summarizer)
        return failure(Error::Code::Invalid, "summarizer",
            "no model endpoint is set; add \"summarizer\" to the settings or choose other summaries");
    if (options.inFront)
        plan.summarizer = options.inFront(std::move(plan.summarizer));
    plan.logs = m_cache->find(preparedKey(plan.at), *m_input, plan.at);
    return plan;
}

Result<Replay> Replayer::run(const SettingsSet &settings, const ReplayOptions &options, const JobContext &job) const
{
    auto plan = this->plan(settings, options);
    if (!plan)
        return tl::unexpected(plan.error());
    Replay replay;
    replay.input = m_input;
    replay.notices = std::move(plan->notices);
    replay.calls.reserve(m_input->calls().size());
    ReplayRun run(*m_input, plan->at, *plan->logs, *plan->summarizer, {options.texts, options.texts, true});
    const auto done = run.go([&](ReplayedCall &&call) { replay.calls.push_back(std::move(call)); }, job);
    if (!done)
        return tl::unexpected(done.error());
    replay.files = run.files();
    replay.decisions = options.everyDecision ? everyDecision(*m_input, plan->at) : plan->logs->decisions;
    replay.dialect = plan->dialect;
    replay.claimsFidelity = foreignTraits(m_input->thread(), m_input->space()).empty();
    if (options.texts)
        replay.verification = verifyReplay(replay, plan->at, *plan->logs);
    addFindings(replay);
    return replay;
}

Result<ReplayTotals> Replayer::totals(
    const SettingsSet &settings, const ReplayOptions &options, const CallSink &sink, const JobContext &job) const
{
    const auto plan = this->plan(settings, options);
    if (!plan)
        return tl::unexpected(plan.error());
    ReplayTotals totals;
    ReplayRun run(*m_input, plan->at, *plan->logs, *plan->summarizer, {false, options.promptTokens, false});
    const auto done = run.go(
        [&](ReplayedCall &&call) {
            totals.add(call);
            if (sink)
                sink(call);
        },
        job);
    if (!done)
        return tl::unexpected(done.error());
    if (totals.lastRequest) {
        // The run's views do not outlive it; this one is kept.
        totals.lastRequest->log = plan->logs->owned(totals.lastRequest->log.get());
        totals.lastRequest->reportedByPlace = nullptr;
    }
    return totals;
}

void ReplayTotals::add(const ReplayedCall &call)
{
    ++calls;
    const auto summarized = [this](std::int64_t promptTokens, bool made, const EventPtr &event) {
        summaryTokens += promptTokens;
        summaries += made ? 1 : 0;
        events += event ? 1 : 0;
    };
    for (const ReplayedCompaction &compaction : call.compactions)
        summarized(compaction.result.promptTokens, compaction.result.event != nullptr, compaction.result.event);
    if (call.result.more) {
        const PipelineDetails &details = call.result.details();
        summarized(details.promptTokens, details.triedEvent != nullptr, call.event);
    }
    for (const PipelineAttempt &attempt : call.result.attempts()) {
        attempts += attempt.outcome == PipelineAttempt::Outcome::OverBudget ? 0 : 1;
        if (attempt.outcome != PipelineAttempt::Outcome::Ok)
            continue;
        tokensSent += attempt.tokens;
        peakTokens = std::max(peakTokens, attempt.tokens);
        tokensKeptAtEnd = attempt.tokens - call.base.toolTokens - call.base.systemTokens;
        lastRequest = attempt.request;
    }
}

} // namespace palimpsest
