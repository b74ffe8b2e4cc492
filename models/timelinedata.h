// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/thread/thread.h"
#include "models/threadfindings.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

struct Settings;

/// What fills the context, in the order in which it is stacked from below.
enum class ContextPart { ToolsAndSystem, Summary, Human, Ai, Tool };
inline constexpr std::size_t contextParts = 5;

/// What the timeline's height counts.
enum class ContextUnit { Tokens, Messages };

/// The context of one model call; or of one checkpoint where the recording holds no calls.
struct TimelinePoint {
    CallNumber call; ///< invalid when the point is a checkpoint
    CheckpointIndex checkpoint; ///< the one the call started from
    int step = 0;
    std::array<std::int64_t, contextParts> tokens{};
    std::array<std::int64_t, contextParts> messages{};
    std::optional<std::int64_t> reported; ///< input tokens as the provider reported them
    int event = 0; ///< number of the event in force on this branch; 0: none
    int toolCalls = 0; ///< tool calls in the answer
    bool failed = false;
    Certainty certainty = Certainty::Derived;

    [[nodiscard]] std::int64_t total(ContextUnit unit) const;
    [[nodiscard]] const std::array<std::int64_t, contextParts> &parts(ContextUnit unit) const
    {
        return unit == ContextUnit::Tokens ? tokens : messages;
    }
    bool operator==(const TimelinePoint &) const = default;
};

/// Something that happened, at a position between or at points.
struct TimelineMark {
    enum class Kind { Event, Turn, ToolCalls, Offload, Fork, Failure, Finding };
    Kind kind = Kind::Event;
    double position = 0; ///< in points, from 0
    CheckpointIndex checkpoint; ///< the state to look at for it
    std::int64_t number = 0; ///< event number on its branch, how many tool calls, offloads, branches or findings
    std::string text; ///< first words, names, the error: one line
    Finding::Severity severity = Finding::Severity::Info; ///< of a finding
    std::string message; ///< message id to choose; may be empty

    bool operator==(const TimelineMark &) const = default;
};

/// All that the timeline draws of one namespace. Made by a worker, then immutable.
struct TimelineData {
    std::vector<TimelinePoint> points;
    std::vector<TimelineMark> events; ///< each list in order of position
    std::vector<TimelineMark> turns;
    std::vector<TimelineMark> tools;
    std::vector<TimelineMark> offloads;
    std::vector<TimelineMark> problems; ///< failed calls, forks and findings
    bool pointsAreCalls = true;
    bool partial = false; ///< more of the thread is still being read
    std::int64_t mostTokens = 0; ///< the largest totals, 0 when there are no points
    std::int64_t mostMessages = 0;

    [[nodiscard]] std::int64_t most(ContextUnit unit) const
    {
        return unit == ContextUnit::Tokens ? mostTokens : mostMessages;
    }
    /// Where a checkpoint stands: on its call, else between the calls before and after it.
    [[nodiscard]] double positionOf(CheckpointIndex checkpoint) const;
    /// The point of a call, or -1.
    [[nodiscard]] std::int64_t pointOf(CallNumber call) const;
    bool operator==(const TimelineData &) const = default;
};
using TimelineDataPtr = std::shared_ptr<const TimelineData>;

/// A second line over the same points: another run of the same thread.
struct TimelineSeries {
    std::string label; ///< "what-if A: messages 20, keep 10"
    std::vector<std::int64_t> tokens; ///< a number a point, -1 where the run has none
    std::vector<std::int64_t> messages;
    std::vector<double> events; ///< positions of its events

    [[nodiscard]] const std::vector<std::int64_t> &values(ContextUnit unit) const
    {
        return unit == ContextUnit::Tokens ? tokens : messages;
    }
    bool operator==(const TimelineSeries &) const = default;
};

/// A size that triggers summarization.
struct TimelineLimit {
    ContextUnit unit = ContextUnit::Tokens;
    double value = 0;
    std::string label; ///< "trigger: messages 14", with where it comes from before the colon

    bool operator==(const TimelineLimit &) const = default;
};

/// Where a trigger comes from: nothing is said and the version's own rules hold; the recording determines it; no call
/// reached it, so that nobody knows where it lies; or the user chose it.
enum class TriggerOrigin { Default, Inferred, Unreached, Chosen };

struct TimelineOptions {
    /// Tokens of one message alone. Called once for each body.
    std::function<std::int64_t(const Message &)> count;
    /// Tokens of tool schemas and system message, which no checkpoint holds; 0 when not known.
    std::int64_t toolsAndSystem = 0;
    /// All that was found in the thread; null: what reading it found.
    ThreadFindingsPtr findings;
};

/// The part of the context that a message belongs to.
ContextPart partOf(const Message &message);
std::string_view partName(ContextPart part);

/// Timeline of the namespace `ns`: O(calls · log messages) beside counting each body once. Null when the job was
/// stopped or the thread has no such namespace.
TimelineDataPtr makeTimeline(
    const ThreadPtr &thread, std::string_view ns, const TimelineOptions &options, const JobContext &job);

/// The sizes of the trigger in force as lines; a fraction is one of tokens when the window is known, else nothing.
/// Nothing for one that was not reached.
std::vector<TimelineLimit> limitsOf(const Settings &settings, TriggerOrigin origin);
/// What the first clause counts; tokens when there is none.
ContextUnit unitOf(const Settings &settings);

} // namespace palimpsest
