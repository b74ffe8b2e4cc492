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
/// fork's first write).
enum class ChannelStep { Untouched, Written, Forced };

/// The bookkeeping of `_put_checkpoint` (langgraph/pregel/_loop.py) for one channel, superstep by superstep. The
/// "input" checkpoint counts as a superstep.
class SnapshotCadence {
public:
    explicit SnapshotCadence(SnapshotRule rule)
        : m_rule(rule)
    {
    }
    SnapshotCadence(SnapshotRule rule, SnapshotCounters counters, bool everWritten)
        : m_rule(rule)
        , m_counters(counters)
        , m_everWritten(everWritten)
    {
    }

    /// True when this superstep's checkpoint stores the channel whole; the counters are then zero again.
    bool advance(ChannelStep step);
    [[nodiscard]] const SnapshotCounters &counters() const { return m_counters; }

private:
    SnapshotRule m_rule;
    SnapshotCounters m_counters;
    bool m_everWritten = false;
};

struct CadenceRow {
    CheckpointIndex checkpoint;
    ChannelStep step = ChannelStep::Untouched;
    bool snapshot = false;
    SnapshotCounters counters; ///< after the superstep

    bool operator==(const CadenceRow &) const = default;
};

/// Where the snapshots of `channel` ("messages" or "files") would fall in a recorded namespace under another rule, a
/// row a checkpoint in their order. A child of a fork goes on from its parent's counters. What each superstep did comes
/// from the recorded counters where the metadata has them, else from the channel's change against the parent.
std::vector<CadenceRow> forecastSnapshots(
    const ThreadNamespace &space, std::string_view channel, const SnapshotRule &rule);

} // namespace palimpsest
