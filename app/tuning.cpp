// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning.h"

#include "app/session.h"
#include "core/artifacts/artifactview.h"
#include "core/compaction/recordedrequest.h"
#include "core/compaction/threadartifacts.h"
#include "core/tokens/approximate.h"
#include "models/display.h"

#include <algorithm>
#include <utility>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr auto prepareLane = "prepare";
constexpr auto runLane = "what-if";
constexpr auto inferLane = "infer";
constexpr auto treeLane = "tree";
constexpr int restMs = 700; ///< without a change, before what takes long follows

/// What an agent of this version runs with when nothing is said.
Value defaultSettings(const Thread &thread)
{
    return Value::map({{"dialect", Value(recordedDialect(thread))}});
}

/// Without an event a recording only says what the trigger is above; the defaults, where they fit, are no worse a guess
/// than any other size and do not look like one that was found.
void useDefaultTrigger(SettingsSet &set)
{
    for (auto &[ns, segments] : set.namespaces) {
        for (SettingsSet::Segment &segment : segments) {
            segment.settings.trigger.reset();
            segment.settings.modelDefaults = true;
        }
    }
}

Tuning::Reach reachOf(const ReplayInput &input)
{
    Tuning::Reach reach{10, 1000};
    for (const ReplayInput::Track &track : input.tracks()) {
        double tokens = 0;
        for (const ReplayInput::Original &original : track.messages)
            tokens += original.message ? approximateMessageTokensOrBest(*original.message) : 0;
        reach.messages = std::max(reach.messages, static_cast<double>(track.messages.size()));
        reach.tokens = std::max(reach.tokens, tokens);
    }
    return reach;
}

} // namespace

struct Tuning::Keeper {
    std::unique_ptr<Replayer> replayer;
};

/// Made by the first totals of a thread, then kept.
struct Tuning::Tree {
    ThreadPtr thread;
    std::vector<Replayer> replayers;
};

Tuning::Tuning(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_tree(std::make_shared<Tree>())
    , m_keeper(std::make_shared<Keeper>())
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(0); // changes of one turn of the event loop are one
    connect(&m_soon, &QTimer::timeout, this, &Tuning::run);
    m_rest.setSingleShot(true);
    m_rest.setInterval(restMs);
    connect(&m_rest, &QTimer::timeout, this, &Tuning::rest);
    connect(this, &Tuning::whatIfChanged, &m_rest, qOverload<>(&QTimer::start));
    m_runs.setAtEnd([keeper = m_keeper] { keeper->replayer.reset(); });
    connect(&m_model, &TuningModel::settingsChanged, this, &Tuning::request);
    connect(session.focus(), &Focus::threadChanged, this, &Tuning::onThread);
    connect(&session, &Session::foldersChanged, this, [this] {
        m_prepared = nullptr;
        onThread();
    });
}

Tuning::~Tuning()
{
    m_studies.cancelAll();
    m_runs.cancelAll();
}

void Tuning::onThread()
{
    const ThreadPtr thread = m_session.focus()->thread();
    const std::string ns = m_session.selection()->place().ns;
    const ThreadNamespace *space = thread ? thread->find(ns) : nullptr;
    if (thread && thread == m_prepared && ns == m_ns)
        return;
    const bool another = !thread || thread->id != m_thread;
    if (another || ns != m_ns) {
        m_studies.cancelAll();
        m_input = nullptr;
        m_inference = nullptr;
        m_whatIf = nullptr;
        m_treeTotals.reset();
        m_prepared = nullptr;
        m_given = std::make_shared<const GivenSummaries>();
        m_thread = thread ? thread->id : std::string();
        m_ns = ns;
        if (another) {
            m_slots = {};
            m_origin = TriggerOrigin::Default;
            if (thread)
                m_model.start(defaultSettings(*thread));
            Q_EMIT slotsChanged();
        }
        Q_EMIT inputChanged();
        Q_EMIT inferenceChanged();
        Q_EMIT whatIfChanged();
    }
    if (space && !space->partial && !space->calls.empty())
        prepare();
}

void Tuning::prepare()
{
    m_prepared = m_session.focus()->thread();
    m_runs.run(
        QString::fromLatin1(prepareLane), this,
        [keeper = m_keeper, thread = m_prepared, ns = m_ns, folders = m_session.folders()](const JobContext &) {
            const ReplayInputPtr input = ReplayInput::make(thread, ns, threadArtifacts(thread, ns, folders));
            keeper->replayer = std::make_unique<Replayer>(input);
            return std::pair(input, reachOf(*input));
        },
        [this](const std::pair<ReplayInputPtr, Reach> &made) {
            m_input = made.first;
            m_reach = made.second;
            Q_EMIT inputChanged();
            request();
            infer();
        });
}

void Tuning::infer()
{
    m_studies.run(
        QString::fromLatin1(inferLane), this,
        [input = m_input, reader = threadArtifacts(m_prepared, m_ns, m_session.folders())](
            const JobContext &job) -> std::shared_ptr<const Inference> {
            auto found = inferSettings(*input, reader, job);
            return found ? std::make_shared<const Inference>(std::move(*found)) : nullptr;
        },
        [this](const std::shared_ptr<const Inference> &found) {
            m_inference = found;
            auto proposed = found ? proposedSettings(*found, m_ns) : std::nullopt;
            if (proposed && !m_model.isTouched() && m_ns.empty()) {
                const bool none = found->events == 0;
                m_origin = !none         ? TriggerOrigin::Inferred
                    : found->defaultsFit ? TriggerOrigin::Default
                                         : TriggerOrigin::Unreached;
                if (m_origin == TriggerOrigin::Default)
                    useDefaultTrigger(*proposed);
                m_model.start(tuningDocument(*proposed));
            }
            Q_EMIT inferenceChanged();
        });
}

TriggerOrigin Tuning::origin() const
{
    return m_model.isTouched() ? TriggerOrigin::Chosen : m_origin;
}

Tuning::Counting Tuning::counting() const
{
    if (!m_whatIf || m_whatIf->replay.calls.empty())
        return {};
    const Settings &settings = settingsFor(*m_whatIf->settings, m_ns, 1);
    const RequestBase &base = m_whatIf->replay.calls.front().base;
    return {counterRule(settings.model, settings.charsPerToken).charsPerToken, base.toolTokens + base.systemTokens};
}

void Tuning::request()
{
    if (!m_input)
        return;
    if (m_running)
        m_again = true;
    else
        m_soon.start();
}

void Tuning::run()
{
    if (!m_input)
        return;
    m_running = true;
    m_again = false;
    m_runs.run(
        QString::fromLatin1(runLane), this,
        [keeper = m_keeper, settings = m_model.settings(), given = m_given](const JobContext &job) {
            return keeper->replayer ? makeWhatIf(*keeper->replayer, settings, job, given)
                                    : Result<WhatIfPtr>(tl::unexpected(Error{Error::Code::Cancelled, "replay", {}}));
        },
        [this, input = m_input](const Result<WhatIfPtr> &done) {
            m_running = false;
            if (input == m_input && done) {
                m_whatIf = *done;
                Q_EMIT whatIfChanged();
            } else if (input == m_input && done.error().code != Error::Code::Cancelled) {
                Q_EMIT runFailed(toQString(done.error().where + ": " + done.error().what));
            }
            if (m_again)
                run();
        });
}

void Tuning::rest()
{
    // Settings that leave the recording are a question, not what the thread ran with.
    const bool known = m_whatIf && m_model.isTouched() && !m_whatIf->leavesRecording();
    m_session.setSettingsOfRun(known ? m_whatIf->settings : nullptr);
    totalTree();
}

void Tuning::totalTree()
{
    const ThreadPtr thread = m_prepared;
    const auto spaces = thread
        ? std::ranges::count_if(thread->namespaces, [](const ThreadNamespace &space) { return !space.calls.empty(); })
        : 0;
    if (spaces < 2 || !m_whatIf) {
        if (std::exchange(m_treeTotals, std::nullopt))
            Q_EMIT treeTotalsChanged();
        return;
    }
    m_studies.run(
        QString::fromLatin1(treeLane), this,
        [tree = m_tree, thread, settings = m_whatIf->settings, folders = m_session.folders()](
            const JobContext &job) -> std::optional<TreeTotals> {
            if (tree->thread != thread) {
                tree->thread = thread;
                tree->replayers.clear();
                for (const ThreadNamespace &space : thread->namespaces)
                    if (!space.calls.empty())
                        tree->replayers.emplace_back(
                            ReplayInput::make(thread, space.name, threadArtifacts(thread, space.name, folders)));
            }
            TreeTotals totals;
            for (const Replayer &replayer : tree->replayers) {
                const auto run = replayer.totals(*settings, {}, {}, job);
                if (!run)
                    return std::nullopt;
                ++totals.namespaces;
                totals.events += run->events;
                totals.tokensSent += run->tokensSent;
                totals.summaryTokens += run->summaryTokens;
                totals.peakTokens = std::max(totals.peakTokens, run->peakTokens);
            }
            return totals;
        },
        [this](const std::optional<TreeTotals> &totals) {
            m_treeTotals = totals;
            Q_EMIT treeTotalsChanged();
        });
}

void Tuning::keepSlot(int slot)
{
    m_slots.at(static_cast<std::size_t>(slot)) = m_model.settings();
    Q_EMIT slotsChanged();
}

void Tuning::give(const SummarySubject &subject, const std::string &text)
{
    auto given = std::make_shared<GivenSummaries>(*m_given);
    (*given)[subject] = text;
    m_given = std::move(given);
    request();
}

void Tuning::forget(const SummarySubject &subject)
{
    auto given = std::make_shared<GivenSummaries>(*m_given);
    given->erase(subject);
    m_given = std::move(given);
    request();
}

} // namespace palimpsest
