// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/threadfindings.h"

#include <algorithm>

namespace palimpsest {

ThreadFindings::ThreadFindings(ThreadPtr thread, std::vector<Finding> all, std::vector<FolderProposal> proposals)
    : m_thread(std::move(thread))
    , m_all(std::move(all))
    , m_proposals(std::move(proposals))
{
    for (std::size_t i = 0; i < m_all.size(); ++i)
        if (m_all[i].messageId)
            m_byMessage[keyOf(m_all[i].checkpointNs, *m_all[i].messageId)].push_back(i);
}

std::string ThreadFindings::keyOf(std::string_view ns, std::string_view messageId)
{
    return std::string(ns) + '\n' + std::string(messageId);
}

std::vector<const Finding *> ThreadFindings::of(std::string_view ns, std::string_view messageId) const
{
    std::vector<const Finding *> found;
    if (const auto places = m_byMessage.find(keyOf(ns, messageId)); places != m_byMessage.end())
        for (const std::size_t place : places->second)
            found.push_back(&m_all[place]);
    return found;
}

std::vector<Finding> findingsOf(const Thread &thread)
{
    std::vector<Finding> all = thread.findings;
    for (const ThreadNamespace &space : thread.namespaces)
        for (const Checkpoint &checkpoint : space.checkpoints)
            for (const Finding &finding : checkpoint.findings)
                if (std::ranges::find(thread.findings, finding) == thread.findings.end())
                    all.push_back(finding);
    return all;
}

} // namespace palimpsest
