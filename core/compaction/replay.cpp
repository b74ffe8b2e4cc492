// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replay.h"

#include "core/compaction/preparedlogs.h"
#include "core/compaction/replayverify.h"
#include "core/compaction/replayviews.h"

#include <algorithm>
#include <map>

namespace palimpsest {
namespace {

bool isOverflowText(const std::string &error)
{
    return error.find("ContextOverflowError") != std::string::npos
        || isContextOverflow({{"", error}, Value(400)}, knownDialects()[1]);
}

/// A namespace's run under one set of settings.
class Run {
public:
    Run(const ReplayInput &input, const std::vector<CallRulesPtr> &at, const PreparedLogs &logs, Summarizer &summarizer,
        bool texts)
        : m_input(input)
        , m_at(at)
        , m_logs(logs)
        , m_summarizer(summarizer)
        , m_texts(texts)
    {
    }

    Result<void> go(Replay &replay, const JobContext &job)
    {
        const std::size_t count = m_input.calls().size();
        m_states.resize(count);
        replay.calls.resize(count);
        if (count > 0)
            m_backend = m_logs.backend;
        scaleUsage();
        for (std::size_t i = 0; i < count; ++i) {
            if ((i & 63) == 0) {
                if (job.stopped())
                    return failure(Error::Code::Cancelled, "replay", "stopped");
                if ((i & 1023) == 0)
                    job.report(static_cast<double>(i) / static_cast<double>(count), "Replaying");
            }
            runCall(i, replay.calls[i]);
        }
        replay.files = m_backend.files();
        return {};
    }

private:
    [[nodiscard]] const CallRules &rulesAt(std::size_t call) const { return *m_at[call]; }

    void scaleUsage()
    {
        m_scaled.resize(m_logs.tracks.size());
        if (!m_logs.reportsUsage || m_at.empty() || m_at.front()->settings->usage != Settings::Usage::Scale)
            return;
        for (std::size_t t = 0; t < m_logs.tracks.size(); ++t) {
            const CountedLog &log = *m_logs.tracks[t].log;
            auto totals = std::make_shared<std::vector<std::int64_t>>();
            totals->reserve(static_cast<std::size_t>(log.size()));
            for (std::int64_t place = 0; place < log.size(); ++place)
                totals->push_back(log.reported(place).value_or(-1));
            m_scaled[t] = std::move(totals);
        }
    }

    void setUsage(RequestView &view, std::size_t track, const CallRules &rules) const
    {
        const Settings &settings = *rules.settings;
        view.ignoresUsage = settings.usage == Settings::Usage::Ignore || !settings.model.reportsUsage;
        view.reportedByPlace = m_scaled[track];
    }

    [[nodiscard]] ReplayState stateBefore(std::size_t index) const
    {
        const std::int32_t parent = m_input.calls()[index].parent;
        return parent < 0 ? ReplayState() : m_states[static_cast<std::size_t>(parent)];
    }

    void runCall(std::size_t index, ReplayedCall &out)
    {
        const ReplayInput::CallInput &input = m_input.calls()[index];
        const CallRules &rules = rulesAt(index);
        const Call &recorded = m_input.call(index);
        out.index = static_cast<std::int32_t>(index);
        out.base = rules.base;
        if (rules.settings != m_backendSettings) {
            m_backendSettings = rules.settings;
            m_backend.setFailures(rules.settings->artifactsFail ? BackendFailures::readOnly() : BackendFailures());
        }
        if (input.missing)
            out.certainty = Certainty::Uncertain;
        ReplayState state = stateBefore(index);
        if (!input.compactions.empty())
            runCompactions(index, state, out);

        PipelineCall call;
        call.effective = effectiveView(m_logs.tracks[input.track].log, input.length, state, rules.rules.dialect);
        setUsage(call.effective, input.track, rules);
        fill(call, index, state);
        PipelineServices services{m_backend, m_summarizer, namesFor(index), {}, m_texts};
        const auto refused = rules.settings->refusedCalls.find(recorded.taskId);
        const int refusals = refused == rules.settings->refusedCalls.end() ? 0 : refused->second;
        const auto window = rules.settings->window;
        if (refusals > 0 || window) {
            services.provider = [refusals, window, base = rules.base](
                                    const RequestView &request, int attempt) -> std::optional<CallError> {
                if (attempt < refusals)
                    return CallError{{"ContextOverflowError", "refused as in the recording"}, {}};
                if (window && request.countUnscaled(base) > *window)
                    return CallError{{"ContextOverflowError", "larger than the window"}, {}};
                return std::nullopt;
            };
        }
        // Only a call that may be refused can fail after it has written.
        const bool mayFail = services.provider || rules.rules.dialect.checksInputBudget;
        const std::optional<ArtifactBackend> before = m_texts && mayFail ? std::optional(m_backend) : std::nullopt;
        const std::size_t sessionsBefore = m_sessionsUsed;
        out.result = runModelCall(call, rules.rules, services);
        if (out.result.details().error && !out.result.details().sessionId.empty()) {
            // What a failing call writes into the state is lost with it, and so is the session it began.
            if (m_input.archivesInState() && before)
                m_backend = *before;
            m_sessionsUsed = sessionsBefore;
        }

        // A call that failed in the recording for another reason than its size saved nothing, and would not here.
        const bool failed =
            out.result.details().error || (recorded.outcome == Call::Outcome::Error && !isOverflowText(recorded.error));
        if (!failed || rules.rules.dialect.rewritesState)
            out.event = out.result.event;
        store(index, std::move(state), out, failed);
        if (m_scaled[input.track] && input.answerPlace >= 0)
            scaleAnswer(index, out);
    }

    void fill(PipelineCall &call, std::size_t index, const ReplayState &state) const
    {
        const ReplayInput::CallInput &input = m_input.calls()[index];
        const CallRules &rules = rulesAt(index);
        const Call &recorded = m_input.call(index);
        call.messageCount = input.length;
        call.prior = state.event;
        call.base = rules.base;
        call.taskId = recorded.taskId;
        call.sessionId = state.sessionId;
        if (rules.settings->archiveName == Settings::ArchiveName::Thread)
            call.archiveName = m_input.thread().id;
        if (recorded.checkpoint.isValid() && m_texts)
            call.timestamp = m_input.space().checkpoints[recorded.checkpoint.at()].createdAt;
    }

    void store(std::size_t index, ReplayState state, const ReplayedCall &out, bool failed)
    {
        if (out.event) {
            state.event = out.event;
            state.summaryTokens =
                messageTokens(*out.event->summaryMessage, rulesAt(index).rules.counter.charsPerToken).value_or(0);
            if (!out.result.details().sessionId.empty())
                state.sessionId = out.result.details().sessionId;
        }
        if (!failed && !out.result.details().replacements.empty() && !out.result.attempts.empty())
            state.replacements = out.result.attempts.back().request.replacements;
        m_states[index] = std::move(state);
    }

    /// Names that the recording shows, in the order in which upstream asks; then stable ones.
    [[nodiscard]] FreshNames namesFor(std::size_t index)
    {
        return {[this, index] {
            const auto &ids = m_input.sessionIds();
            if (m_sessionsUsed < ids.size()) {
                std::string id = ids[m_sessionsUsed++];
                if (id.starts_with("session_"))
                    id.erase(0, 8);
                return id;
            }
            return uuidFrom(m_input.thread().id + '\n' + m_input.space().name + '\n' + m_input.call(index).taskId + '\n'
                + std::to_string(m_names++));
        }};
    }

    void runCompactions(std::size_t index, ReplayState &state, ReplayedCall &out)
    {
        const ReplayInput::CallInput &input = m_input.calls()[index];
        const CallRules &rules = rulesAt(index);
        const PreparedTrack &track = m_logs.tracks[input.track];
        auto replacements = state.replacements ? *state.replacements : std::vector<RequestView::Replacement>();
        for (const std::int64_t place : input.compactions) {
            const std::int64_t asked = m_input.compactionCall(input.track, place);
            // The tool sees the state, where long human messages are whole.
            const std::vector<MessagePtr> messages(
                track.state.begin(), track.state.begin() + static_cast<std::ptrdiff_t>(asked + 1));
            PipelineCall call;
            call.effective =
                effectiveView(viewOf(messages, rules.rules.counter).log, asked + 1, state, rules.rules.dialect);
            setUsage(call.effective, input.track, rules);
            fill(call, index, state);
            call.messageCount = asked + 1;
            call.toolCallId = track.state[static_cast<std::size_t>(place)]->toolCallId.value_or("");
            PipelineServices services{m_backend, m_summarizer, namesFor(index), {}, m_texts};
            ReplayedCompaction compaction;
            compaction.place = place;
            compaction.recordedText = textOf(*track.state[static_cast<std::size_t>(place)]);
            compaction.result = runCompactTool(call, rules.rules, services);
            if (compaction.result.event) {
                state.event = compaction.result.event;
                state.summaryTokens =
                    messageTokens(*state.event->summaryMessage, rules.rules.counter.charsPerToken).value_or(0);
                state.sessionId = compaction.result.sessionId;
            }
            if (compaction.result.text != compaction.recordedText) {
                auto answer = std::make_shared<Message>(*track.state[static_cast<std::size_t>(place)]);
                answer->content = Value(compaction.result.text);
                const std::int64_t tokens = messageTokens(*answer, rules.rules.counter.charsPerToken).value_or(0);
                std::erase_if(replacements, [&](const auto &old) { return old.place == place; });
                replacements.push_back({place, std::move(answer), tokens});
                state.replacements = std::make_shared<const std::vector<RequestView::Replacement>>(replacements);
            }
            out.compactions.push_back(std::move(compaction));
        }
    }

    /// What the answer would have reported: scaled by how much larger or smaller this run's request is than the
    /// recorded one.
    void scaleAnswer(std::size_t index, const ReplayedCall &out)
    {
        const ReplayInput::CallInput &input = m_input.calls()[index];
        const PipelineAttempt *accepted = out.accepted();
        const CountedLog &log = *m_logs.tracks[input.track].log;
        if (!accepted || input.answerPlace >= log.size())
            return;
        const auto reported = log.reported(input.answerPlace);
        if (!reported)
            return;
        const std::int64_t recorded =
            recordedRequestView(m_input, rulesAt(index), m_logs, index).countUnscaled(rulesAt(index).base);
        std::int64_t scaled = *reported;
        if (recorded > 0 && recorded != accepted->tokens)
            scaled = *reported / recorded * accepted->tokens + *reported % recorded * accepted->tokens / recorded;
        (*m_scaled[input.track])[static_cast<std::size_t>(input.answerPlace)] = scaled;
    }

    const ReplayInput &m_input;
    const std::vector<CallRulesPtr> &m_at;
    const PreparedLogs &m_logs;
    Summarizer &m_summarizer;
    bool m_texts;
    ArtifactBackend m_backend;
    const Settings *m_backendSettings = nullptr;
    std::vector<ReplayState> m_states;
    std::vector<std::shared_ptr<std::vector<std::int64_t>>> m_scaled; ///< by track; null: as stored
    std::size_t m_sessionsUsed = 0;
    std::size_t m_names = 0;
};

} // namespace

const PipelineAttempt *ReplayedCall::accepted() const
{
    if (result.attempts.empty() || result.attempts.back().outcome != PipelineAttempt::Outcome::Ok)
        return nullptr;
    return &result.attempts.back();
}

struct Replayer::Cache {
    static constexpr std::size_t limit = 4; ///< kept sets of prepared logs
    std::vector<std::pair<std::string, std::shared_ptr<const PreparedLogs>>> logs; ///< the newest last

    std::shared_ptr<const PreparedLogs> find(
        const std::string &key, const ReplayInput &input, const std::vector<CallRulesPtr> &at)
    {
        const auto known =
            std::find_if(logs.begin(), logs.end(), [&](const auto &entry) { return entry.first == key; });
        if (known != logs.end())
            return known->second;
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

/// The rules in force at each call.
Result<std::vector<CallRulesPtr>> rulesByCall(
    const ReplayInput &input, const SettingsSet &set, std::vector<std::string> &notices)
{
    std::vector<CallRulesPtr> at;
    at.reserve(input.calls().size());
    std::map<const Settings *, CallRulesPtr> known;
    for (std::size_t i = 0; i < input.calls().size(); ++i) {
        const Settings &settings = settingsFor(set, input.space().name, static_cast<std::int64_t>(i) + 1);
        CallRulesPtr &rules = known[&settings];
        if (!rules) {
            auto choice = dialectFor(settings.dialect);
            if (!choice)
                return tl::unexpected(choice.error());
            if (!choice->notice.empty() && std::find(notices.begin(), notices.end(), choice->notice) == notices.end())
                notices.push_back(choice->notice);
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

void addFindings(Replay &replay)
{
    const ReplayInput &input = *replay.input;
    for (const std::string &notice : replay.notices) {
        Finding finding;
        finding.rule = "other-rules-taken";
        finding.severity = Finding::Severity::Info;
        finding.message = notice;
        finding.checkpointNs = input.space().name;
        replay.findings.push_back(std::move(finding));
    }
    if (!replay.claimsFidelity) {
        Finding finding;
        finding.rule = "foreign-dialect";
        finding.severity = Finding::Severity::Info;
        finding.message = "The thread was made by other rules than any that can be replayed; the replay shows what "
                          "these rules would do and claims no fidelity.";
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

Result<Replay> Replayer::run(const SettingsSet &settings, const ReplayOptions &options, const JobContext &job)
{
    Replay replay;
    replay.input = m_input;
    const auto at = rulesByCall(*m_input, settings, replay.notices);
    if (!at)
        return tl::unexpected(at.error());
    const std::shared_ptr<const PreparedLogs> prepared = m_cache->find(preparedKey(*at), *m_input, *at);

    const Settings &first = at->empty() ? settingsFor(settings, m_input->space().name, 1) : *at->front()->settings;
    const std::unique_ptr<Summarizer> summarizer = makeSummarizer(options.summaries,
        {m_input->recordedSummaries(), first.summaryText.value_or("No summary text is set."), options.model});
    if (!summarizer)
        return failure(Error::Code::Invalid, "summarizer",
            "no model endpoint is set; add \"summarizer\" to the settings or choose other summaries");
    Run run(*m_input, *at, *prepared, *summarizer, options.texts);
    if (const auto done = run.go(replay, job); !done)
        return tl::unexpected(done.error());
    replay.decisions = prepared->decisions;
    replay.claimsFidelity = m_input->thread().language == "python";
    if (options.texts)
        replay.verification = verifyReplay(replay, *at, *prepared);
    addFindings(replay);
    return replay;
}

} // namespace palimpsest
