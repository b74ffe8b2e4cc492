// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/sources/checkpointsource.h"
#include "core/sources/storage.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a thread or a whole source weighs, why it grows, and what it would weigh if it were stored otherwise. Reads row
/// by row; keeps a few numbers for each checkpoint.
namespace palimpsest {

/// What to keep when old checkpoints are deleted. Advice only.
struct RetentionPlan {
    std::optional<std::int64_t> keep; ///< the last so many checkpoints of each namespace
    std::string before; ///< ISO 8601: checkpoints before this moment would go; empty: not by time

    /// Reads "keep=N" or "before=DATE". Error Invalid for anything else.
    static Result<RetentionPlan> parse(const std::string &text);
    bool operator==(const RetentionPlan &) const = default;
};

struct GrowthOptions {
    std::optional<std::string> threadId; ///< null: the whole source
    std::string messagesChannel = "messages";
    std::vector<std::int64_t> frequencies{50, 1000}; ///< of delta channels' snapshots, in updates
    std::optional<RetentionPlan> plan;
};

/// A name and what it weighs.
struct Weight {
    std::string name;
    std::string thread; ///< of a namespace or a checkpoint
    std::string ns; ///< of a checkpoint
    std::int64_t bytes = 0; ///< page overhead included
    std::int64_t checkpoints = 0;
};

/// How many updates must be applied to the nearest snapshot to rebuild a delta channel.
struct ReplayDepth {
    std::int64_t deepest = 0;
    double mean = 0;
};

struct CurvePoint {
    std::int64_t checkpoint = 0; ///< how many there are up to here
    std::int64_t bytes = 0; ///< as recorded, page overhead included
    std::int64_t naive = 0; ///< every checkpoint with the whole list
    std::map<std::int64_t, std::int64_t> delta; ///< by snapshot frequency
};

/// A delta channel that could not be rebuilt any more after a retention plan.
struct BrokenChannel {
    std::string thread;
    std::string ns;
    std::string channel;
    std::int64_t checkpoints = 0; ///< kept ones whose state would be lost
    std::string firstKept; ///< the oldest of them
    std::string nearestSnapshot; ///< checkpoint that would have to stay; empty: everything up to the thread's start
    std::int64_t keepAtLeast = 0; ///< checkpoints to keep so that nothing breaks
};

struct RetentionAdvice {
    std::int64_t checkpoints = 0; ///< that would go
    std::int64_t writes = 0;
    std::int64_t freed = 0; ///< bytes, page overhead included; the file keeps them as free pages until VACUUM
    std::vector<BrokenChannel> broken;
};

struct Growth {
    std::string thread; ///< empty: the whole source
    std::int64_t total = 0; ///< the file without free pages, or the thread's share of it
    std::int64_t payload = 0; ///< checkpoints, metadata and writes as stored
    std::map<std::string, std::int64_t> byChannel; ///< page overhead included; sums up to `total`
    std::map<std::string, std::int64_t> unchanged; ///< … values stored again though their version had not moved
    std::vector<Weight> threads; ///< heaviest first
    std::vector<Weight> namespaces; ///< heaviest first
    std::vector<Weight> checkpoints; ///< the heaviest ones
    std::int64_t checkpointCount = 0;
    std::optional<std::int64_t> naiveBytes; ///< null: rows that cannot be looked into
    std::map<std::int64_t, std::int64_t> deltaBytes; ///< by snapshot frequency
    std::map<std::int64_t, ReplayDepth> replayDepth;
    double exponent = 0; ///< of the recorded curve: bytes grow as checkpoints to this power; 0: too few checkpoints
    std::map<std::string, double> exponents; ///< of the simulated curves: "naive", "50", …
    std::optional<StorageFacts> storage; ///< null: the source has no pages of its own
    std::vector<CurvePoint> curve; ///< at most 256 points
    std::optional<RetentionAdvice> plan;
    std::vector<std::string> notes; ///< what was left out, and why
};

/// Errors: Cancelled, NotFound for a thread that is not there, and what the source cannot read.
Result<Growth> measureGrowth(CheckpointSource &source, const GrowthOptions &options, const JobContext &job);

} // namespace palimpsest
