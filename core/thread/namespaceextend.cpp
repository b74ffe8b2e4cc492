// SPDX-License-Identifier: GPL-3.0-or-later
// What NamespaceLoader does for a thread that goes on while it is looked at.
#include "core/thread/namespaceloader.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Writes to the last so many checkpoints are read again: a run stores them in the background, where a checkpoint may
/// be committed before the last writes that led to it.
constexpr std::size_t openSteps = 4;

} // namespace

/// True when the rows begin with the last known checkpoint and the others carry on from leaves, one from each.
bool NamespaceLoader::takeAdded(const std::vector<CheckpointRow> &rows, std::size_t known) const
{
    if (rows.empty() || rows.front().id != m_space.checkpoints[known - 1].id)
        return false;
    std::vector<std::string> parents;
    std::vector<std::string> added;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::string parent = rows[i].parentId.value_or("");
        const auto place = m_places.find(parent);
        const bool fresh = std::find(added.begin(), added.end(), parent) != added.end();
        const bool leaf = place != m_places.end() && m_states.contains(place->second)
            && m_space.checkpoints[place->second].children.empty();
        if ((!fresh && !leaf) || std::find(parents.begin(), parents.end(), parent) != parents.end())
            return false;
        parents.push_back(parent);
        added.push_back(rows[i].id);
    }
    return true;
}

Result<bool> NamespaceLoader::extend(bool &changed)
{
    std::vector<Checkpoint> &all = m_space.checkpoints;
    const std::size_t known = all.size();
    if (known == 0)
        return false;
    CheckpointScan scan;
    scan.blobsUpTo = loadedBlob;
    scan.metadataBelow = loadedBlob;
    if (known > 1)
        scan.after = all[known - 2].id;
    std::vector<CheckpointRow> rows;
    const auto keep = [&rows](CheckpointRow &&row) {
        rows.push_back(std::move(row));
        return true;
    };
    if (Result<void> done = m_source.scanCheckpoints(m_threadId, m_ns, scan, keep, m_job); !done)
        return tl::unexpected(done.error());
    if (!takeAdded(rows, known))
        return false;
    for (std::size_t i = 1; i < rows.size(); ++i)
        takeRow(std::move(rows[i]));

    // The writes of the last steps, anew.
    const std::size_t open = known > openSteps ? known - openSteps : 0;
    std::vector<std::size_t> before;
    for (std::size_t at = open; at < known; ++at) {
        before.push_back(m_steps[at].rows);
        m_steps[at] = Step();
        all[at].waiting.clear();
    }
    std::erase_if(m_inputs.tasks, [open](const TaskWrites &task) { return task.checkpoint >= CheckpointIndex(open); });
    m_steps.resize(all.size());
    m_from = all[open].id;
    const std::size_t findings = m_findings.size();
    if (Result<void> done = readWrites(); !done)
        return tl::unexpected(done.error());
    m_findings.resize(findings);
    changed = all.size() > known;
    for (std::size_t at = open; at < known; ++at) {
        if (m_steps[at].rows == before[at - open])
            continue;
        changed = true;
        // Its child was made without these.
        if (!all[at].children.empty())
            return false;
        if (const auto state = m_states.find(at); state != m_states.end())
            showState(at, state->second);
    }
    if (!changed)
        return true;

    for (std::size_t at = known; at < all.size(); ++at) {
        const std::size_t parent = m_places.at(*all[at].parentId);
        all[at].parent = CheckpointIndex(parent);
        all[parent].children.push_back(CheckpointIndex(at));
        std::erase(m_space.heads, CheckpointIndex(parent));
        m_space.heads.push_back(CheckpointIndex(at));
        m_states.at(parent).childrenLeft = 1;
        setStep(at);
        foldState(at);
        readMetadata(at);
    }
    findEvents();
    m_space.calls.clear();
    if (m_options.calls)
        deriveCalls(m_space, m_inputs);
    return true;
}

} // namespace palimpsest
