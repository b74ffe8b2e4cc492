// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"
#include "core/insight/lint/tokencounts.h"
#include "core/thread/projection.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace palimpsest {
namespace {

constexpr std::size_t least = 8; ///< calls of one model that make a band
constexpr double narrowest = 0.5; ///< of the expected number: providers count otherwise than LangChain
constexpr double smallest = 2000; ///< tokens: below that nothing is worth a word

struct Sample {
    const Call *call = nullptr;
    double counted = 0;
    double reported = 0;
};

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Counts of every call's request: only what was added is counted where the list grew.
std::vector<std::int64_t> countRequests(const LintContext &context)
{
    TokenCounts counts;
    std::vector<std::int64_t> effective(context.ns.checkpoints.size(), 0);
    for (std::size_t i = 0; i < effective.size(); ++i) {
        const Checkpoint &checkpoint = context.ns.checkpoints[i];
        const Projection projection = projectionOf(checkpoint.messages.size(), checkpoint.event.get());
        if (context.changes[i] != ListChange::Fresh) {
            const std::size_t before = context.ns.checkpoints[i - 1].messages.size();
            effective[i] = effective[i - 1]
                + counts.of(checkpoint.messages, std::max(before, projection.first.at()), checkpoint.messages.size());
            continue;
        }
        effective[i] = counts.of(checkpoint.messages, projection.first.at(), checkpoint.messages.size());
        if (projection.summary)
            effective[i] += counts.of(checkpoint.event->summaryMessage);
    }
    std::vector<std::int64_t> requests;
    requests.reserve(context.ns.calls.size());
    for (const Call &call : context.ns.calls) {
        if (call.eventFrom != Call::EventFrom::ThisCall && call.checkpoint.isValid()) {
            requests.push_back(effective[call.checkpoint.at()]);
            continue;
        }
        const Projection projection = projectionOf(call.log.size(), call.event.get());
        std::int64_t sum = counts.of(call.log, projection.first.at(), call.log.size());
        if (projection.summary)
            sum += counts.of(call.event->summaryMessage);
        requests.push_back(sum);
    }
    return requests;
}

/// reported = slope * counted + constant, by medians, so that single calls do not bend it.
struct Line {
    double slope = 1;
    double constant = 0;
    [[nodiscard]] double at(double counted) const { return slope * counted + constant; }
};

Line fit(const std::vector<Sample> &samples)
{
    std::vector<Sample> sorted = samples;
    std::sort(sorted.begin(), sorted.end(), [](const Sample &a, const Sample &b) { return a.counted < b.counted; });
    std::vector<double> slopes;
    const std::size_t half = sorted.size() / 2;
    for (std::size_t i = 0; i + half < sorted.size(); ++i)
        if (const double run = sorted[i + half].counted - sorted[i].counted; run > 0)
            slopes.push_back((sorted[i + half].reported - sorted[i].reported) / run);
    Line line;
    if (!slopes.empty())
        line.slope = median(std::move(slopes));
    std::vector<double> rests;
    for (const Sample &sample : samples)
        rests.push_back(sample.reported - line.slope * sample.counted);
    line.constant = median(std::move(rests));
    return line;
}

void check(const LintContext &context, FindingSink &sink)
{
    const bool reports = std::any_of(context.ns.calls.begin(), context.ns.calls.end(),
        [](const Call &call) { return call.usage["input_tokens"].isInt(); });
    if (!reports || context.ns.calls.size() < least)
        return;
    const std::vector<std::int64_t> counted = countRequests(context);
    std::map<std::string, std::vector<Sample>> byModel;
    for (std::size_t i = 0; i < context.ns.calls.size(); ++i) {
        const Call &call = context.ns.calls[i];
        const Value &reported = call.usage["input_tokens"];
        if (reported.isInt() && reported.asInt() > 0 && call.certainty == Certainty::Derived)
            byModel[call.provider + "/" + call.model].push_back(
                {&call, static_cast<double>(counted[i]), static_cast<double>(reported.asInt())});
    }
    for (const auto &[model, samples] : byModel) {
        if (samples.size() < least)
            continue;
        const Line line = fit(samples);
        std::vector<double> distances;
        for (const Sample &sample : samples)
            distances.push_back(std::fabs(sample.reported - line.at(sample.counted)));
        const double spread = median(std::move(distances));
        const auto bandOf = [&](const Sample &sample) {
            return std::max({6 * spread, narrowest * std::fabs(line.at(sample.counted)), smallest});
        };
        const auto isOutside = [&](const Sample &sample) {
            return std::fabs(sample.reported - line.at(sample.counted)) > bandOf(sample);
        };
        // Where many are outside, there is no band.
        if (std::count_if(samples.begin(), samples.end(), isOutside) * 20
            > static_cast<std::ptrdiff_t>(samples.size()) + 40)
            continue;
        for (const Sample &sample : samples) {
            if (!isOutside(sample))
                continue;
            const double expected = line.at(sample.counted);
            const double band = bandOf(sample);
            Finding finding;
            finding.rule = "request-unexplained";
            finding.severity = Finding::Severity::Info;
            finding.taskId = sample.call->taskId;
            finding.message = "Call " + std::to_string(sample.call->number.value) + " reports "
                + std::to_string(static_cast<std::int64_t>(sample.reported))
                + " input tokens where this thread's other calls make about "
                + std::to_string(static_cast<std::int64_t>(expected))
                + " likely: middleware or the provider changed the request.";
            finding.evidence = Value::map({{"call", Value(sample.call->number.value)},
                {"reported", Value(static_cast<std::int64_t>(sample.reported))},
                {"counted", Value(static_cast<std::int64_t>(sample.counted))},
                {"expected", Value(static_cast<std::int64_t>(expected))},
                {"band", Value(static_cast<std::int64_t>(band))},
                {"calls_compared", Value(static_cast<std::int64_t>(samples.size()))}});
            sink.see(std::move(finding), sample.call->taskId, sample.call->checkpoint);
        }
    }
}

} // namespace

const Rule rules::requestUnexplained{{"request-unexplained", Finding::Severity::Info,
                                         "A call's reported input tokens lie outside the band that the thread's other "
                                         "calls make around the counted ones.",
                                         "Look for middleware that changes requests, for prompt caching that is "
                                         "reported otherwise, or for a changed system "
                                         "prompt or tools at that call.",
                                         "langchain_core/messages/utils.py count_tokens_approximately, 1.8.3"},
    &check};

} // namespace palimpsest
