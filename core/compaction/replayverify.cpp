// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replayverify.h"

#include "core/compaction/replayviews.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Equal as requests: a summary's id is given after the fact.
bool sameMessage(const MessagePtr &a, const MessagePtr &b, bool summary)
{
    if (a == b)
        return true;
    if (!a || !b)
        return false;
    if (!summary)
        return *a == *b;
    return a->kind == b->kind && a->content == b->content;
}

bool sameStretch(const RequestView &a, const RequestView &b)
{
    const auto covers = [](const RequestView &view, std::int64_t place) {
        return std::clamp(place, view.first, view.end);
    };
    return a.log == b.log && a.first == b.first && a.end == b.end
        && covers(a, a.truncatedUntil) == covers(b, b.truncatedUntil)
        && covers(a, a.reasoningFrom) == covers(b, b.reasoningFrom) && !a.replacements && !b.replacements;
}

/// Where two requests differ, one sentence; empty when they do not.
std::string difference(const RequestView &recorded, const RequestView &replayed)
{
    if (recorded.size() != replayed.size()) {
        return "the recorded request has " + std::to_string(recorded.size()) + " messages, the replayed one "
            + std::to_string(replayed.size());
    }
    if (!recorded.summary != !replayed.summary)
        return recorded.summary ? "the recorded request begins with a summary, the replayed one does not"
                                : "the replayed request begins with a summary, the recorded one does not";
    if (recorded.summary && !sameMessage(recorded.summary, replayed.summary, true))
        return "the summaries differ";
    if (sameStretch(recorded, replayed))
        return {};
    for (std::int64_t i = recorded.summary ? 1 : 0; i < recorded.size(); ++i) {
        if (!sameMessage(recorded.at(i), replayed.at(i), false))
            return "message " + std::to_string(i + 1) + " of the request differs (id "
                + recorded.at(i)->id.value_or("none") + ")";
    }
    return {};
}

std::string decisionOf(const ReplayedCall &call)
{
    if (!call.result.summarize)
        return "the replay did not summarize (" + std::to_string(call.result.counted) + " tokens counted)";
    const auto &cutoff = call.result.details().cutoffIndex;
    return "the replay summarized because of " + call.result.details().clause
        + (cutoff ? ", cutoff " + std::to_string(*cutoff) : std::string());
}

std::string eventWords(const EventPtr &event)
{
    if (!event)
        return "no event";
    return "an event with cutoff " + std::to_string(event->cutoffIndex)
        + (event->filePath ? " and archive " + *event->filePath : std::string(" without archive"));
}

class Verifier {
public:
    Verifier(const Replay &replay, const std::vector<CallRulesPtr> &at, const PreparedLogs &logs)
        : m_replay(replay)
        , m_at(at)
        , m_logs(logs)
    {
    }

    ReplayVerification run()
    {
        for (const ReplayedCall &call : m_replay.calls) {
            const auto index = static_cast<std::size_t>(call.index);
            const Call &recorded = m_replay.input->call(index);
            if (recorded.outcome != Call::Outcome::Ok || recorded.eventFrom == Call::EventFrom::Unknown)
                continue;
            verifyEvent(call, index);
            verifyRequest(call, index);
        }
        return m_result;
    }

private:
    void differ(const ReplayedCall &call, const char *what, std::string why)
    {
        if (!m_result.firstDifference)
            m_result.firstDifference = ReplayVerification::Difference{call.index, what, std::move(why)};
    }

    void verifyRequest(const ReplayedCall &call, std::size_t index)
    {
        ++m_result.calls;
        const PipelineAttempt *accepted = call.accepted();
        if (!accepted) {
            differ(call, "the outcome", "the recorded call was answered, the replayed one was not");
            return;
        }
        const std::string why =
            difference(recordedRequestView(*m_replay.input, *m_at[index], m_logs, index), accepted->request);
        if (why.empty())
            ++m_result.agree;
        else
            differ(call, "the request", why + "; " + decisionOf(call));
    }

    void verifyEvent(const ReplayedCall &call, std::size_t index)
    {
        const ReplayInput::CallInput &input = m_replay.input->calls()[index];
        const EventPtr recorded = input.madeEvent ? input.recordedEvent : nullptr;
        if (!recorded && !call.event)
            return;
        ++m_result.events;
        const bool paths = m_at[index]->rules.dialect.hasArchive();
        if (recorded && call.event && recorded->cutoffIndex == call.event->cutoffIndex
            && (!paths || recorded->filePath == call.event->filePath)) {
            ++m_result.eventsAgree;
            return;
        }
        differ(call, "the event",
            "recorded was " + eventWords(recorded) + ", replayed " + eventWords(call.event) + "; " + decisionOf(call));
    }

    const Replay &m_replay;
    const std::vector<CallRulesPtr> &m_at;
    const PreparedLogs &m_logs;
    ReplayVerification m_result;
};

} // namespace

ReplayVerification verifyReplay(const Replay &replay, const std::vector<CallRulesPtr> &at, const PreparedLogs &logs)
{
    return Verifier(replay, at, logs).run();
}

} // namespace palimpsest
