// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/projection.h"

#include "core/compaction/settingswords.h"
#include "core/insight/sweep/projection.h"
#include "models/whatif.h"

namespace palimpsest {

Result<ProjectionStudyPtr> makeProjection(
    const ReplayInput &recorded, double times, const std::vector<NamedSettings> &settings, const JobContext &job)
{
    const auto input = projectedInput(recorded, times);
    if (!input)
        return tl::unexpected(input.error());
    auto study = std::make_shared<ProjectionStudy>();
    study->times = times;
    study->recordedCalls = static_cast<std::int64_t>(recorded.calls().size());
    study->calls = static_cast<std::int64_t>((*input)->calls().size());
    Replayer replayer(*input);
    for (const NamedSettings &one : settings) {
        const auto run = makeWhatIf(replayer, one.settings, job);
        if (!run)
            return tl::unexpected(run.error());
        NeedleSearch needles({});
        auto figures = figuresOf(replayer, *one.settings, SummarySource::Recorded, needles, job);
        if (!figures)
            return tl::unexpected(figures.error());
        const Settings &first = settingsFor(*one.settings, recorded.space().name, 1);
        study->lines.push_back({one.name + ": " + settingsWords(first), (*run)->series, std::move(*figures)});
    }
    return study;
}

} // namespace palimpsest
