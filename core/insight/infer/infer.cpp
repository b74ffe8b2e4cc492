// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/infer/infer.h"

#include "core/base/text.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/stages/cutoff.h"
#include "core/compaction/stages/inputbudget.h"
#include "core/compaction/stages/trigger.h"
#include "core/insight/infer/families.h"
#include "core/insight/infer/fractions.h"
#include "core/insight/infer/largeroverheads.h"
#include "core/insight/infer/overhead.h"
#include "core/insight/infer/reproduction.h"
#include "core/insight/infer/truncation.h"

#include <algorithm>
#include <map>

namespace palimpsest {
namespace {

constexpr std::size_t assumedRefusals = 2;
constexpr std::size_t segmentsShown = 8;
/// Calls that are counted anew for truncations that nothing tells, over all of them.
constexpr std::size_t assumedCounts = 60000;
constexpr double anthropicCharsPerToken = 3.3;

/// The most frequent provider that calls name; empty when none does.
std::string providerOf(const ThreadNamespace &space)
{
    std::map<std::string, int> counts;
    for (const Call &call : space.calls) {
        if (!call.provider.empty())
            ++counts[call.provider];
    }
    std::string best;
    int most = 0;
    for (const auto &[provider, count] : counts) {
        if (count > most) {
            best = provider;
            most = count;
        }
    }
    return best;
}

bool reportsUsage(const ThreadNamespace &space)
{
    return std::any_of(
        space.calls.begin(), space.calls.end(), [](const Call &call) { return call.usage["total_tokens"].isInt(); });
}

/// The largest limit, in tokens of four characters, with which a text of this length is moved.
std::int64_t limitBelow(std::int64_t characters)
{
    constexpr std::int64_t charactersPerToken = 4; // NUM_CHARS_PER_TOKEN (deepagents/middleware/filesystem.py, 0.7.7)
    return std::max<std::int64_t>(1, (characters - 1) / charactersPerToken);
}

/// Limits of eviction, the backend and refusals, as far as the recording shows them.
ShownSettings shownSettings(const ReplayInput &input)
{
    ShownSettings shown;
    for (const ReplayInput::Track &track : input.tracks()) {
        for (const ReplayInput::Original &original : track.messages) {
            if (original.recordedPath.empty() || original.missing)
                continue;
            auto &limit = original.message->kind == MessageKind::Human ? shown.humanMessageTokenLimitBeforeEvict
                                                                       : shown.toolTokenLimitBeforeEvict;
            limit = std::min(*limit, limitBelow(static_cast<std::int64_t>(text::length(textOf(*original.message)))));
        }
    }
    bool events = false;
    bool archived = false;
    for (std::size_t i = 0; i < input.calls().size(); ++i) {
        const Call &call = input.call(i);
        if (call.outcome == Call::Outcome::Error
            && (call.error.find("ContextOverflowError") != std::string::npos
                || isContextOverflow({{"", call.error}, Value(400)}, knownDialects()[1])))
            shown.refusedTasks.push_back(call.taskId);
        if (std::any_of(call.rewrites.begin(), call.rewrites.end(),
                [](const MessagePtr &message) { return message->kind == MessageKind::Tool; }))
            shown.clippedTasks.push_back(call.taskId);
        if (!input.calls()[i].madeEvent)
            continue;
        events = true;
        const auto &path = input.calls()[i].recordedEvent->filePath;
        if (!path)
            continue;
        archived = true;
        const std::size_t folder = path->find("/conversation_history/");
        if (folder != std::string::npos && folder > 0)
            shown.artifactsRoot = path->substr(0, folder);
    }
    shown.artifactsFail = events && !archived;
    return shown;
}

class Inferrer {
public:
    Inferrer(const ReplayInput &input, const ArtifactReader &artifacts, const JobContext &job, InferenceDepth depth)
        : m_input(input)
        , m_depth(depth)
        , m_replayer(ReplayInputPtr(ReplayInputPtr(), &input)) // the input outlives it
        , m_artifacts(artifacts ? artifacts : stateArtifacts(input.threadPtr(), input.space().name))
        , m_job(job)
        , m_search(input)
    {
    }

    Result<Inference> run()
    {
        countEvents();
        m_dialect = dialectOf();
        m_shown = shownSettings(m_input);
        m_shown.artifactsFail = m_shown.artifactsFail && m_dialect != "langchain-1.5";
        m_truncation.emplace(m_input, m_artifacts);
        const std::string provider = providerOf(m_input.space());
        const bool anthropic = provider == "anthropic" || provider == "anthropic-mantle";
        std::vector<double> counters{anthropic ? anthropicCharsPerToken : 4.0};
        if (provider.empty())
            counters.push_back(anthropicCharsPerToken);
        for (std::size_t i = 0; i < counters.size(); ++i) {
            if (m_job.stopped())
                return failure(Error::Code::Cancelled, "infer", "stopped");
            look(provider, counters[i]);
            const bool explained = std::any_of(m_candidates.begin(), m_candidates.end(),
                [](const Candidate &candidate) { return candidate.family.explainsAll(); });
            // A model may count otherwise than its provider's usual class.
            if (i == 0 && counters.size() == 1 && (!explained || m_result.events == 0))
                counters.push_back(anthropic ? 4.0 : anthropicCharsPerToken);
        }
        if (m_evidence.empty())
            return std::move(m_result);
        confirm();
        lookForChanges();
        if (m_job.stopped())
            return failure(Error::Code::Cancelled, "infer", "stopped");
        std::stable_sort(m_result.families.begin(), m_result.families.end(), betterFamily);
        if (m_depth == InferenceDepth::All) {
            addLargerOverheads(m_result.families);
            std::stable_sort(m_result.families.begin(), m_result.families.end(), betterFamily);
        }
        if (m_depth == InferenceDepth::All || m_result.events == 0) {
            exclude();
            tryDefaults();
            noteSilence();
        }
        return std::move(m_result);
    }

private:
    void countEvents()
    {
        for (const ReplayInput::CallInput &call : m_input.calls())
            m_result.events += call.madeEvent ? 1 : 0;
        std::int64_t all = 0;
        const SummarizationEvent *last = nullptr;
        for (const CheckpointIndex at : m_input.space().eventCheckpoints) {
            const EventPtr &event = m_input.space().checkpoints[at.at()].event;
            if (event && event.get() != last)
                ++all;
            last = event.get();
        }
        m_result.toolEvents = std::max<std::int64_t>(0, all - m_result.events);
    }

    /// The dialect whose marks the namespace's events bear.
    [[nodiscard]] std::string dialectOf() const
    {
        for (std::size_t i = 0; i < m_input.calls().size(); ++i) {
            const ReplayInput::CallInput &call = m_input.calls()[i];
            if (call.madeEvent && m_input.call(i).event != call.recordedEvent)
                return "langchain-1.5"; // the state itself was rewritten
        }
        return recordedDialect(m_input.thread());
    }

    /// What a source shows under an overhead and a truncation.
    CountedEvidence counted(const EvidenceSource &source, const CountingAssumption &assumption,
        const Overhead &overhead, const std::optional<TruncateArgsSettings> &truncation)
    {
        Evidence evidence = source.evidence(overhead.tools, overhead.system.value_or(0), truncation);
        CountedEvidence counted;
        counted.assumption = assumption;
        counted.assumption.truncateArgs = truncation;
        counted.assumption.toolsTokens = overhead.tools;
        counted.assumption.systemTokens = overhead.system.value_or(0);
        counted.overheadFrom = overhead.from;
        counted.overheadAtLeast = overhead.atLeast;
        counted.system = overhead.system;
        counted.rules = source.rules();
        counted.rules.truncateArgs = truncation;
        counted.facts = std::move(evidence.facts);
        m_silent = std::move(evidence.silent);
        return counted;
    }

    void look(const std::string &provider, double charsPerToken)
    {
        CountingAssumption assumption;
        assumption.dialect = m_dialect;
        assumption.model.provider = provider;
        assumption.model.reportsUsage = reportsUsage(m_input.space());
        if (charsPerToken != 4.0)
            assumption.model.llmType = "anthropic-chat";
        const bool shortens = m_dialect != "langchain-1.5" && m_truncation->told();
        if (shortens)
            assumption.truncateArgs = m_truncation->shape();
        const EvidenceSource source(m_input, assumption);
        const Overhead overhead =
            overheadOf(m_input, source.evidence(0, 0, std::nullopt), source.rules().dialect, charsPerToken);
        CountedEvidence plain = counted(source, assumption, overhead, std::nullopt);
        // Where the archives show shortened arguments, only what shortens them explains the recording.
        const auto shorten = [&] {
            for (const TruncateArgsSettings &truncation : m_truncation->candidates(plain.facts, plain.rules)) {
                if (m_job.stopped())
                    return false;
                CountedEvidence shortened = counted(source, assumption, overhead, truncation);
                if (!m_search.explained(shortened, shortened.facts))
                    continue;
                addFamilies(shortened, shortened.facts, assumedRefusals, m_candidates);
                m_evidence.push_back(std::move(shortened));
                return true;
            }
            return false;
        };
        if (!shortens || !shorten()) {
            addFamilies(plain, plain.facts, assumedRefusals, m_candidates);
            m_evidence.push_back(std::move(plain));
        }
        assumeTruncations(assumption, overhead);
    }

    /// Families under truncations that the archives allow and do not tell: calls count less than under those before.
    void assumeTruncations(CountingAssumption assumption, const Overhead &overhead)
    {
        const bool explained = std::any_of(m_candidates.begin(), m_candidates.end(),
            [](const Candidate &candidate) { return candidate.family.explainsAll(); });
        if (m_dialect == "langchain-1.5" || (m_depth == InferenceDepth::Best && explained))
            return;
        const std::vector<TruncateArgsSettings> shapes = m_truncation->possibleShapes();
        const std::size_t limit =
            assumedCounts / (std::max<std::size_t>(1, m_input.calls().size()) * (1 + shapes.size()));
        for (const TruncateArgsSettings &shape : shapes) {
            assumption.truncateArgs = shape;
            const EvidenceSource source(m_input, assumption);
            const CountedEvidence plain = counted(source, assumption, overhead, std::nullopt);
            for (const TruncateArgsSettings &truncation :
                m_truncation->possible(shape, plain.facts, plain.rules, limit)) {
                if (m_job.stopped())
                    return;
                const CountedEvidence shortened = counted(source, assumption, overhead, truncation);
                for (SettingsFamily &family : m_search.find(shortened, shortened.facts, 1)) {
                    family.shown = m_shown;
                    family.truncationAssumed = true;
                    m_candidates.push_back({std::move(family)});
                }
            }
        }
    }

    /// A family that the events allow, and what replays say of it.
    struct Candidate {
        enum class Standing {
            Untried,
            Refuted, ///< a fraction that no replay reproduces, or nothing new under another truncation
            Unconfirmed, ///< as far as calls by themselves tell
            Confirmed, ///< a replay makes the same events inside its ranges, and others a step outside
        };
        SettingsFamily family;
        bool fraction = false; ///< its upper ends are to be settled by replays
        Standing standing = Standing::Untried;
    };

    void addFamilies(const CountedEvidence &evidence, std::span<const CallFact> facts, std::size_t refusals,
        std::vector<Candidate> &candidates)
    {
        for (SettingsFamily &family : m_search.find(evidence, facts, refusals)) {
            family.shown = m_shown;
            if (family.explainsAll() && family.refusals.empty() && family.events > 0) {
                for (SettingsFamily &fraction : fractionFamilies(family, {}))
                    candidates.push_back({std::move(fraction), true});
            }
            candidates.push_back({std::move(family)});
        }
    }

    void tryCandidate(Candidate &candidate)
    {
        using Standing = Candidate::Standing;
        if (candidate.fraction && !settleFractions(m_replayer, candidate.family, m_job)) {
            candidate.standing = Standing::Refuted;
            return;
        }
        const bool whole = candidate.family.explainsAll() && candidate.family.events > 0;
        candidate.standing = whole && replaysTell() && isConfirmed(m_replayer, candidate.family, m_job)
            ? Standing::Confirmed
            : Standing::Unconfirmed;
    }

    /// Whether `compact_conversation` is refused as too early depends on the trigger as well.
    [[nodiscard]] bool replaysTell() const
    {
        return std::none_of(m_input.calls().begin(), m_input.calls().end(),
            [](const ReplayInput::CallInput &call) { return !call.compactions.empty(); });
    }

    /// Leaves out families of the whole recording that replays do not confirm, when they confirm others: what one call
    /// changes for those after it shows in a replay only. Where the best one is enough, nothing is tried behind it.
    void confirm()
    {
        const auto better = [](const Candidate &a, const Candidate &b) { return betterFamily(a.family, b.family); };
        for (bool again = true; again;) {
            std::stable_sort(m_candidates.begin(), m_candidates.end(), better);
            tryCandidates();
            takeCandidates();
            again = m_depth == InferenceDepth::Best && !profileDefaultsFit();
            if (again)
                for (Candidate &candidate : m_candidates)
                    candidate.family.modelDefaults = false;
        }
    }

    void tryCandidates()
    {
        const bool replaysTell = this->replaysTell();
        for (Candidate &candidate : m_candidates) {
            if (m_job.stopped())
                return;
            if (candidate.standing == Candidate::Standing::Untried && candidate.family.truncationAssumed
                && addsNothing(candidate.family))
                candidate.standing = Candidate::Standing::Refuted;
            if (candidate.standing == Candidate::Standing::Untried)
                tryCandidate(candidate);
            const bool stands = candidate.standing == Candidate::Standing::Confirmed
                || (!replaysTell && candidate.standing == Candidate::Standing::Unconfirmed);
            if (stands && m_depth == InferenceDepth::Best)
                return;
        }
    }

    /// Whether its sizes lie in a family that stands already: the truncation alone would be another one.
    [[nodiscard]] bool addsNothing(const SettingsFamily &family) const
    {
        using Standing = Candidate::Standing;
        const Standing stands =
            family.explainsAll() && family.events > 0 && replaysTell() ? Standing::Confirmed : Standing::Unconfirmed;
        return std::any_of(m_candidates.begin(), m_candidates.end(), [&](const Candidate &candidate) {
            return candidate.standing == stands && covers(candidate.family, family);
        });
    }

    void takeCandidates()
    {
        using Standing = Candidate::Standing;
        const bool confirmed = std::any_of(m_candidates.begin(), m_candidates.end(),
            [](const Candidate &candidate) { return candidate.standing == Standing::Confirmed; });
        m_result.families.clear();
        m_result.othersUntried = false;
        for (const Candidate &candidate : m_candidates) {
            if (candidate.standing == Standing::Untried)
                m_result.othersUntried = m_result.othersUntried || candidate.family.explainsAll();
            else if (candidate.standing == Standing::Confirmed
                || (candidate.standing == Standing::Unconfirmed && (!confirmed || !candidate.family.explainsAll())))
                m_result.families.push_back(candidate.family);
        }
    }

    /// Stretches that one family each explains, when no family explains the whole.
    void lookForChanges()
    {
        const bool whole = std::any_of(m_result.families.begin(), m_result.families.end(),
            [](const SettingsFamily &family) { return family.explainsAll(); });
        if (whole && !dialectChanges())
            return;
        const CountedEvidence &evidence = m_evidence.front();
        const std::span<const CallFact> facts(evidence.facts);
        std::vector<SettingsFamily> found;
        std::size_t begin = 0;
        for (std::size_t count = 0; begin < facts.size() && count < segmentsShown; ++count) {
            std::size_t end = explainedUntil(evidence, begin);
            if (end <= begin)
                break;
            if (end < facts.size())
                addChange(facts, begin, end);
            std::vector<Candidate> stretch;
            addFamilies(evidence, facts.subspan(begin, end - begin), 0, stretch);
            for (Candidate &candidate : stretch) {
                if (candidate.fraction && !settleFractions(m_replayer, candidate.family, m_job))
                    continue;
                candidate.family.segment = static_cast<std::int32_t>(count);
                found.push_back(std::move(candidate.family));
            }
            begin = end;
        }
        if (begin < facts.size()) {
            m_result.changes.clear(); // not a few settings one after the other
            return;
        }
        m_result.families.insert(m_result.families.end(), found.begin(), found.end());
    }

    [[nodiscard]] bool dialectChanges() const
    {
        bool with = false;
        bool without = false;
        for (const ReplayInput::CallInput &call : m_input.calls()) {
            if (call.madeEvent)
                (call.recordedEvent->createdAtIndex ? with : without) = true;
        }
        return with && without;
    }

    /// Place behind the last fact that one family explains together with those from `begin` on.
    [[nodiscard]] std::size_t explainedUntil(const CountedEvidence &evidence, std::size_t begin) const
    {
        const std::span<const CallFact> facts(evidence.facts);
        std::size_t limit = facts.size();
        // Events of another shape are another dialect's.
        std::optional<bool> shape;
        for (std::size_t i = begin; i < facts.size(); ++i) {
            if (!facts[i].event())
                continue;
            const auto &event = m_input.calls()[static_cast<std::size_t>(facts[i].call)].recordedEvent;
            if (shape && *shape != event->createdAtIndex.has_value()) {
                limit = i;
                break;
            }
            shape = event->createdAtIndex.has_value();
        }
        if (m_search.explained(evidence, facts.subspan(begin, limit - begin)))
            return limit;
        std::size_t good = begin;
        std::size_t bad = limit;
        while (good + 1 < bad) {
            const std::size_t middle = good + (bad - good) / 2;
            (m_search.explained(evidence, facts.subspan(begin, middle - begin)) ? good : bad) = middle;
        }
        return good;
    }

    void addChange(std::span<const CallFact> facts, std::size_t begin, std::size_t &end)
    {
        const auto callOf = [&](std::size_t fact) -> const Call & {
            return m_input.call(static_cast<std::size_t>(facts[fact].call));
        };
        ChangePoint change;
        const CallFact &resisting = facts[end];
        change.resists = {resisting.call, callOf(end).taskId,
            resisting.event() ? "It was summarized at " + std::to_string(resisting.messages) + " messages and "
                    + std::to_string(resisting.tokens) + " tokens, cutoff " + std::to_string(resisting.cutoff)
                    + ", unlike the calls before."
                              : "It was not summarized at " + std::to_string(resisting.messages) + " messages and "
                    + std::to_string(resisting.tokens) + " tokens, unlike the calls before."};
        std::size_t last = begin; // last event that the settings before explain
        for (std::size_t i = begin; i < end; ++i) {
            if (facts[i].event())
                last = i;
        }
        change.why = "One family of settings explains the calls before call " + std::to_string(callOf(end).number.value)
            + ", and none explains them together with it.";
        for (std::size_t i = last + 1; i <= end; ++i) {
            if (callOf(i).model.empty() || callOf(i - 1).model.empty() || callOf(i).model == callOf(i - 1).model)
                continue;
            change.what = ChangePoint::What::Model;
            change.why = "From call " + std::to_string(callOf(i).number.value) + " on the model is " + callOf(i).model
                + " instead of " + callOf(i - 1).model + ".";
            end = i;
            break;
        }
        const auto shape = [&](std::size_t fact) {
            const auto &event = m_input.calls()[static_cast<std::size_t>(facts[fact].call)].recordedEvent;
            return event && event->createdAtIndex.has_value();
        };
        if (facts[last].event() && resisting.event() && change.what == ChangePoint::What::Settings
            && shape(last) != shape(end)) {
            change.what = ChangePoint::What::Dialect;
            change.why = std::string("The event of call ") + std::to_string(callOf(end).number.value)
                + (shape(end)
                        ? " tells the length of the log at its making, those before do not: deepagents was updated."
                        : " does not tell the length of the log at its making, those before do: an older "
                          "deepagents wrote it.");
        }
        change.fromCall = callOf(end).number.value;
        m_result.changes.push_back(std::move(change));
    }

    /// The evidence that counts the fewest tokens where nothing tells the counter.
    [[nodiscard]] const CountedEvidence &leastEvidence() const
    {
        if (m_result.events > 0)
            return m_evidence.front();
        return *std::max_element(
            m_evidence.begin(), m_evidence.end(), [](const CountedEvidence &a, const CountedEvidence &b) {
                return a.rules.counter.charsPerToken < b.rules.counter.charsPerToken;
            });
    }

    /// The same with every argument shortened that may have been without an archive's showing it; nothing where none
    /// may.
    [[nodiscard]] std::optional<CountedEvidence> shortestEvidence()
    {
        if (m_dialect == "langchain-1.5" || m_truncation->told() || m_truncation->possibleShapes().empty())
            return std::nullopt;
        CountingAssumption assumption = leastEvidence().assumption;
        TruncateArgsSettings most;
        most.trigger = ContextSize{ContextSize::Kind::Messages, 1};
        most.keep = {ContextSize::Kind::Messages, 1};
        most.maxLength = 1;
        most.truncationText.clear();
        assumption.truncateArgs = most;
        Overhead overhead;
        overhead.tools = assumption.toolsTokens;
        overhead.system = assumption.systemTokens;
        return counted(EvidenceSource(m_input, assumption), assumption, overhead, most);
    }

    /// What the calls that were not summarized rule out.
    void exclude()
    {
        const std::optional<CountedEvidence> shortest = shortestEvidence();
        const CountedEvidence &evidence = shortest ? *shortest : leastEvidence();
        const CallFact *byMessages = nullptr;
        const CallFact *byTokens = nullptr;
        for (const CallFact &fact : evidence.facts) {
            if ((fact.event() && !fact.refused) || fact.messages < 2)
                continue;
            if (!byMessages || fact.messages > byMessages->messages)
                byMessages = &fact;
            if (!byTokens || fact.tokens > byTokens->tokens)
                byTokens = &fact;
        }
        const auto add = [&](const CallFact *fact, ContextSize::Kind kind, std::int64_t most, const char *word) {
            if (!fact)
                return;
            const Call &call = m_input.call(static_cast<std::size_t>(fact->call));
            ExcludedTrigger excluded;
            excluded.values = {kind, std::nullopt, static_cast<double>(most)};
            excluded.by = {fact->call, call.taskId,
                "Call " + std::to_string(call.number.value) + " held "
                    + (shortest && kind == ContextSize::Kind::Tokens ? "at least " : "") + std::to_string(most) + " "
                    + word + " and was not summarized, so a trigger of " + std::to_string(most) + " " + word
                    + " or less is ruled out for any keep below it."};
            m_result.excluded.push_back(std::move(excluded));
        };
        add(byMessages, ContextSize::Kind::Messages, byMessages ? byMessages->messages : 0, "messages");
        add(byTokens, ContextSize::Kind::Tokens, byTokens ? byTokens->tokens : 0, "tokens");
    }

    /// The first call that these settings would have decided otherwise; -1: none.
    [[nodiscard]] std::int32_t firstDifference(const Settings &settings) const
    {
        CountingAssumption assumption = m_evidence.front().assumption;
        const auto choice = dialectFor(assumption.dialect);
        Settings with = settings;
        with.dialect = assumption.dialect;
        with.model.provider = assumption.model.provider;
        with.model.llmType = assumption.model.llmType;
        const CompactionRules rules = rulesFor(with, choice ? choice->dialect : knownDialects().front());
        assumption.truncateArgs = rules.truncateArgs;
        assumption.model.maxInputTokens = settings.model.maxInputTokens;
        const EvidenceSource source(m_input, assumption);
        const Evidence evidence = source.evidence(assumption.toolsTokens, assumption.systemTokens);
        for (const CallFact &fact : evidence.facts) {
            const bool fires = shouldSummarize(fact.view, fact.counted, rules).fires || overBudget(rules, fact.counted);
            if (fact.refused ? fires
                             : fires != fact.event() && (fact.event() || cutoffFor(fact, rules.keep, rules) > 0))
                return fact.call;
            if (fact.event() && cutoffFor(fact, rules.keep, rules) != fact.cutoff)
                return fact.call;
        }
        return -1;
    }

    /// The best family in which the defaults for a model with a profile lie; null: none.
    [[nodiscard]] const SettingsFamily *familyOfDefaults() const
    {
        const auto found = std::find_if(m_result.families.begin(), m_result.families.end(),
            [](const SettingsFamily &family) { return family.modelDefaults && family.explainsAll(); });
        return found == m_result.families.end() ? nullptr : &*found;
    }

    /// Whether the defaults that lie in a family make its events themselves; true where they lie in none.
    [[nodiscard]] bool profileDefaultsFit() const
    {
        const SettingsFamily *profile = familyOfDefaults();
        if (!profile)
            return true;
        Settings defaults;
        defaults.modelDefaults = true;
        defaults.model.maxInputTokens = profile->model.maxInputTokens;
        return firstDifference(defaults) < 0;
    }

    void tryDefaults()
    {
        if (m_dialect == "langchain-1.5") {
            m_result.defaults = "LangChain's own middleware has no default trigger.";
            return;
        }
        if (const SettingsFamily *profile = familyOfDefaults()) {
            if (profileDefaultsFit()) {
                m_result.defaultsFit = true;
                m_result.defaults = "deepagents' defaults for a model with a window of "
                    + std::to_string(*profile->model.maxInputTokens) + " tokens make the same events.";
                return;
            }
            for (SettingsFamily &family : m_result.families)
                family.modelDefaults = false;
            std::stable_sort(m_result.families.begin(), m_result.families.end(), betterFamily);
        }
        Settings defaults;
        defaults.modelDefaults = true;
        const std::int32_t call = firstDifference(defaults);
        m_result.defaultsFit = call < 0;
        if (call < 0) {
            m_result.defaults = "deepagents' defaults for a model without a profile (170000 tokens, keep 6 messages) "
                                "make the same events.";
        } else {
            m_result.defaults = "deepagents' defaults for a model without a profile (170000 tokens, keep 6 messages) "
                                "differ from the recording at call "
                + std::to_string(m_input.call(static_cast<std::size_t>(call)).number.value) + ".";
        }
    }

    void noteSilence()
    {
        std::map<std::string, std::int64_t> reasons;
        for (const SilentCall &silent : m_silent)
            ++reasons[silent.why];
        for (const auto &[why, count] : reasons)
            m_result.notes.push_back(
                std::to_string(count) + (count == 1 ? " call says" : " calls say") + " nothing: " + why + ".");
        const auto unseen = std::count_if(m_result.families.begin(), m_result.families.end(),
            [](const SettingsFamily &family) { return family.truncationAssumed; });
        if (unseen > 0)
            m_result.notes.push_back(std::to_string(unseen) + (unseen == 1 ? " family assumes" : " families assume")
                + " that long arguments of write_file and edit_file were shortened in a way that no archive tells.");
        if (m_result.toolEvents > 0)
            m_result.notes.push_back(std::to_string(m_result.toolEvents)
                + " events were made by compact_conversation; they say nothing about a trigger.");
    }

    const ReplayInput &m_input;
    InferenceDepth m_depth;
    Replayer m_replayer;
    ArtifactReader m_artifacts;
    const JobContext &m_job;
    FamilySearch m_search;
    std::vector<Candidate> m_candidates; ///< of the whole recording
    Inference m_result;
    std::string m_dialect;
    ShownSettings m_shown;
    std::optional<TruncationSearch> m_truncation;
    std::vector<CountedEvidence> m_evidence; ///< the most plausible first
    std::vector<SilentCall> m_silent;
};

} // namespace

Result<Inference> inferSettings(
    const ReplayInput &input, const ArtifactReader &artifacts, const JobContext &job, InferenceDepth depth)
{
    return Inferrer(input, artifacts, job, depth).run();
}

} // namespace palimpsest
