// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/snapshotcadence.h"

#include <algorithm>
#include <optional>

namespace palimpsest {
namespace {

/// The counters that a checkpoint's metadata keeps for the channel; null when it has none: zero, so stored whole here.
std::optional<SnapshotCounters> recordedCounters(const Checkpoint &checkpoint, std::string_view channel)
{
    const Value &pair = checkpoint.metadata["counters_since_delta_snapshot"][channel];
    if (pair.asList().size() != 2)
        return std::nullopt;
    return SnapshotCounters{pair.asList()[0].asInt(), pair.asList()[1].asInt()};
}

/// The empty checkpoint that exit durability puts before a thread's first (`_put_exit_delta_writes`).
bool isStub(const Checkpoint &checkpoint)
{
    return checkpoint.metadata["source"].isNil();
}

bool keepsCounters(const ThreadNamespace &space, std::string_view channel)
{
    return std::any_of(space.checkpoints.begin(), space.checkpoints.end(),
        [&](const Checkpoint &checkpoint) { return recordedCounters(checkpoint, channel).has_value(); });
}

bool changed(const Checkpoint &checkpoint, const Checkpoint *parent, std::string_view channel)
{
    if (channel == "files")
        return parent ? checkpoint.files != parent->files : !checkpoint.files.empty();
    if (!parent)
        return !checkpoint.messages.empty();
    return checkpoint.messages.size() != parent->messages.size() || checkpoint.messages != parent->messages;
}

const Checkpoint *parentOf(const ThreadNamespace &space, std::size_t index)
{
    const CheckpointIndex parent = space.checkpoints[index].parent;
    return parent.isValid() && parent.at() < index ? &space.checkpoints[parent.at()] : nullptr;
}

/// What happened to the channel between a checkpoint and its parent.
CadenceRow stepsOf(const ThreadNamespace &space, std::size_t index, std::string_view channel, bool counted,
    const SnapshotRule &recorded)
{
    const Checkpoint &checkpoint = space.checkpoints[index];
    const Checkpoint *parent = parentOf(space, index);
    CadenceRow row;
    row.checkpoint = CheckpointIndex(index);
    row.supersteps = std::max(1, parent ? checkpoint.step - parent->step : 1);
    row.updates = changed(checkpoint, parent, channel) ? 1 : 0;
    if (isStub(checkpoint))
        row.updates = row.supersteps = 0;
    if (!counted || isStub(checkpoint))
        return row;
    const SnapshotCounters before =
        parent ? recordedCounters(*parent, channel).value_or(SnapshotCounters{}) : SnapshotCounters{};
    if (const std::optional<SnapshotCounters> now = recordedCounters(checkpoint, channel)) {
        // Counters below the parent's were set back in between, at a superstep that was not saved.
        if (now->updates >= before.updates && now->supersteps >= before.supersteps) {
            row.updates = now->updates - before.updates;
            row.supersteps = now->supersteps - before.supersteps;
        }
        return row;
    }
    const bool due = before.updates + row.updates >= recorded.frequency
        || before.supersteps + row.supersteps >= recorded.maxSupersteps;
    // A snapshot that the frequency asked for was a write; one at the bound need not be.
    if (before.updates + 1 >= recorded.frequency)
        row.updates = std::max<std::int64_t>(row.updates, 1);
    else
        row.forced = !due;
    return row;
}

} // namespace

bool SnapshotCadence::advance(ChannelStep step)
{
    return advance(step == ChannelStep::Untouched ? 0 : 1, 1, step == ChannelStep::Forced);
}

bool SnapshotCadence::advance(std::int64_t updates, std::int64_t supersteps, bool forced)
{
    m_counters.supersteps += supersteps;
    m_counters.updates += updates;
    m_everWritten = m_everWritten || updates > 0 || forced;
    const bool due =
        m_everWritten && (m_counters.updates >= m_rule.frequency || m_counters.supersteps >= m_rule.maxSupersteps);
    if (!due && !forced)
        return false;
    m_counters = {};
    return true;
}

std::vector<CadenceRow> forecastSnapshots(
    const ThreadNamespace &space, std::string_view channel, const SnapshotRule &rule, const SnapshotRule &recorded)
{
    const bool counted = keepsCounters(space, channel);
    std::vector<CadenceRow> rows;
    std::vector<SnapshotCadence> states;
    rows.reserve(space.checkpoints.size());
    states.reserve(space.checkpoints.size());
    for (std::size_t i = 0; i < space.checkpoints.size(); ++i) {
        CadenceRow row = stepsOf(space, i, channel, counted, recorded);
        SnapshotCadence cadence = parentOf(space, i) ? states[space.checkpoints[i].parent.at()] : SnapshotCadence(rule);
        row.snapshot = cadence.advance(row.updates, row.supersteps, row.forced);
        row.counters = cadence.counters();
        rows.push_back(row);
        states.push_back(cadence);
    }
    return rows;
}

std::vector<CheckpointIndex> recordedSnapshots(const ThreadNamespace &space, std::string_view channel)
{
    std::vector<CheckpointIndex> found;
    if (!keepsCounters(space, channel))
        return found;
    for (std::size_t i = 0; i < space.checkpoints.size(); ++i)
        if (!isStub(space.checkpoints[i]) && !recordedCounters(space.checkpoints[i], channel))
            found.push_back(CheckpointIndex(i));
    return found;
}

} // namespace palimpsest
