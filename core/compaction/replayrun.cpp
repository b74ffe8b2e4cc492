// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replayrun.h"

#include <algorithm>

namespace palimpsest {
namespace {

bool isOverflowText(const std::string &error)
{
    return error.find("ContextOverflowError") != std::string::npos
        || isContextOverflow({{"", error}, Value(400)}, knownDialects()[1]);
}

/// What answers a call's attempts instead of the provider; empty when it takes everything.
auto providerFor(const CallRules &rules, const std::string &taskId)
{
    decltype(PipelineServices::provider) provider;
    const Settings &settings = *rules.settings;
    const auto refused =
        settings.refusedCalls.empty() ? settings.refusedCalls.end() : settings.refusedCalls.find(taskId);
    const int refusals = refused == settings.refusedCalls.end() ? 0 : refused->second;
    if (refusals > 0 || settings.window) {
        provider = [refusals, window = settings.window, base = rules.base](
                       const RequestView &request, int attempt) -> std::optional<CallError> {
            if (attempt < refusals)
                return CallError{{"ContextOverflowError", "refused as in the recording"}, {}};
            if (window && request.countUnscaled(base) > *window)
                return CallError{{"ContextOverflowError", "larger than the window"}, {}};
            return std::nullopt;
        };
    }
    return provider;
}

using Replacements = std::shared_ptr<const std::vector<RequestView::Replacement>>;

Replacements withReplacement(const Replacements &old, RequestView::Replacement added)
{
    auto all = old ? *old : std::vector<RequestView::Replacement>();
    std::erase_if(all, [&](const RequestView::Replacement &one) { return one.place == added.place; });
    all.push_back(std::move(added));
    return std::make_shared<const std::vector<RequestView::Replacement>>(std::move(all));
}

} // namespace

ReplayRun::ReplayRun(const ReplayInput &input, const std::vector<CallRulesPtr> &at, const PreparedLogs &logs,
    Summarizer &summarizer, Wants wants)
    : m_input(input)
    , m_at(at)
    , m_logs(logs)
    , m_summarizer(summarizer)
    , m_wants(wants)
    , m_backend(logs.backend)
    , m_states(1)
    , m_stateAfter(input.calls().size(), 0)
    , m_scaled(logs.tracks.size())
{
}

Result<void> ReplayRun::go(const std::function<void(ReplayedCall &&)> &sink, const JobContext &job)
{
    const std::size_t count = m_input.calls().size();
    scaleUsage();
    for (std::size_t i = 0; i < count; ++i) {
        if (job.stopped())
            return failure(Error::Code::Cancelled, "replay", "stopped");
        if ((i & 1023) == 0)
            job.report(static_cast<double>(i) / static_cast<double>(count), "Replaying");
        sink(runCall(i));
    }
    return {};
}

void ReplayRun::scaleUsage()
{
    const bool scales = std::any_of(m_at.begin(), m_at.end(),
        [](const CallRulesPtr &rules) { return rules->settings->usage == Settings::Usage::Scale; });
    if (!m_logs.reportsUsage || !scales)
        return;
    for (std::size_t t = 0; t < m_logs.tracks.size(); ++t) {
        const CountedLog &log = *m_logs.tracks[t].logs.front();
        auto totals = std::make_shared<Reported>();
        totals->reserve(static_cast<std::size_t>(log.size()));
        for (std::int64_t place = 0; place < log.size(); ++place)
            totals->push_back(log.reported(place).value_or(-1));
        m_scaled[t] = std::move(totals);
    }
}

void ReplayRun::setUsage(RequestView &view, std::size_t track, const CallRules &rules) const
{
    const Settings &settings = *rules.settings;
    view.ignoresUsage = settings.usage == Settings::Usage::Ignore || !settings.model.reportsUsage;
    if (settings.usage != Settings::Usage::Scale || !m_scaled[track])
        return;
    if (m_wants.keeps)
        view.reportedByPlace = m_scaled[track];
    else
        view.reportedByPlace = borrowed(m_scaled[track].get());
}

std::shared_ptr<const CountedLog> ReplayRun::logOf(std::size_t index) const
{
    const auto &log = m_logs.log(m_input.calls()[index].track, index);
    return m_wants.keeps ? log : borrowed(log.get());
}

std::size_t ReplayRun::stateBefore(std::size_t index)
{
    const std::int32_t parent = m_input.calls()[index].parent;
    const std::size_t before = parent < 0 ? 0 : m_stateAfter[static_cast<std::size_t>(parent)];
    const double charsPerToken = m_at[index]->rules.counter.charsPerToken;
    if (before == 0 || m_states[before].charsPerToken == charsPerToken)
        return before;
    // Another segment counts in another way.
    m_states.push_back(recounted(m_states[before], charsPerToken));
    return m_states.size() - 1;
}

ReplayedCall ReplayRun::runCall(std::size_t index)
{
    const ReplayInput::CallInput &input = m_input.calls()[index];
    const CallRules &rules = *m_at[index];
    const Call &recorded = m_input.call(index);
    ReplayedCall out;
    out.index = static_cast<std::int32_t>(index);
    out.base = rules.base;
    if (rules.settings != m_backendSettings) {
        m_backendSettings = rules.settings;
        m_backend.setOptions(backendOptions(*rules.settings));
    }
    if (input.missing)
        out.certainty = Certainty::Uncertain;
    std::size_t before = stateBefore(index);
    if (!input.compactions.empty()) {
        ReplayState state = m_states[before];
        runCompactions(index, state, out);
        m_states.push_back(std::move(state));
        before = m_states.size() - 1;
    }
    if (const EventPtr given = eventGivenBefore(m_input, index)) {
        m_states.push_back(stateOf(given, rules.rules));
        before = m_states.size() - 1;
    }
    const ReplayState &state = m_states[before];

    PipelineCall call;
    call.effective = effectiveView(logOf(index), input.length, state, rules.rules.dialect);
    if (const auto own = m_logs.ownStubs.find(index); own != m_logs.ownStubs.end())
        call.effective.replacements = withReplacement(call.effective.replacements, own->second);
    setUsage(call.effective, input.track, rules);
    fill(call, index, state);
    PipelineServices services{m_backend, m_summarizer, namesFor(index), providerFor(rules, recorded.taskId),
        m_wants.texts, m_wants.promptTokens};
    // Only a call that may be refused can fail after it has written.
    const bool mayFail = services.provider || rules.rules.dialect.checksInputBudget;
    const std::optional<ArtifactBackend> written = m_wants.texts && mayFail ? std::optional(m_backend) : std::nullopt;
    const std::size_t sessionsBefore = m_sessionsUsed;
    out.result = runModelCall(call, rules.rules, services);
    if (out.result.details().error && !out.result.details().sessionId.empty()) {
        // What a failing call writes into the state is lost with it, and so is the session it began.
        if (m_input.archivesInState() && written)
            m_backend = *written;
        m_sessionsUsed = sessionsBefore;
    }

    // A call that failed in the recording for another reason than its size saved nothing, and would not here.
    const bool failed =
        out.result.details().error || (recorded.outcome == Call::Outcome::Error && !isOverflowText(recorded.error));
    if (!failed || rules.rules.dialect.rewritesState)
        out.event = out.result.details().event;
    store(index, before, out, failed);
    if (m_scaled[input.track] && input.answerPlace >= 0)
        scaleAnswer(index, out);
    return out;
}

void ReplayRun::fill(PipelineCall &call, std::size_t index, const ReplayState &state) const
{
    const ReplayInput::CallInput &input = m_input.calls()[index];
    const CallRules &rules = *m_at[index];
    const Call &recorded = m_input.call(index);
    call.messageCount = input.length;
    call.prior = state.event;
    call.base = rules.base;
    call.taskId = recorded.taskId;
    call.sessionId = state.sessionId;
    if (rules.settings->archiveName == Settings::ArchiveName::Thread)
        call.archiveName = m_input.thread().id;
    if (recorded.checkpoint.isValid() && m_wants.texts)
        call.timestamp = m_input.space().checkpoints[recorded.checkpoint.at()].createdAt;
}

void ReplayRun::store(std::size_t index, std::size_t before, const ReplayedCall &out, bool failed)
{
    const PipelineDetails &details = out.result.details();
    const bool writesBack =
        !failed && !out.result.attempts().empty() && (!details.replacements.empty() || m_logs.ownStubs.contains(index));
    m_stateAfter[index] = before;
    if (!out.event && !writesBack)
        return;
    ReplayState state = m_states[before];
    state.charsPerToken = m_at[index]->rules.counter.charsPerToken;
    if (out.event) {
        setEvent(state, out.event);
        if (!details.sessionId.empty())
            state.sessionId = details.sessionId;
    }
    if (writesBack)
        state.replacements = out.result.attempts().back().request.replacements;
    m_states.push_back(std::move(state));
    m_stateAfter[index] = m_states.size() - 1;
}

/// Names that the recording shows, in the order in which upstream asks; then stable ones.
FreshNames ReplayRun::namesFor(std::size_t index)
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

void ReplayRun::runCompactions(std::size_t index, ReplayState &state, ReplayedCall &out)
{
    const ReplayInput::CallInput &input = m_input.calls()[index];
    const CallRules &rules = *m_at[index];
    const PreparedTrack &track = m_logs.tracks[input.track];
    for (const std::int64_t place : input.compactions) {
        const std::int64_t asked = m_input.compactionCall(input.track, place);
        const Message &recorded = *track.state[static_cast<std::size_t>(place)];
        // The tool sees the state, where long human messages are whole.
        const std::vector<MessagePtr> messages(
            track.state.begin(), track.state.begin() + static_cast<std::ptrdiff_t>(asked + 1));
        PipelineCall call;
        call.effective =
            effectiveView(viewOf(messages, rules.rules.counter).log, asked + 1, state, rules.rules.dialect);
        setUsage(call.effective, input.track, rules);
        fill(call, index, state);
        call.messageCount = asked + 1;
        if (recorded.toolCallId)
            call.toolCallId = *recorded.toolCallId;
        PipelineServices services{m_backend, m_summarizer, namesFor(index), {}, m_wants.texts, m_wants.promptTokens};
        ReplayedCompaction compaction;
        compaction.place = place;
        compaction.recordedText = textOf(recorded);
        compaction.result = runCompactTool(call, rules.rules, services);
        state.charsPerToken = rules.rules.counter.charsPerToken;
        if (compaction.result.event) {
            setEvent(state, compaction.result.event);
            state.sessionId = compaction.result.sessionId;
        }
        if (compaction.result.text != compaction.recordedText) {
            auto answer = std::make_shared<Message>(recorded);
            answer->content = Value(compaction.result.text);
            const std::int64_t tokens = messageTokens(*answer, state.charsPerToken).value_or(0);
            state.replacements = withReplacement(state.replacements, {place, std::move(answer), tokens});
        }
        out.compactions.push_back(std::move(compaction));
    }
}

/// What the answer would have reported: scaled by how much larger or smaller this run's request is than the recorded
/// one.
void ReplayRun::scaleAnswer(std::size_t index, const ReplayedCall &out)
{
    const ReplayInput::CallInput &input = m_input.calls()[index];
    const PipelineAttempt *accepted = out.accepted();
    const CountedLog &log = *m_logs.log(input.track, index);
    if (!accepted || input.answerPlace >= log.size())
        return;
    const auto reported = log.reported(input.answerPlace);
    if (!reported)
        return;
    const std::int64_t recorded =
        recordedRequestView(m_input, *m_at[index], m_logs, index).countUnscaled(m_at[index]->base);
    std::int64_t scaled = *reported;
    if (recorded > 0 && recorded != accepted->tokens)
        scaled = *reported / recorded * accepted->tokens + *reported % recorded * accepted->tokens / recorded;
    (*m_scaled[input.track])[static_cast<std::size_t>(input.answerPlace)] = scaled;
}

} // namespace palimpsest
