// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"

#include <algorithm>

namespace palimpsest {

void FindingSink::mark(Sighting &sighting, CheckpointIndex checkpoint)
{
    if (m_startsCall.empty()) {
        m_startsCall.resize(m_ns.checkpoints.size() + 1);
        m_isHead.resize(m_ns.checkpoints.size() + 1);
        for (const Call &call : m_ns.calls) {
            if (!call.checkpoint.isValid())
                continue;
            if (call.eventFrom != Call::EventFrom::ThisCall)
                m_startsCall[call.checkpoint.at()] = true;
            // The call compacted first: what it sent is the list that the next checkpoint begins with.
            else
                for (const CheckpointIndex child : m_ns.checkpoints[call.checkpoint.at()].children)
                    m_startsCall[child.at()] = true;
        }
        for (const CheckpointIndex head : m_ns.heads)
            m_isHead[head.at()] = true;
    }
    sighting.last = std::max(sighting.last, checkpoint);
    if (!checkpoint.isValid())
        return;
    sighting.sent = sighting.sent || m_startsCall[checkpoint.at()];
    sighting.atHead = sighting.atHead || m_isHead[checkpoint.at()];
}

std::size_t FindingSink::see(Finding finding, const std::string &key, CheckpointIndex checkpoint)
{
    const auto [at, isNew] = m_byKey.try_emplace(finding.rule + '\n' + key, m_sightings.size());
    if (isNew) {
        finding.checkpointNs = m_ns.name;
        if (checkpoint.isValid() && finding.checkpointId.empty())
            finding.checkpointId = m_ns.checkpoints[checkpoint.at()].id;
        if (!m_assumed.empty())
            finding.evidence = finding.evidence.with("assumed", Value(m_assumed));
        m_sightings.push_back({std::move(finding), checkpoint, checkpoint});
    }
    mark(m_sightings[at->second], checkpoint);
    return at->second;
}

void FindingSink::extend(std::size_t handle, CheckpointIndex checkpoint)
{
    mark(m_sightings[handle], checkpoint);
}

void FindingSink::onlyIfSentOrAtHead(std::size_t handle)
{
    m_sightings[handle].unmet = Unmet::Forgotten;
}

void FindingSink::warningUnlessSentOrAtHead(std::size_t handle)
{
    m_sightings[handle].unmet = Unmet::Warning;
}

std::vector<Finding> FindingSink::take()
{
    std::stable_sort(
        m_sightings.begin(), m_sightings.end(), [](const Sighting &a, const Sighting &b) { return a.first < b.first; });
    std::vector<Finding> findings;
    for (Sighting &sighting : m_sightings) {
        // A file whose saver stored no writes knows of no calls: then every checkpoint counts.
        const bool met = sighting.sent || sighting.atHead || m_ns.calls.empty();
        if (sighting.unmet == Unmet::Forgotten && !met)
            continue;
        if (sighting.unmet == Unmet::Warning && !met)
            sighting.finding.severity = Finding::Severity::Warning;
        if (sighting.last.isValid() && sighting.last != sighting.first)
            sighting.finding.evidence =
                sighting.finding.evidence.with("last_checkpoint_id", Value(m_ns.checkpoints[sighting.last.at()].id));
        if (sighting.unmet != Unmet::Nothing)
            sighting.finding.evidence = sighting.finding.evidence.with("sent_to_the_model", Value(sighting.sent));
        findings.push_back(std::move(sighting.finding));
    }
    m_sightings.clear();
    m_byKey.clear();
    return findings;
}

} // namespace palimpsest
