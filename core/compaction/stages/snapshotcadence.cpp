// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/snapshotcadence.h"

#include <optional>

namespace palimpsest {
namespace {

/// The counters that a checkpoint's metadata keeps for the channel; null when it has none: zero, so stored whole here
/// or never written.
std::optional<SnapshotCounters> recordedCounters(const Checkpoint &checkpoint, std::string_view channel)
{
    const Value &pair = checkpoint.metadata["counters_since_delta_snapshot"][channel];
    if (pair.asList().size() != 2)
        return std::nullopt;
    return SnapshotCounters{pair.asList()[0].asInt(), pair.asList()[1].asInt()};
}

bool changed(const Checkpoint &checkpoint, const Checkpoint *parent, std::string_view channel)
{
    if (channel == "files")
        return parent ? checkpoint.files != parent->files : !checkpoint.files.empty();
    if (!parent)
        return !checkpoint.messages.empty();
    return checkpoint.messages.size() != parent->messages.size() || checkpoint.messages != parent->messages;
}

/// Whether the channel was written between parent and checkpoint.
ChannelStep stepOf(const Checkpoint &checkpoint, const Checkpoint *parent, std::string_view channel)
{
    const std::optional<SnapshotCounters> now = recordedCounters(checkpoint, channel);
    const std::optional<SnapshotCounters> before = parent ? recordedCounters(*parent, channel) : std::nullopt;
    if (now) // updates before a snapshot of the parent do not count any more
        return now->updates > before.value_or(SnapshotCounters{}).updates ? ChannelStep::Written
                                                                          : ChannelStep::Untouched;
    return changed(checkpoint, parent, channel) ? ChannelStep::Written : ChannelStep::Untouched;
}

} // namespace

bool SnapshotCadence::advance(ChannelStep step)
{
    ++m_counters.supersteps;
    if (step != ChannelStep::Untouched) {
        ++m_counters.updates;
        m_everWritten = true;
    }
    const bool due =
        m_everWritten && (m_counters.updates >= m_rule.frequency || m_counters.supersteps >= m_rule.maxSupersteps);
    if (!due && step != ChannelStep::Forced)
        return false;
    m_counters = {};
    return true;
}

std::vector<CadenceRow> forecastSnapshots(
    const ThreadNamespace &space, std::string_view channel, const SnapshotRule &rule)
{
    std::vector<CadenceRow> rows;
    std::vector<SnapshotCadence> states;
    rows.reserve(space.checkpoints.size());
    states.reserve(space.checkpoints.size());
    for (std::size_t i = 0; i < space.checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = space.checkpoints[i];
        const bool known = checkpoint.parent.isValid() && checkpoint.parent.at() < i;
        const Checkpoint *parent = known ? &space.checkpoints[checkpoint.parent.at()] : nullptr;
        SnapshotCadence cadence = known ? states[checkpoint.parent.at()] : SnapshotCadence(rule);
        CadenceRow row;
        row.checkpoint = CheckpointIndex(i);
        row.step = stepOf(checkpoint, parent, channel);
        // A branch stores every channel whole that its parent's consumed writes touched
        // (delta_channels_with_pending_writes).
        if (parent && checkpoint.source == "fork")
            row.step = ChannelStep::Forced;
        row.snapshot = cadence.advance(row.step);
        row.counters = cadence.counters();
        rows.push_back(row);
        states.push_back(cadence);
    }
    return rows;
}

} // namespace palimpsest
