// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/compaction/replayinput.h"
#include "core/compaction/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Which settings a thread ran with, told from its events: a checkpoint does not hold them.
namespace palimpsest {

/// Values of one size, both ends included; an end that is not there is open. Messages and tokens are whole.
struct SizeRange {
    ContextSize::Kind kind = ContextSize::Kind::Messages;
    std::optional<double> low;
    std::optional<double> high;

    bool operator==(const SizeRange &) const = default;
    [[nodiscard]] bool contains(const ContextSize &size) const;
};

/// A call that bounds a range, and how.
struct InferenceBound {
    std::int32_t call = -1; ///< place in the namespace's calls
    std::string taskId;
    std::string why; ///< one sentence
};

/// What a recording shows of settings that no trigger depends on, so that a replay counts what the run counted.
struct ShownSettings {
    std::optional<std::int64_t> toolTokenLimitBeforeEvict =
        20000; ///< with which the moved results are moved, and no others
    std::optional<std::int64_t> humanMessageTokenLimitBeforeEvict = 50000;
    bool artifactsFail = false; ///< no event names an archive
    std::string artifactsRoot = "/";
    std::vector<std::string> refusedTasks; ///< calls that ended with the provider's refusal
    std::vector<std::string> clippedTasks; ///< calls whose tail was clipped: without a window, after one refusal
};

/// Settings that explain recorded events: any values inside the ranges make the same events at the same calls.
struct SettingsFamily {
    std::string dialect;
    ModelProfile model; ///< window, counter and provider that are assumed
    std::vector<std::vector<SizeRange>> trigger; ///< any (OR) of all (AND)
    SizeRange keep;
    std::optional<TruncateArgsSettings> truncateArgs;
    bool truncationAssumed = false; ///< archives do not tell `truncateArgs` from others, or from none
    ShownSettings shown;
    bool modelDefaults = false; ///< what `create_deep_agent` sets by itself lies in the ranges
    std::optional<std::int64_t> toolsTokens; ///< counted with every request; null: it does not matter here
    std::optional<std::int64_t> systemTokens;
    bool overheadAtLeast = false; ///< estimated from the tools that were seen: others may be bound
    bool overheadAssumed = false; ///< more than the estimate, so that the trigger lies higher by as much
    std::string overheadFrom; ///< how the two are known, one sentence
    std::int64_t explained = 0;
    std::int64_t events = 0; ///< that model calls made in [fromCall, toCall]
    std::int64_t fromCall = 1; ///< numbers of calls
    std::int64_t toCall = 0;
    std::int32_t segment = -1; ///< between which changes it holds; -1: over the whole recording
    std::vector<InferenceBound> bounds;
    std::vector<InferenceBound>
        refusals; ///< events it takes for answers to a refusal of the provider; certain ones count as explained
    std::vector<InferenceBound> resists; ///< calls it cannot explain
    double charsPerToken = 4; ///< of the counter that is assumed
    double scatter = 0; ///< how far the sizes at which it fired lie apart, as a part of the largest: 0 is sharp

    [[nodiscard]] bool explainsAll() const { return explained == events && resists.empty(); }
};

/// Trigger values that the recording rules out: at this call they would have compacted.
struct ExcludedTrigger {
    SizeRange values;
    InferenceBound by;
};

/// Where one family ends and another begins.
struct ChangePoint {
    enum class What { Settings, Model, Dialect };
    std::int64_t fromCall = 1; ///< number of the first call under the new settings
    What what = What::Settings;
    std::string why; ///< evidence, one sentence
    InferenceBound resists; ///< the call that the settings before it cannot explain
};
std::string_view changeName(ChangePoint::What what);

/// How much of an inference is wanted.
enum class InferenceDepth {
    All, ///< every family that explains the events, what is ruled out, and whether the defaults fit
    Best, ///< the best family, or one for each change: nothing is replayed once it stands
};

struct Inference {
    std::vector<SettingsFamily> families; ///< best first
    bool othersUntried = false; ///< other families may explain all events as well: nobody asked
    std::vector<ExcludedTrigger> excluded;
    bool defaultsFit = false; ///< deepagents' own defaults would have made these events and no others
    std::string defaults; ///< why, one sentence
    std::vector<ChangePoint> changes; ///< when no one family explains all events
    std::int64_t events = 0; ///< that model calls made
    std::int64_t toolEvents = 0; ///< that `compact_conversation` made: they tell nothing about a trigger
    std::vector<std::string> notes; ///< what was left out, and why
};

/// Finds the families for one namespace. Every recorded call is held against the settings by itself, over the state
/// that the recording shows before it; failed calls tell nothing. Error Cancelled when the job stops.
Result<Inference> inferSettings(const ReplayInput &input, const ArtifactReader &artifacts = {},
    const JobContext &job = {}, InferenceDepth depth = InferenceDepth::All);

/// A point of the family as settings that a replay takes: the roundest value of each range.
Settings settingsOf(const SettingsFamily &family);
/// The settings that the inference proposes for namespace `ns`: its best family, or one segment for each change.
/// Nothing when no family explains anything.
std::optional<SettingsSet> proposedSettings(const Inference &inference, const std::string &ns);
/// The settings that explain the events of a namespace; nothing when none do or there are none. Error Cancelled.
Result<std::optional<SettingsSet>> inferredSettings(
    const ThreadPtr &thread, const std::string &ns, const std::vector<ArtifactFolder> &folders, const JobContext &job);
/// How far the proposal is determined, one sentence for a person.
std::string describe(const Inference &inference);
/// "trigger messages 13 to 14, keep messages 6"
std::string describe(const SettingsFamily &family);

} // namespace palimpsest
