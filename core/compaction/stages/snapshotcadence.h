// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace palimpsest {

/// When a DeltaChannel's whole value is stored again (langgraph/pregel/_checkpoint.py delta_channels_to_snapshot,
/// langgraph 1.2.24).
struct SnapshotRule {
    std::int64_t frequency = 50; ///< updates; deepagents' channels use 50
    std::int64_t maxSupersteps = 5000; ///< DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT

    bool operator==(const SnapshotRule &) const = default;
};

/// `counters_since_delta_snapshot` of one channel: (updates, supersteps) since its last snapshot.
struct SnapshotCounters {
    std::int64_t updates = 0;
    std::int64_t supersteps = 0;

    bool operator==(const SnapshotCounters &) const = default;
};

/// What a superstep did to the channel. Forced: written, and stored whole whatever the counters say (an Overwrite, a
/// fork's first checkpoint).
enum class ChannelStep { Untouched, Written, Forced };

/// The bookkeeping of `_put_checkpoint` (langgraph/pregel/_loop.py) for one channel, superstep by superstep. The
/// "input" checkpoint counts as a superstep.
class SnapshotCadence {
public:
    explicit SnapshotCadence(SnapshotRule rule)
        : m_rule(rule)
    {
    }

    /// True when this superstep's checkpoint stores the channel whole; the counters are then zero again.
    bool advance(ChannelStep step);
    /// The same for a checkpoint that stands for several supersteps (exit durability saves the last only).
    bool advance(std::int64_t updates, std::int64_t supersteps, bool forced);
    [[nodiscard]] const SnapshotCounters &counters() const { return m_counters; }

private:
    SnapshotRule m_rule;
    SnapshotCounters m_counters;
    bool m_everWritten = false;
};

struct CadenceRow {
    CheckpointIndex checkpoint;
    std::int64_t updates = 0; ///< supersteps since the parent that wrote the channel
    std::int64_t supersteps = 1; ///< … all of them
    bool forced = false; ///< the recording stores the channel whole here though its counters did not ask for it
    bool snapshot = false; ///< the channel would be stored whole here
    SnapshotCounters counters; ///< after the checkpoint

    bool operator==(const CadenceRow &) const = default;
};

/// Where the snapshots of `channel` ("messages" or "files") would fall in a recorded namespace under another rule, a
/// row a checkpoint in their order. A child of a fork goes on from its parent's counters. What the supersteps did comes
/// from the recorded `counters_since_delta_snapshot` where the metadata has them, else from the channel's change
/// against the parent. `recorded` is the rule that the thread was made under: it tells which of its snapshots were due.
std::vector<CadenceRow> forecastSnapshots(const ThreadNamespace &space, std::string_view channel,
    const SnapshotRule &rule, const SnapshotRule &recorded = {});

/// The checkpoints at which the recording itself stores the channel whole, by its counters. Empty where it has none.
std::vector<CheckpointIndex> recordedSnapshots(const ThreadNamespace &space, std::string_view channel);

} // namespace palimpsest
